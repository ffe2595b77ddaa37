"""`dynamic_shapes`: a tree like the arguments with the sizes that may vary."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Dim:
    """A size of an argument that may differ when an exported file is used. Dimensions with the same name are equal.

    `Dim.DYNAMIC` and `Dim.AUTO` are independent sizes without names; `Dim.STATIC` is a fixed size.

    Arguments:
        name: the name in the file.
        min: the smallest size that the program uses; the file does not check it.
        max: the largest size.

    >>> Dim("batch", max=64)
    Dim('batch')
    """

    __slots__ = ("max", "min", "name")
    AUTO: Dim
    DYNAMIC: Dim
    STATIC: Dim

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None):
        if not (isinstance(name, str) and name.isidentifier()):
            raise InvalidTypeError(f"Dim: expected name to be an identifier; got {name!r:.60}")
        self.name, self.min, self.max = name, min, max

    def __repr__(self) -> str:
        return f"Dim({self.name!r})"


Dim.AUTO, Dim.DYNAMIC, Dim.STATIC = Dim("AUTO"), Dim("DYNAMIC"), Dim("STATIC")


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Return a `Dim` for each name.

    Arguments:
        names: the names.
        min: the smallest size.
        max: the largest size.
    """
    return tuple([Dim(name, min=min, max=max) for name in names])


def labels_of(
    model: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], shapes: Any, names: Mapping[int, str]
) -> dict[str, dict[int, str]]:
    """Return the names of dynamic axes, by the names of tensors.

    Arguments:
        model: the exported model.
        args: its positional arguments.
        kwargs: its keyword arguments.
        shapes: a dict by the names of its parameters, or a sequence in the order of its arguments.
        names: the names of the tensors, by id.
    """
    given: Any = [*args, *kwargs.values()]
    if isinstance(shapes, Mapping):
        given = dict(kwargs)
        try:
            bound = signature(getattr(model, "forward", model)).bind(*args)
        except (TypeError, ValueError):  # missing arguments are in kwargs
            bound = signature(getattr(model, "forward", model)).bind_partial(*args)
        given |= bound.arguments
    return {names[id(argument)]: labels for argument, labels in _in_tree("dynamic_shapes", given, shapes, names)}


def _in_tree(where: str, value: Any, shapes: Any, names: Mapping[int, str]) -> Iterator[tuple[Tensor, dict[int, str]]]:
    """Generate the tensors of a tree with dynamic axes, and these axes."""
    if shapes is None:
        return
    if isinstance(value, Tensor):
        yield value, _labels(where, value, shapes, names[id(value)])
    elif isinstance(value, Mapping) and isinstance(shapes, Mapping) and shapes.keys() <= value.keys():
        for key, shape in shapes.items():
            yield from _in_tree(f"{where}[{key!r}]", value[key], shape, names)
    elif isinstance(value, (tuple, list)) and isinstance(shapes, (tuple, list)) and len(shapes) == len(value):
        for place, (part, shape) in enumerate(zip(value, shapes, strict=True)):
            yield from _in_tree(f"{where}[{place}]", part, shape, names)
    else:
        known = f"a dict with keys of {list(value)}" if isinstance(value, Mapping) else "None"
        known = f"{len(value)} entries" if isinstance(value, (tuple, list)) else known
        raise ArgumentError(f"onnx.export: expected {where} to be {known}, like the arguments; got {shapes!r:.60}")


def _labels(where: str, tensor: Tensor, shapes: Any, name: str) -> dict[int, str]:
    """Return the names of a tensor's dynamic axes."""
    if isinstance(shapes, (tuple, list)) and len(shapes) == tensor.ndim:
        shapes = dict(enumerate(shapes))
    if not isinstance(shapes, Mapping):
        raise ArgumentError(
            f"onnx.export: expected {where} to be a dict of axes, or a tuple of {tensor.ndim}; got {shapes!r:.60}"
        )
    found = {}
    for axis, label in shapes.items():
        if isinstance(label, str):
            found[axis] = label
        elif label is Dim.AUTO or label is Dim.DYNAMIC:
            found[axis] = f"{name}_dim_{axis}"
        elif isinstance(label, Dim):
            if label is not Dim.STATIC:
                found[axis] = label.name
        elif not (label is None or type(label) is int):
            raise InvalidTypeError(f"onnx.export: expected {where}[{axis!r}] to be a name or a Dim; got {label!r:.60}")
    return found
