"""Argument checks shared by several public functions."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.nodes import LEAF
from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import Layout
from facula_storage.extend.layouts import FLOATING
from facula_storage.extend.objects import new_instance

from .._core.errors import named
from .._core.geometry import hashable
from .._core.promotion import as_integer
from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import LevelLayout
from .slow_path.operands import describe
from .view_call import as_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from .._core.types import Dims

AnyDims = TypeVar("AnyDims", bound="Dims")
Found = TypeVar("Found")
described = attrgetter("_layout.shape", "_layout.dtype")


def floats(operation: str, input: Tensor) -> Tensor:
    """Return `input`; TypeError with the function's name unless its dtype is floating."""
    layout: Any = getattr(input, "_layout", None)
    if type(layout) is not Layout:
        layout = layout_of_tensor(as_tensor(operation, input))
    dtype = layout.dtype
    if dtype.category != FLOATING:
        raise DTypeError(f"{operation}: defined for floating dtypes; got {dtype.name}; convert with .float()")
    return input


def of_ndim(operation: str, argument: str, value: object, ndim: int) -> Tensor:
    """Return `value`; TypeError unless it is a tensor, ValueError unless it has `ndim` dimensions."""
    try:
        shape: tuple[int, ...] = value._layout.shape  # type: ignore[attr-defined]
    except AttributeError:  # not a tensor, or one that overrides
        shape = layout_of_tensor(as_tensor(operation, value)).shape
    if len(shape) != ndim:
        raise ArgumentError(
            f"{operation}: expected {argument} to have {ndim} dimension{'s' * (ndim > 1)}; got shape {shape}; "
            "use reshape()"
        )
    return value  # type: ignore[return-value]


def steady_tensor(operation: str, input: Any) -> Tensor:
    """Return `steady(as_tensor(operation, input))` in one call: a snapshot of the tensor with its history."""
    try:
        layout = input._layout
        storage = input._storage
        offset = input._offset
        node = input.node
    except AttributeError:
        return as_tensor(operation, input)
    if node is LEAF or type(layout) is not Layout:
        return input
    t = new_instance(Tensor)
    t._layout = layout
    t._storage = storage
    t._offset = offset
    t.node = node
    return t


def source(operation: str, input: Tensor, *others: object) -> Tensor:
    """Return the tensor to compute the new elements of `input` from: a copy if a graph or a transform may need
    the old ones.

    The nodes of that graph or of the wrapped contents, and the new node, need the old elements. `operation` names
    the caller in the TypeError.
    """
    if type(input) is not Tensor:
        as_tensor(operation, input)
    for other in (input, *others):
        if isinstance(other, Tensor) and (other.node is not None or type(other._layout) is not Layout):
            if isinstance(other._layout, LevelLayout) or not active_modes or current_mode().grad:
                return input.clone()
    return input


def positive_integer(operation: str, argument: str, value: object) -> int:
    """Return `value` as an int of at least 1."""
    number = as_integer(value, operation, argument)
    if number < 1:
        raise ArgumentError(f"{operation}: expected a positive {argument}; got {number}")
    return number


def flag_value(operation: str, argument: str, value: object) -> bool:
    """Return whether `value` is true; ValueError, with the argument's name, for several elements."""
    try:
        return bool(value)
    except ValueError:
        raise ArgumentError(f"{operation}: expected {argument} to be a bool; got {describe(value)}") from None


def refuse_choice(operation: str, argument: str, value: object, choices: str) -> NoReturn:
    """Raise ValueError for an argument that is not among the allowed values."""
    raise ArgumentError(f"{operation}: expected {argument} to be {choices}; got {value!r}")


def unusable(operation: str, operands: Sequence[object]) -> Exception:
    """Return the TypeError for operands that an operator cannot combine."""
    first, *others = [type(operand).__name__ for operand in operands if operand is not None]
    rest = " and ".join(others) or None
    return named(InvalidTypeError(f"{operation}: cannot use {first} with {rest}; pass tensors or numbers"))


def reduction_of_older(size_average: bool | None, reduce: bool | None) -> str:
    """Return the `reduction` equivalent to the two older arguments of PyTorch's losses."""
    return "none" if reduce is False else "sum" if size_average is False else "mean"


def axis_for(dim: object, axis: AnyDims, operation: str) -> AnyDims:
    """Return `axis`, NumPy's name of `dim`; TypeError if both are given."""
    if dim is None or (isinstance(dim, tuple) and not dim):
        return axis
    raise InvalidTypeError(f"{operation}: expected dim or axis, which are the same; got both, {dim} and {axis}")


def first_named(operation: str, first: object, other: Found) -> Found:
    """Return `other`, passed by an alias of the first argument; TypeError if both are given."""
    if first is not None:
        raise InvalidTypeError(f"{operation}: expected input or self, which are the same; got both")
    return other


def needed_dim(operation: str, dim: AnyDims | None, axis: AnyDims | None = None) -> AnyDims:
    """Return `dim` or `axis`; TypeError unless one is given."""
    if axis is not None:
        dim = axis_for(dim, axis, operation)
    if dim is None:
        raise named(
            InvalidTypeError(f"{operation}: expected dim to be an integer; got none; dim=-1 is the last dimension")
        )
    return dim


def geometry(find: Callable[..., Found]) -> Callable[..., Found]:
    """Cache `find(name, operands, *arguments)`, which receives a pair (shape, dtype) for each operand.

    The decorated function takes the operands themselves. `name` is the operation's, for errors. Lists among the
    arguments are converted to tuples. `find` rejects tensors among the arguments, since their values may
    change.
    """
    known = lru_cache(maxsize=1024, typed=True)(find)

    def found(name: str, operands: tuple[Tensor, ...], *arguments: Any) -> Found:
        try:
            return known(name, tuple(map(described, operands)), *arguments)
        except (AttributeError, TypeError):
            # not a tensor, a wrapped one, or an unhashable argument; or an error of `find`, which will occur again
            pass
        layouts = [layout_of_tensor(as_tensor(name, operand)) for operand in operands]
        pairs = tuple([(layout.shape, layout.dtype) for layout in layouts])
        return known(name, pairs, *[hashable(argument) for argument in arguments])

    return found
