"""Questions with a yes or no for each element, and how such answers combine. Results are bool and have no gradient."""

from __future__ import annotations

from facula_errors.extend import boundary
from facula_storage import bool_
from facula_storage.extend import COMPLEX, FLOATING

from .._declare import elementwise
from .._operator import raw
from .._overrides import asks
from .._tensor import Tensor, method
from .._viewing import as_tensor
from .comparison import boolean, in_place
from .copying import give

__all__ = ["isfinite", "isinf", "isnan", "logical_and", "logical_not", "logical_or", "logical_xor"]


@elementwise
class isnan:
    """Whether each element is NaN; for complex ones, whether a part is.

    >>> from facula_tensor import tensor
    >>> isnan(tensor([1.0, float("nan")]))
    tensor([False,  True])
    """

    result = boolean
    inplace = False

    def redirect(F, operands, parameters):
        (x,) = operands
        return F.ne(x, x) if x.dtype.category < FLOATING else None


@asks
@method()
@boundary
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is infinite; for complex ones, whether a part is.

    >>> from facula_tensor import tensor
    >>> isinf(tensor([1.0, float("-inf")]))
    tensor([False,  True])
    """
    x = as_tensor("isinf", input).detach()
    if x.dtype.category == COMPLEX:
        answer = raw.add(isinf(raw.real_part(x)), isinf(raw.imaginary_part(x)))
    elif x.dtype.category == FLOATING:
        answer = raw.eq(raw.abs(x), float("inf"))
    else:
        answer = raw.ne(x, x)
    return give("isinf", answer, out)


@asks
@method()
@boundary
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN.

    >>> from facula_tensor import tensor
    >>> isfinite(tensor([1.0, float("inf"), float("nan")]))
    tensor([ True, False, False])
    """
    x = as_tensor("isfinite", input).detach()
    return give("isfinite", raw.eq(raw.add(isinf(x), raw.isnan(x)), False), out)


def _truth(value: Tensor) -> Tensor:
    """A tensor as bool, without its graph."""
    value = value.detach()
    return value if value.dtype is bool_ else raw.ne(value, 0)


@asks
@method()
@boundary
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both elements of each pair are nonzero.

    >>> from facula_tensor import tensor
    >>> logical_and(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([False, False,  True])
    """
    answer = raw.mul(_truth(as_tensor("logical_and", input)), _truth(as_tensor("logical_and", other)))
    return give("logical_and", answer, out)


@asks
@method()
@boundary
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether an element of each pair is nonzero.

    >>> from facula_tensor import tensor
    >>> logical_or(tensor([0, 1, 0]), tensor([1, 0, 0]))
    tensor([ True,  True, False])
    """
    answer = raw.add(_truth(as_tensor("logical_or", input)), _truth(as_tensor("logical_or", other)))
    return give("logical_or", answer, out)


@asks
@method()
@boundary
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether just one element of each pair is nonzero.

    >>> from facula_tensor import tensor
    >>> logical_xor(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([ True,  True, False])
    """
    answer = raw.ne(_truth(as_tensor("logical_xor", input)), _truth(as_tensor("logical_xor", other)))
    return give("logical_xor", answer, out)


@asks
@method()
@boundary
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is zero.

    >>> from facula_tensor import tensor
    >>> logical_not(tensor([0, 1, 2]))
    tensor([ True, False, False])
    """
    return give("logical_not", raw.eq(as_tensor("logical_not", input).detach(), 0), out)


for _function in (logical_and, logical_or, logical_xor):
    in_place(_function)
in_place(logical_not, alone=True)
