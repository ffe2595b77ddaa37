"""Questions with a yes or no for each element, and how such answers combine. Results are bool and have no gradient."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from facula_storage import bool_
from facula_storage.extend import COMPLEX, FLOATING

from .._core.tensor import Tensor
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import no_record_ops
from .._dispatch.written import function
from .comparison import boolean, in_place

if TYPE_CHECKING:
    from .._core.types import Function
    from .._dispatch.kinds import Checked

__all__ = ["isfinite", "isinf", "isnan", "logical_and", "logical_not", "logical_or", "logical_xor"]


@elementwise
class isnan:
    """Whether each element is NaN; for complex ones, whether a part is.

    >>> from facula_tensor import tensor
    >>> isnan(tensor([1.0, float("nan")]))
    tensor([False,  True])
    """

    result_dtype = boolean
    inplace = False

    def decompose(F, operands, parameters):
        (x,) = operands
        return F.ne(x, x) if x.dtype.category < FLOATING else None


@function(method=True, out=True)
def isinf(input: Checked) -> Tensor:
    """Whether each element is infinite; for complex ones, whether a part is.

    >>> from facula_tensor import tensor
    >>> isinf(tensor([1.0, float("-inf")]))
    tensor([False,  True])
    """
    x = input.detach()
    if x.dtype.category == COMPLEX:
        return no_record_ops.add(isinf(no_record_ops.real_view(x)), isinf(no_record_ops.imag_view(x)))
    if x.dtype.category == FLOATING:
        return no_record_ops.eq(no_record_ops.abs(x), float("inf"))
    return no_record_ops.ne(x, x)


@function(method=True, out=True)
def isfinite(input: Checked) -> Tensor:
    """Whether each element is neither infinite nor NaN.

    >>> from facula_tensor import tensor
    >>> isfinite(tensor([1.0, float("inf"), float("nan")]))
    tensor([ True, False, False])
    """
    x = input.detach()
    return no_record_ops.eq(no_record_ops.add(isinf(x), no_record_ops.isnan(x)), False)


def _truth(value: Tensor) -> Tensor:
    """A tensor as bool, without its graph."""
    value = value.detach()
    return value if value.dtype is bool_ else no_record_ops.ne(value, 0)


def _combined(combine: Function, input: Tensor, other: Tensor) -> Tensor:
    """Two tensors as bool, combined."""
    result: Tensor = combine(_truth(input), _truth(other))
    return result


@function(method=True, out=True, instead=partial(_combined, no_record_ops.mul))
def logical_and(input: Checked, other: Checked) -> None:
    """Whether both elements of each pair are nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.

    >>> from facula_tensor import tensor
    >>> logical_and(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([False, False,  True])
    """


@function(method=True, out=True, instead=partial(_combined, no_record_ops.add))
def logical_or(input: Checked, other: Checked) -> None:
    """Whether an element of each pair is nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.

    >>> from facula_tensor import tensor
    >>> logical_or(tensor([0, 1, 0]), tensor([1, 0, 0]))
    tensor([ True,  True, False])
    """


@function(method=True, out=True, instead=partial(_combined, no_record_ops.ne))
def logical_xor(input: Checked, other: Checked) -> None:
    """Whether just one element of each pair is nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.

    >>> from facula_tensor import tensor
    >>> logical_xor(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([ True,  True, False])
    """


@function(method=True, out=True)
def logical_not(input: Checked) -> Tensor:
    """Whether each element is zero.

    >>> from facula_tensor import tensor
    >>> logical_not(tensor([0, 1, 2]))
    tensor([ True, False, False])
    """
    x = input.detach()
    return no_record_ops.eq(x, False if x.dtype is bool_ else 0)


for _function in (logical_and, logical_or, logical_xor):
    in_place(_function)
in_place(logical_not, alone=True)
