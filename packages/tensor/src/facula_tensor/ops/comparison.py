"""Comparisons: results are bool and have no gradient."""

from __future__ import annotations

from facula_storage import DType, bool_
from facula_storage.extend import COMPLEX

from .._declare import elementwise

__all__ = ["eq", "ge", "gt", "le", "lt", "ne"]


def boolean(dtype: DType) -> DType:
    """The dtype of an answer."""
    return bool_


def ordered(dtype: DType) -> bool:
    """Complex numbers have no order."""
    return dtype.category != COMPLEX


@elementwise
class eq:
    """Whether each pair of elements is equal; False where either is NaN.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) == 2
    tensor([False,  True])
    """

    inputs = ("input", "other")
    dunders = ("__eq__",)
    result = boolean


@elementwise
class ne:
    """Whether each pair of elements differs; True where either is NaN.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) != 2
    tensor([ True, False])
    """

    inputs = ("input", "other")
    dunders = ("__ne__",)
    result = boolean


@elementwise
class lt:
    """Whether each element of `input` is less than the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) < 2
    tensor([ True, False])
    """

    inputs = ("input", "other")
    dunders = ("__lt__",)
    result = boolean
    accepts = ordered


@elementwise
class le:
    """Whether each element of `input` is less than or equal to the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 3]) <= 2
    tensor([ True, False])
    """

    inputs = ("input", "other")
    dunders = ("__le__",)
    result = boolean
    accepts = ordered


@elementwise
class gt:
    """Whether each element of `input` is greater than the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 3]) > 2
    tensor([False,  True])
    """

    inputs = ("input", "other")
    dunders = ("__gt__",)
    result = boolean
    accepts = ordered


@elementwise
class ge:
    """Whether each element of `input` is greater than or equal to the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) >= 2
    tensor([False,  True])
    """

    inputs = ("input", "other")
    dunders = ("__ge__",)
    result = boolean
    accepts = ordered
