"""Checks of arguments that several public functions make."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from facula_autograd.extend import LEAF, active_modes, current_mode
from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import Layout
from facula_storage.extend import FLOATING, new_instance

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
    """`input`; TypeError, with the function's name, unless its dtype is a floating one."""
    dtype = layout_of_tensor(as_tensor(operation, input)).dtype
    if dtype.category != FLOATING:
        raise DTypeError(f"{operation}: defined for floating dtypes; got {dtype.name}; convert with .float()")
    return input


def of_ndim(operation: str, argument: str, value: object, ndim: int) -> Tensor:
    """`value`; TypeError unless it is a tensor, ValueError unless it has `ndim` dimensions."""
    try:
        shape: tuple[int, ...] = value._layout.shape  # type: ignore[attr-defined]
    except AttributeError:  # no tensor, or one that overrides
        shape = layout_of_tensor(as_tensor(operation, value)).shape
    if len(shape) != ndim:
        raise ArgumentError(
            f"{operation}: expected {argument} to have {ndim} dimension{'s' * (ndim > 1)}; got shape {shape}; "
            "use reshape()"
        )
    return value  # type: ignore[return-value]


def steady_tensor(operation: str, input: Any) -> Tensor:
    """`steady(as_tensor(operation, input))` in one call: the tensor as it is at this moment, with its history."""
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
    """What to compute the new elements of `input` from: a copy of it if a graph or a transform may need the old ones.

    The nodes of that graph, or of what is wrapped, and the new one need the elements as they were. `operation` names
    the caller in the TypeError.
    """
    if type(input) is not Tensor:
        as_tensor(operation, input)
    for one in (input, *others):
        if isinstance(one, Tensor) and (one.node is not None or type(one._layout) is not Layout):
            if isinstance(one._layout, LevelLayout) or not active_modes or current_mode().grad:
                return input.clone()
    return input


def positive_integer(operation: str, argument: str, value: object) -> int:
    """`value` as an int of at least 1."""
    number = as_integer(value, operation, argument)
    if number < 1:
        raise ArgumentError(f"{operation}: expected a positive {argument}; got {number}")
    return number


def flag_value(operation: str, argument: str, value: object) -> bool:
    """Whether `value` is true; ValueError, with the argument's name, for several elements."""
    try:
        return bool(value)
    except ValueError:
        raise ArgumentError(f"{operation}: expected {argument} to be a bool; got {describe(value)}") from None


def refuse_choice(operation: str, argument: str, value: object, choices: str) -> NoReturn:
    """ValueError for an argument that is none of the values it may have."""
    raise ArgumentError(f"{operation}: expected {argument} to be {choices}; got {value!r}")


def unusable(operation: str, operands: Sequence[object]) -> Exception:
    """The TypeError for operands that an operator cannot use together."""
    first, *others = [type(one).__name__ for one in operands if one is not None]
    return named(InvalidTypeError(f"{operation}: cannot use {first} with {' and '.join(others) or None}"))


def reduction_of_older(size_average: bool | None, reduce: bool | None) -> str:
    """What PyTorch's two older arguments of losses say in the place of `reduction`."""
    return "none" if reduce is False else "sum" if size_average is False else "mean"


def axis_for(dim: object, axis: AnyDims, operation: str) -> AnyDims:
    """`axis`, the name that NumPy has for `dim`; TypeError where both are given."""
    if dim is None or (isinstance(dim, tuple) and not dim):
        return axis
    raise InvalidTypeError(f"{operation}: expected dim or axis, which are the same; got both, {dim} and {axis}")


def first_named(operation: str, first: object, other: Found) -> Found:
    """`other`, given by another name of the first argument; TypeError where both are."""
    if first is not None:
        raise InvalidTypeError(f"{operation}: expected input or self, which are the same; got both")
    return other


def needed_dim(operation: str, dim: AnyDims | None, axis: AnyDims | None = None) -> AnyDims:
    """`dim` or `axis`, of which there must be one: TypeError otherwise."""
    if axis is not None:
        dim = axis_for(dim, axis, operation)
    if dim is None:
        raise named(
            InvalidTypeError(f"{operation}: expected dim to be an integer; got none; dim=-1 is the last dimension")
        )
    return dim


def geometry(find: Callable[..., Found]) -> Callable[..., Found]:
    """Cache `find(name, operands, *arguments)`, which gets the shape and dtype of each operand, a pair.

    The decorated function takes the operands themselves. `name` is the operation's, for errors. Lists among the
    arguments count as tuples. `find` refuses tensors among the arguments: their values may change.
    """
    known = lru_cache(maxsize=1024, typed=True)(find)

    def found(name: str, operands: tuple[Tensor, ...], *arguments: Any) -> Found:
        try:
            return known(name, tuple(map(described, operands)), *arguments)
        except (AttributeError, TypeError):
            pass  # no tensor, a wrapped one, or an argument that is not hashable; or what `find` raised, and will again
        layouts = [layout_of_tensor(as_tensor(name, one)) for one in operands]
        pairs = tuple([(layout.shape, layout.dtype) for layout in layouts])
        return known(name, pairs, *[hashable(one) for one in arguments])

    return found
