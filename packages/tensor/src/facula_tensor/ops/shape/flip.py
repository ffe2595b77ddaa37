"""Rearrangement of elements along dimensions: `flip`, `roll`, `rot90` and related functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidIndexError
from facula_storage import contiguous

from ..._core.sizes import sizes
from ..._core.tensor import Tensor, check_dim, layout_of_tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._core.types import Lengths
    from ..._dispatch.kinds import Each, Integer, Sizes, SizesByName, Steady
    from ..._dispatch.namespaces import Namespace


@operator
class _flip:
    """The elements in reverse order along `dims`, which count from the front."""

    parameters = varying = ("dims",)
    linear = ("input",)
    holomorphic = False

    def outputs(layout, dims):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, dims):
        return F.flip(g, (dims,))


@operator
class _roll:
    """The elements shifted by `shifts`, which are in range, along `dims`, which are distinct."""

    parameters = varying = ("shifts", "dims")
    linear = ("input",)
    holomorphic = False

    def outputs(layout, shifts, dims):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, input_layout, shifts, dims):
        back = tuple([(-by) % (input_layout.shape[dim] or 1) for by, dim in zip(shifts, dims, strict=True)])
        return F.roll(g, (back, dims))


def distinct_dims(operation: str, dims: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """Return dimensions of `ndim`, counted from the front.

    Raises:
        ValueError: if a dimension occurs twice; the message names `operation`.
    """
    found = tuple([check_dim(operation, dim, ndim) for dim in dims])
    if len(set(found)) != len(found):
        raise ArgumentError(f"{operation}: expected dims to name each dimension once; got {dims} of {ndim}")
    return found


@function(method=True)
def flip(F: Namespace, input: Steady, *order: Each, dims: SizesByName = None) -> Tensor:
    """Return a copy with the elements along `dims` in reverse order.

    Arguments:
        order: the dimensions, as several arguments or one sequence.
        dims: the dimensions, as a keyword argument.

    >>> from facula_tensor import arange
    >>> flip(arange(6).view(2, 3), (0, 1))
    tensor([[5, 4, 3],
            [2, 1, 0]])
    """
    ndim = len(layout_of_tensor(input).shape)
    return F.flip(input, (distinct_dims("flip", order, ndim) if ndim else (),))


@function(method=True)
def fliplr(F: Namespace, input: Steady) -> Tensor:
    """Return a copy with the columns (the second dimension) in reverse order.

    >>> from facula_tensor import arange
    >>> fliplr(arange(6).view(2, 3))
    tensor([[2, 1, 0],
            [5, 4, 3]])
    """
    if input.ndim < 2:
        raise ArgumentError(f"fliplr: expected at least 2 dimensions; got shape {tuple(input.shape)}; use flip(0)")
    return F.flip(input, ((1,),))


@function(method=True)
def flipud(F: Namespace, input: Steady) -> Tensor:
    """Return a copy with the rows (the first dimension) in reverse order.

    >>> from facula_tensor import arange
    >>> flipud(arange(3))
    tensor([2, 1, 0])
    """
    if not input.ndim:
        raise ArgumentError("flipud: expected at least 1 dimension; got a number")
    return F.flip(input, ((0,),))


@function(method=True)
def rot90(F: Namespace, input: Steady, k: Integer = 1, dims: Sizes = (0, 1)) -> Tensor:
    """Return a copy rotated by multiples of 90 degrees in the plane of two dimensions, from the first to the second.

    Arguments:
        input: a tensor of at least 2 dimensions.
        k: the number of quarter turns.
        dims: the two dimensions.

    >>> from facula_tensor import arange
    >>> rot90(arange(4).view(2, 2))
    tensor([[1, 3],
            [0, 2]])
    """
    ndim = input.ndim
    if len(dims) != 2 or ndim < 2:
        raise ArgumentError(f"rot90: expected two dims of a tensor of at least 2; got dims {dims} of {ndim}")
    first, second = distinct_dims("rot90", dims, ndim)
    k %= 4
    if k == 2:
        return F.flip(input, ((first, second),))
    if k == 1:
        return F.transpose(F.flip(input, ((second,),)), first, second)
    if k == 3:
        return F.flip(F.transpose(input, first, second), ((second,),))
    return F.clone(input)


@function(method=True)
def roll(F: Namespace, input: Steady, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a copy with elements shifted along dimensions; elements shifted beyond the end reappear at the front.

    Arguments:
        shifts: the number of positions: one integer, or one for each dimension.
        dims: the dimensions; None shifts the flattened tensor.

    Raises:
        ValueError: if the number of shifts differs from the number of dimensions.

    >>> from facula_tensor import arange
    >>> roll(arange(4), 1)
    tensor([3, 0, 1, 2])
    """
    if type(shifts) is int and type(dims) is int:  # without the calls that check other arguments
        lengths = layout_of_tensor(input).shape
        if -len(lengths) <= dims < len(lengths):
            return F.roll(input, ((shifts % (lengths[dims] or 1),), (dims % len(lengths),)))
    shape = tuple(input.shape)
    by = sizes("roll", (), shifts if isinstance(shifts, (tuple, list)) else (shifts,), "shifts")
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        if len(by) != 1:
            raise ArgumentError(f"roll: expected one shift if dims are omitted; got {by}")
        flat = F.reshape(input, (-1,)) if input.numel() else F.reshape(input, (0,))
        return F.reshape(_rolled(flat, by, (0,)), shape)
    along = sizes("roll", (), dims if isinstance(dims, (tuple, list)) else (dims,), "dims")
    if len(along) != len(by):
        raise ArgumentError(f"roll: expected as many shifts as dims; got shifts {by} and dims {along}")
    found = tuple([check_dim("roll", dim, len(shape)) for dim in along])
    if not shape:
        raise InvalidIndexError(f"roll: expected a tensor with dimensions; got dims {along} of a number")
    return _rolled(input, by, found)


def _rolled(input: Tensor, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Tensor:
    """Return `roll` along dimensions counted from the front; a dimension may occur several times."""
    shape, total = layout_of_tensor(input).shape, dict.fromkeys(dims, 0)
    for by, dim in zip(shifts, dims, strict=True):
        total[dim] = (total[dim] + by) % (shape[dim] or 1)
    return recorded_ops.roll(input, (tuple(total.values()), tuple(total)))
