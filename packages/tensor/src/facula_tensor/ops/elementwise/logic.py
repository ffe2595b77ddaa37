"""Elementwise predicates and logical operators. Results are bool and have no gradient."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import bool_
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.tensor import Tensor
from ..._creation.filled import zeros_like
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.written import function
from .comparison import boolean

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked


@elementwise
class isnan:
    """Return True for each element that is NaN, or, for complex dtypes, has a NaN part.

    >>> from facula_tensor import tensor
    >>> isnan(tensor([1.0, float("nan")]))
    tensor([False,  True])
    """

    result_dtype = boolean
    inplace = False

    def decompose(F, operands, parameters):
        (x,) = operands
        return F.ne(x, x) if x.dtype.category < FLOATING else None


def infinite(x: Tensor) -> Tensor:
    """Return `isinf` of a detached tensor."""
    category = x.dtype.category
    if category == COMPLEX:
        return no_record_ops.add(infinite(no_record_ops.real_view(x)), infinite(no_record_ops.imag_view(x)))
    return no_record_ops.eq(no_record_ops.abs(x), float("inf")) if category == FLOATING else no_record_ops.ne(x, x)


def as_bool(value: Tensor) -> Tensor:
    """Return a tensor as bool, detached."""
    value = value.detach()
    return value if value.dtype is bool_ else no_record_ops.ne(value, 0)


@function(method=True, out=True, inline=True)
def isinf(input: Checked) -> Tensor:
    """Return True for each element that is infinite, or, for complex dtypes, has an infinite part.

    >>> from facula_tensor import tensor
    >>> isinf(tensor([1.0, float("-inf")]))
    tensor([False,  True])
    """
    return infinite(input.detach())


def _infinite(name: str, infinity: float, input: Tensor) -> Tensor:
    """Return True for each element that equals this infinity."""
    x = input.detach()
    if x.dtype.category == COMPLEX:
        raise DTypeError(f"{name}: not defined for {x.dtype.name}; take real or imag first")
    return no_record_ops.eq(x, infinity) if x.is_floating_point() else zeros_like(x, dtype=bool_)


@function(method=True, out=True, instead=partial(_infinite, "isneginf", float("-inf")))
def isneginf(input: Checked) -> None:
    """Return True for each element that is negative infinity. False for integers."""


@function(method=True, out=True, instead=partial(_infinite, "isposinf", float("inf")))
def isposinf(input: Checked) -> None:
    """Return True for each element that is positive infinity. False for integers."""


@function(method=True, out=True, inline=True)
def isfinite(input: Checked) -> Tensor:
    """Return True for each element that is neither infinite nor NaN.

    >>> from facula_tensor import tensor
    >>> isfinite(tensor([1.0, float("inf"), float("nan")]))
    tensor([ True, False, False])
    """
    x = input.detach()
    return no_record_ops.eq(no_record_ops.add(infinite(x), no_record_ops.isnan(x)), False)


@function(method=True, changes=True, out=True, inline=True)
def logical_and(input: Checked, other: Checked) -> Tensor:
    """Return True for each pair in which both elements are nonzero.

    >>> from facula_tensor import tensor
    >>> logical_and(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([False, False,  True])
    """
    return no_record_ops.mul(as_bool(input), as_bool(other))


@function(method=True, changes=True, out=True, inline=True)
def logical_or(input: Checked, other: Checked) -> Tensor:
    """Return True for each pair in which at least one element is nonzero.

    >>> from facula_tensor import tensor
    >>> logical_or(tensor([0, 1, 0]), tensor([1, 0, 0]))
    tensor([ True,  True, False])
    """
    return no_record_ops.add(as_bool(input), as_bool(other))


@function(method=True, changes=True, out=True, inline=True)
def logical_xor(input: Checked, other: Checked) -> Tensor:
    """Return True for each pair in which exactly one element is nonzero.

    >>> from facula_tensor import tensor
    >>> logical_xor(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([ True,  True, False])
    """
    return no_record_ops.ne(as_bool(input), as_bool(other))


@function(method=True, changes=True, out=True, inline=True)
def logical_not(input: Checked) -> Tensor:
    """Return True for each element that is zero.

    >>> from facula_tensor import tensor
    >>> logical_not(tensor([0, 1, 2]))
    tensor([ True, False, False])
    """
    return no_record_ops.eq(input.detach(), False if input.dtype is bool_ else 0)
