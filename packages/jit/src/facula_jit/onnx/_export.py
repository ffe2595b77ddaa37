"""`export`: a model as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from inspect import Parameter as Named
from inspect import signature
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_storage import int64
from facula_tensor import Tensor, tensor

from .._signature import tensors_in
from ._convert import convert
from ._nodes import OnnxExporterError, element_type
from ._sizes import Dimension, generalise, subsets
from ._trace import trace
from ._write import fold, model_of, onnx_package, with_output_names, with_shared_constants, without_unused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO, TypeAlias

    from facula_storage import DType

    from ._convert import Converted

    Axes: TypeAlias = Mapping[str, Mapping[int, str] | Sequence[int]]

OPSET, OLDEST, NEWEST = 18, 18, 23
MOST_DIMENSIONS = 3  # whose names differ: the model runs once for each of their combinations


class ONNXProgram:
    """An exported model; `model_proto` is it as the `onnx` package has it."""

    def __init__(self, model_proto: Any):
        self.model_proto = model_proto

    def save(self, destination: str | os.PathLike[str] | IO[bytes], *, external_data: bool = False) -> None:
        """Write the file.

        Arguments:
            destination: a path, or a file that is open for writing bytes.
            external_data: whether parameters go into a file of their own beside it, as those of more than 2 GB must.
        """
        options: dict[str, Any] = {}
        if external_data:
            if not isinstance(destination, (str, os.PathLike)):
                raise InvalidTypeError(f"onnx.export: external_data needs a path; got {type(destination).__name__}")
            options = {"save_as_external_data": True, "location": f"{os.path.basename(os.fspath(destination))}.data"}
        onnx_package().save_model(self.model_proto, destination, **options)

    def __repr__(self) -> str:
        graph = self.model_proto.graph
        return f"<ONNX program: {len(graph.node)} nodes, {len(graph.initializer)} parameters and constants>"


@boundary
def export(
    model: Callable[..., Any],
    args: tuple[Any, ...] | Tensor = (),
    f: str | os.PathLike[str] | IO[bytes] | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamic_axes: Axes | None = None,
    do_constant_folding: bool = True,
    external_data: bool = False,
) -> ONNXProgram:
    """Export a model as an ONNX file. The `onnx` package writes it: `pip install onnx`.

    The model runs once, in the mode that it is in (call `eval()` before), without recording gradients; each operator
    becomes nodes, and parameters keep the names that they have in `state_dict()`. What depends on Python values is as
    it was in this run. In-place changes of what the model made become new values.

    Arguments:
        model: a module, or a function of tensors.
        args: its positional arguments, or the only one. Tensors become the file's inputs, all else is constant.
        f: a path, or a file that is open for writing bytes; None writes nothing.
        kwargs: its keyword arguments.
        input_names: the names of the tensors among the arguments; by default those of the parameters of `forward`.
        output_names: the names of the tensors that it returns; by default "output", or "output_0" and so on.
        opset_version: the version of ONNX's operators, from 18 to 23; 18 by default.
        dynamic_axes: sizes of inputs that may be others when the file is used: `{"x": {0: "batch"}}`, or `{"x": [0]}`.
            The model runs for several of them. Axes of one name are equal. Entries for outputs are not needed.
        do_constant_folding: compute what depends on constants alone, but for parameters.
        external_data: whether parameters go into a file beside `f`.

    Returns:
        The program, whose `model_proto` is what the `onnx` package has, and whose `save` writes it.

    Raises:
        OnnxExporterError: an operator has no ONNX node here, or the model looks at elements in Python, as shapes that
            depend on data do; the message names it, its line and what to do.
        ImportError: the onnx package is not installed.
        TypeError, ValueError: wrong arguments.

    >>> from facula_tensor import ones
    >>> export(lambda x: (x * 2).relu(), ones(2, 3))  # doctest: +SKIP
    <ONNX program: 2 nodes, 1 parameters and constants>
    """
    onnx_package()
    opset = OPSET if opset_version is None else opset_version
    if type(opset) is not int or not OLDEST <= opset <= NEWEST:
        raise InvalidValueError(f"onnx.export: expected opset_version from {OLDEST} to {NEWEST}; got {opset_version!r}")
    if not callable(model):
        raise InvalidTypeError(f"onnx.export: expected a module or a function; got {type(model).__name__}")
    given = (args,) if isinstance(args, Tensor) else tuple(args)
    keywords = dict(kwargs or {})
    if given and isinstance(given[-1], dict) and not keywords and kwargs is None and _takes_fewer(model, given):
        *positional, keywords = given
        given = tuple(positional)
    arguments = {id(one): one for one in tensors_in([*given, *keywords.values()])}
    tensors = list(arguments.values())
    for one in tensors:
        element_type(one.dtype)
    names = _input_names(model, given, keywords, input_names, len(tensors))
    dimensions = _dimensions(dynamic_axes, names, tensors, output_names)
    distinct = list(dict.fromkeys([one.name for one in dimensions]))
    found: list[Converted] = []
    labels: list[str] = []
    runs = list(_sizes_of(dimensions, distinct, names, tensors))
    for sizes in runs:
        resized = {
            key: _resized(one, [(dim.axis, sizes[distinct.index(dim.name)]) for dim in dimensions if dim.input == name])
            for (key, one), name in zip(arguments.items(), names, strict=True)
        }
        given_now, keywords_now = _replaced(given, resized), _replaced(keywords, resized)
        made = trace(model, list(resized.values()), given_now, keywords_now)
        labelled = dict(_labelled(made.result))
        labels = list(labelled)
        if not labels:
            raise OnnxExporterError("onnx.export: the model returns no tensor; return what the file is to compute")
        found.append(convert(made, opset, names, list(labelled.values())))
    b, outputs = found[0]
    shapes: list[list[int | str | None]] = [list(layout.shape) for _, layout in outputs]
    if distinct:
        firsts = [next(one for one in dimensions if one.name == name) for name in distinct]
        shapes = generalise(firsts, runs, found)
    wanted = _output_names(labels, output_names, names)
    results = [name for name, _ in outputs]
    b.nodes = without_unused(b.nodes, results)
    with_shared_constants(b)
    if do_constant_folding:
        fold(b)
        with_shared_constants(b)
    with_output_names(b, results, wanted)
    inputs = [
        (name, one.dtype, _input_shape(one, {dim.axis: dim.name for dim in dimensions if dim.input == name}))
        for name, one in zip(names, tensors, strict=True)
    ]
    declared = [(name, layout.dtype, shape) for name, (_, layout), shape in zip(wanted, outputs, shapes, strict=True)]
    graph_name = str(getattr(model, "__name__", None) or type(model).__name__).strip("<>")
    program = ONNXProgram(model_of(b, graph_name, inputs, declared))
    if f is not None:
        program.save(f, external_data=external_data)
    return program


# ------------------------------------------------------------------------------------------------------ arguments
def _takes_fewer(model: Callable[..., Any], given: Sequence[Any]) -> bool:
    """Whether the last of the arguments, a dict, is none of the function's: keyword arguments, as PyTorch takes them."""
    places = [one for one in _parameters_of(model) if one.kind in (Named.POSITIONAL_ONLY, Named.POSITIONAL_OR_KEYWORD)]
    return len(places) < len(given)


def _parameters_of(model: Callable[..., Any]) -> list[Named]:
    try:
        return list(signature(getattr(model, "forward", model)).parameters.values())
    except (TypeError, ValueError):  # a function of C has none
        return []


def _input_names(
    model: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], given: Sequence[str] | None, count: int
) -> list[str]:
    """The names of the tensors among the arguments."""
    if given is not None:
        names = [given] if isinstance(given, str) else list(given)
        if len(names) != count or len(set(names)) != count or not all([type(one) is str and one for one in names]):
            raise ArgumentError(f"onnx.export: expected input_names to be {count} different names; got {given!r}")
        return names
    parameters = [one.name for one in _parameters_of(model) if one.kind is not Named.VAR_KEYWORD]
    names = []
    seen: set[int] = set()
    labelled = [(parameters[min(k, len(parameters) - 1)] if parameters else "input", one) for k, one in enumerate(args)]
    for name, value in (*labelled, *kwargs.items()):
        inside = [one for one in tensors_in(value) if id(one) not in seen]
        seen.update(map(id, inside))
        for _ in inside:
            names.append(name if len(inside) == 1 and name not in names else f"{name}_{len(names)}")
    return names


def _dimensions(
    axes: Axes | None, names: Sequence[str], tensors: Sequence[Tensor], outputs: Sequence[str] | None
) -> list[Dimension]:
    """The axes whose sizes may vary."""
    found = []
    for name, given in (axes or {}).items():
        if name not in names:
            if name in (outputs or ()) or name.startswith("output"):
                continue  # what the results' sizes are follows from the inputs'
            raise ArgumentError(f"onnx.export: dynamic_axes names {name!r}; expected one of the inputs {list(names)}")
        ndim = tensors[names.index(name)].ndim
        pairs = given.items() if isinstance(given, Mapping) else [(one, f"{name}_dim_{one}") for one in given]
        for axis, label in pairs:
            if type(axis) is not int or not -ndim <= axis < ndim:
                raise ArgumentError(f"onnx.export: dynamic_axes: expected an axis of {name!r} below {ndim}; got {axis!r}")
            found.append(Dimension(str(label), name, axis % ndim))
    if len({one.name for one in found}) > MOST_DIMENSIONS:
        labels = ", ".join(dict.fromkeys([one.name for one in found]))
        raise ArgumentError(
            f"onnx.export: dynamic_axes: expected at most {MOST_DIMENSIONS} different names; got {labels}"
        )
    return found


def _sizes_of(
    dimensions: Sequence[Dimension], distinct: Sequence[str], names: Sequence[str], tensors: Sequence[Tensor]
) -> Iterator[tuple[int, ...]]:
    """The sizes of each run: those given, others for each subset of the dimensions, and others again to check."""
    given = []
    for label in distinct:
        lengths = {tensors[names.index(one.input)].shape[one.axis] for one in dimensions if one.name == label}
        if len(lengths) > 1:
            raise ArgumentError(f"onnx.export: dynamic_axes: axes named {label!r} have different sizes: {lengths}")
        given.append(max(lengths.pop(), 2))
    others = [size - 1 if size > 3 else size + 1 for size in given]
    last = [size - 2 if size > 3 else size + 2 for size in given]
    for subset in subsets(len(distinct)):
        yield tuple([others[place] if place in subset else size for place, size in enumerate(given)])
    if distinct:
        yield tuple(last)


def _resized(one: Tensor, sizes: Sequence[tuple[int, int]]) -> Tensor:
    """A copy in row-major order, whose entries along some axes are repeated or left out."""
    made = one.detach()
    for axis, size in sizes:
        places = tensor([place % made.shape[axis] for place in range(size)], dtype=int64)
        made = made.index_select(axis, places)
    return made.contiguous().clone()


def _replaced(tree: Any, tensors: Mapping[int, Tensor]) -> Any:
    """Tuples, lists and dicts with other tensors in them."""
    if isinstance(tree, Tensor):
        return tensors[id(tree)]
    if isinstance(tree, dict):
        return type(tree)({key: _replaced(one, tensors) for key, one in tree.items()})
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_replaced(one, tensors) for one in tree])
    if isinstance(tree, (tuple, list)):
        return type(tree)([_replaced(one, tensors) for one in tree])
    return tree


def _input_shape(one: Tensor, labels: Mapping[int, str]) -> list[int | str | None]:
    return [labels.get(axis, size) for axis, size in enumerate(one.shape)]


# -------------------------------------------------------------------------------------------------------- results
def _labelled(result: Any, path: str = "") -> Iterator[tuple[str, Tensor]]:
    """The tensors of a result, each with where it is: keys of dicts, places in tuples and lists."""
    if isinstance(result, Tensor):
        yield path, result
    elif isinstance(result, Mapping):
        for key, one in result.items():
            yield from _labelled(one, f"{path}_{key}" if path else str(key))
    elif isinstance(result, (tuple, list)):
        for place, one in enumerate(result):
            yield from _labelled(one, f"{path}_{place}" if path else f"output_{place}")
    elif result is not None:
        raise OnnxExporterError(
            f"onnx.export: the model returns a {type(result).__name__}; return tensors, in tuples, lists or dicts"
        )


def _output_names(labels: Sequence[str], given: Sequence[str] | None, inputs: Sequence[str]) -> list[str]:
    """The names of the results."""
    names = [label or "output" for label in labels] if given is None else list(given)
    if len(names) != len(labels) or len({*names, *inputs}) != len(names) + len(inputs):
        raise ArgumentError(
            f"onnx.export: expected output_names to be {len(labels)} names that no input has; got {names}"
        )
    return names
