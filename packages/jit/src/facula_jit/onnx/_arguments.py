"""Arguments of an export: the tensors of a model's call, their names, and their dynamic sizes."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter as Named
from inspect import signature
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, DTypeError, InvalidTypeError, OperationError
from facula_storage import Layout, cpu, int64
from facula_tensor import Tensor, tensor

from .._recording.signature import tensors_in
from ._dynamic_shapes import labels_of
from ._nodes import ELEMENT_TYPES
from ._size_formulas import Dimension, subsets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from ._nodes import Shape

    Axes: TypeAlias = Mapping[str, Mapping[int, str] | Sequence[int]]

MAX_DIMENSIONS = 3  # each combination of dynamic dimensions is a run of the model


class Arguments:
    """The arguments of a model. `tensors` are the distinct tensors among them, and `names` their names.

    Arguments:
        model: a module, or a function.
        args: its positional arguments.
        kwargs: its keyword arguments.
        names: the names of the tensors, or None for those of the model's parameters.
        axes: the sizes that may vary, by the names of tensors.
        shapes: the same, by the positions of arguments.
        results: the names of results, which `axes` may also contain.
    """

    def __init__(
        self,
        model: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        names: Sequence[str] | None,
        axes: Axes | None,
        shapes: Any,
        results: Sequence[str] | None,
    ):
        for what, options in (("kwargs", kwargs), ("dynamic_axes", axes or {})):
            if not isinstance(options, Mapping):
                raise InvalidTypeError(f"onnx.export: expected {what} to be a dict; got {type(options).__name__}")
        parameters = parameters_of(model)
        if (
            not kwargs
            and args
            and isinstance(args[-1], dict)
            and set(args[-1]) <= {parameter.name for parameter in parameters}
        ):
            *args, kwargs = args  # type: ignore[assignment]  # the convention of PyTorch
        self.args, self.kwargs = tuple(args), dict(kwargs)
        self.tensors = list({id(part): part for part in tensors_in([*self.args, *self.kwargs.values()])}.values())
        for argument in self.tensors:
            if type(argument._layout) is not Layout or argument._layout.device is not cpu:
                raise OperationError("onnx.export: expected arguments on the CPU, outside of transforms; got others")
            if argument.dtype not in ELEMENT_TYPES:
                known = ", ".join([dtype.name for dtype in ELEMENT_TYPES])
                raise DTypeError(f"onnx.export: expected arguments of {known}; got {argument.dtype.name}")
        self.names = self._own_names(parameters) if names is None else _checked(names, len(self.tensors))
        if axes and shapes:
            raise ArgumentError("onnx.export: expected dynamic_axes or dynamic_shapes; got both")
        if shapes:
            names_by_id = {id(argument): name for argument, name in zip(self.tensors, self.names, strict=True)}
            axes = labels_of(model, self.args, self.kwargs, shapes, names_by_id)
        self.dimensions = self._dimensions(axes or {}, results or ())
        self.labels = list(dict.fromkeys([dimension.name for dimension in self.dimensions]))
        if len(self.labels) > MAX_DIMENSIONS:
            raise ArgumentError(
                f"onnx.export: dynamic_axes: expected at most {MAX_DIMENSIONS} different names; got {self.labels}"
            )

    def _own_names(self, parameters: Sequence[Named]) -> list[str]:
        """Return the names of the tensors: those of the model's parameters, with a number if a parameter has several
        tensors.
        """
        places = [parameter.name for parameter in parameters if parameter.kind is not Named.VAR_KEYWORD] or ["input"]
        labelled = [(places[min(number, len(places) - 1)], arg) for number, arg in enumerate(self.args)]
        names: dict[int, str] = {}
        for name, value in (*labelled, *self.kwargs.items()):
            inside = [part for part in tensors_in(value) if id(part) not in names]
            for part in inside:
                alone = len(inside) == 1 and name not in names.values()
                names[id(part)] = name if alone else f"{name}_{len(names)}"
        return [names[id(argument)] for argument in self.tensors]

    def _dimensions(self, axes: Axes, results: Sequence[str]) -> list[Dimension]:
        """Return the axes whose sizes may vary."""
        found = []
        for name, given in axes.items():
            if name not in self.names:
                if name in results or name.startswith("output"):
                    continue  # sizes of results follow from those of the inputs
                raise ArgumentError(f"onnx.export: dynamic_axes: expected names of inputs, {self.names}; got {name!r}")
            ndim = self.tensors[self.names.index(name)].ndim
            if not isinstance(given, (Mapping, list, tuple)):
                raise InvalidTypeError(f"onnx.export: dynamic_axes: expected a dict or a list of axes; got {given!r}")
            pairs = given.items() if isinstance(given, Mapping) else [(axis, f"{name}_dim_{axis}") for axis in given]
            for axis, label in pairs:
                if type(axis) is not int or not -ndim <= axis < ndim:
                    raise ArgumentError(
                        f"onnx.export: dynamic_axes: expected an axis below {ndim} of {name!r}; got {axis!r}"
                    )
                found.append(Dimension(str(label), name, axis % ndim))
        return found

    @property
    def distinct(self) -> list[Dimension]:
        """One dimension for each name."""
        return [next(dimension for dimension in self.dimensions if dimension.name == label) for label in self.labels]

    def runs(self, stride: int) -> list[tuple[int, ...]]:
        """Return the sizes of each run: the given ones, others for each subset of the dimensions, and others for a
        check.

        A size of 1 is replaced by 2, since the memory layout of single entries is ambiguous.

        Arguments:
            stride: the difference between sizes.
        """
        given = []
        for label in self.labels:
            lengths = {self._size(dimension) for dimension in self.dimensions if dimension.name == label}
            if len(lengths) > 1:
                raise ArgumentError(f"onnx.export: dynamic_axes: axes of one name have one size; {label!r}: {lengths}")
            given.append(max(lengths.pop(), 2))
        steps = [-stride if size > 3 * stride else stride for size in given]
        runs = [
            tuple([size + (place in subset) * steps[place] for place, size in enumerate(given)])
            for subset in subsets(len(given))
        ]
        return [*runs, tuple([size + 2 * step for size, step in zip(given, steps, strict=True)])] if given else runs

    def _size(self, dimension: Dimension) -> int:
        return self.tensors[self.names.index(dimension.input)].shape[dimension.axis]

    def resized(self, sizes: Sequence[int]) -> tuple[list[Tensor], tuple[Any, ...], dict[str, Any]]:
        """Return copies of the tensors with these sizes, and the arguments that contain them."""
        copies = {}
        for name, argument in zip(self.names, self.tensors, strict=True):
            made = argument.detach()
            for dim in self.dimensions:
                if dim.input == name:
                    entries = range(sizes[self.labels.index(dim.name)])
                    places = tensor([entry % argument.shape[dim.axis] for entry in entries], dtype=int64, device="cpu")
                    made = made.index_select(dim.axis, places)
            copies[id(argument)] = made.contiguous().clone()
        return list(copies.values()), _replaced(self.args, copies), _replaced(self.kwargs, copies)

    def declared(self) -> list[tuple[str, Any, Shape]]:
        """Return the name, dtype and shape of each tensor, with the names of dynamic sizes."""
        found = []
        for name, argument in zip(self.names, self.tensors, strict=True):
            labels = {dim.axis: dim.name for dim in self.dimensions if dim.input == name}
            shape: Shape = [labels.get(axis, size) for axis, size in enumerate(argument.shape)]
            found.append((name, argument.dtype, shape))
        return found


def parameters_of(model: Callable[..., Any]) -> list[Named]:
    """Return the parameters of a function or of a module's forward."""
    try:
        return list(signature(getattr(model, "forward", model)).parameters.values())
    except (TypeError, ValueError):  # a C function has no signature
        return []


def _checked(names: Sequence[str], count: int) -> list[str]:
    found = list(names)
    if len(found) != count or len(set(found)) != count or not all([type(label) is str and label for label in found]):
        raise ArgumentError(f"onnx.export: expected input_names to be {count} different names; got {found}")
    return found


def _replaced(tree: Any, tensors: Mapping[int, Tensor]) -> Any:
    """Return tuples, lists and dicts with their tensors replaced."""
    if isinstance(tree, Tensor):
        return tensors[id(tree)]
    if isinstance(tree, dict):
        return type(tree)({key: _replaced(part, tensors) for key, part in tree.items()})
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_replaced(part, tensors) for part in tree])
    if isinstance(tree, (tuple, list)):
        return type(tree)([_replaced(part, tensors) for part in tree])
    return tree
