"""The public functions of `ops/shape/flip.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Lengths

bodies = bodies_of("ops.shape.flip")


@overridable
@method()
def flip(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a copy with the elements along `dims` in reverse order.

    Arguments:
        input: the tensor.
        order: the dimensions, as several arguments or one sequence.
        dims: the dimensions, as a keyword argument.

    >>> from facula_tensor import arange
    >>> flip(arange(6).view(2, 3), (0, 1))
    tensor([[5, 4, 3],
            [2, 1, 0]])
    """
    try:
        order = as_sizes("flip", order, dims, "dims")
        input = steady_tensor("flip", input)
        return bodies.flip(ops, input, *order)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def fliplr(input: Tensor) -> Tensor:
    """Return a copy with the columns (the second dimension) in reverse order.

    >>> from facula_tensor import arange
    >>> fliplr(arange(6).view(2, 3))
    tensor([[2, 1, 0],
            [5, 4, 3]])
    """
    try:
        input = steady_tensor("fliplr", input)
        return bodies.fliplr(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def flipud(input: Tensor) -> Tensor:
    """Return a copy with the rows (the first dimension) in reverse order.

    >>> from facula_tensor import arange
    >>> flipud(arange(3))
    tensor([2, 1, 0])
    """
    try:
        input = steady_tensor("flipud", input)
        return bodies.flipud(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def rot90(input: Tensor, k: int = 1, dims: Lengths = (0, 1)) -> Tensor:
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
    try:
        input = steady_tensor("rot90", input)
        if type(k) is not int:
            k = as_integer(k, "rot90", "k")
        dims = as_sizes("rot90", (dims,))
        return bodies.rot90(ops, input, k, dims)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def roll(input: Tensor, shifts: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a copy with elements shifted along dimensions; elements shifted beyond the end reappear at the front.

    Arguments:
        input: the tensor.
        shifts: the number of positions: one integer, or one for each dimension.
        dims: the dimensions; None shifts the flattened tensor.

    Raises:
        ValueError: if the number of shifts differs from the number of dimensions.

    >>> from facula_tensor import arange
    >>> roll(arange(4), 1)
    tensor([3, 0, 1, 2])
    """
    try:
        input = steady_tensor("roll", input)
        return bodies.roll(ops, input, shifts, dims)
    except FaculaError as error:
        trim_traceback(error)
        raise
