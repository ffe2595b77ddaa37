"""Bitwise operators of integers, logical operators of bool: Python's `& | ^ ~ << >>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage.extend import BOOL, INTEGER

from ..._dispatch.declaration import elementwise

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import DType


def integral(operation: str, *, least: int = BOOL) -> Callable[[DType], DType]:
    """Return the `compute_dtype` rule of a bitwise operator: it keeps integer dtypes (and bool) and rejects others.

    Arguments:
        operation: the operator's name, for error messages.
        least: the lowest accepted category of dtypes: BOOL or INTEGER.
    """

    def compute(dtype: DType) -> DType:
        if not least <= dtype.category <= INTEGER:
            kinds = "bool and integer" if least == BOOL else "integer"
            raise DTypeError(
                f"{operation}: defined for {kinds} tensors; got {dtype.name}; compare first, as in (x > 0) & mask, or "
                "convert with .long()"
            )
        return dtype

    return compute


@elementwise
class bitwise_and:
    """Return the bitwise and of each pair of elements; for bool, the logical and.

    >>> from facula_tensor import tensor
    >>> tensor([6, 5]) & 3
    tensor([2, 1])
    """

    inputs = ("input", "other")
    dunders = ("__and__", "__rand__")
    inplace_dunders = ("__iand__",)
    compute_dtype = integral("bitwise_and")
    low_bits = True  # x & -32 clears five bits of an unsigned x, too


@elementwise
class bitwise_or:
    """Return the bitwise or of each pair of elements; for bool, the logical or.

    >>> from facula_tensor import tensor
    >>> tensor([6, 5]) | 1
    tensor([7, 5])
    """

    inputs = ("input", "other")
    dunders = ("__or__", "__ror__")
    inplace_dunders = ("__ior__",)
    compute_dtype = integral("bitwise_or")


@elementwise
class bitwise_xor:
    """Return the bitwise exclusive or of each pair of elements; for bool, the logical exclusive or.

    >>> from facula_tensor import tensor
    >>> tensor([True, False]) ^ tensor([True, True])
    tensor([False,  True])
    """

    inputs = ("input", "other")
    dunders = ("__xor__", "__rxor__")
    inplace_dunders = ("__ixor__",)
    compute_dtype = integral("bitwise_xor")


@elementwise
class bitwise_not:
    """Invert the bits of each element; for bool, return the logical not.

    >>> from facula_tensor import tensor
    >>> ~tensor([True, False])
    tensor([False,  True])
    """

    dunders = ("__invert__",)
    compute_dtype = integral("bitwise_not")


@elementwise
class bitwise_left_shift:
    """Shift the bits of each element to the left: multiply by 2 ** other. Bits beyond the dtype's width are lost.

    Shifts by a negative number, or by at least the dtype's width, return 0.

    >>> from facula_tensor import tensor
    >>> tensor([1, 3]) << 2
    tensor([ 4, 12])
    """

    inputs = ("input", "other")
    dunders = ("__lshift__",)
    reflected = ("__rlshift__",)
    inplace_dunders = ("__ilshift__",)
    compute_dtype = integral("bitwise_left_shift", least=INTEGER)


@elementwise
class bitwise_right_shift:
    """Shift the bits of each element to the right, keeping its sign: divide by 2 ** other and round down.

    Shifts by a negative number, or by at least the dtype's width, return 0, or -1 for negative elements.

    >>> from facula_tensor import tensor
    >>> tensor([9, -9]) >> 1
    tensor([ 4, -5])
    """

    inputs = ("input", "other")
    dunders = ("__rshift__",)
    reflected = ("__rrshift__",)
    inplace_dunders = ("__irshift__",)
    compute_dtype = integral("bitwise_right_shift", least=INTEGER)
