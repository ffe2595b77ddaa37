"""Questions with a yes or no for each element, and how such answers combine. Results are bool and have no gradient."""

from __future__ import annotations

from facula_errors.extend import boundary
from facula_storage import bool_
from facula_storage.extend import COMPLEX, FLOATING

from .._core.tensor import Tensor, method
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import no_record_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .comparison import boolean, in_place

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


@overridable
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
        answer = no_record_ops.add(isinf(no_record_ops.real_view(x)), isinf(no_record_ops.imag_view(x)))
    elif x.dtype.category == FLOATING:
        answer = no_record_ops.eq(no_record_ops.abs(x), float("inf"))
    else:
        answer = no_record_ops.ne(x, x)
    return write_out("isinf", answer, out)


@overridable
@method()
@boundary
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN.

    >>> from facula_tensor import tensor
    >>> isfinite(tensor([1.0, float("inf"), float("nan")]))
    tensor([ True, False, False])
    """
    x = as_tensor("isfinite", input).detach()
    return write_out("isfinite", no_record_ops.eq(no_record_ops.add(isinf(x), no_record_ops.isnan(x)), False), out)


def _truth(value: Tensor) -> Tensor:
    """A tensor as bool, without its graph."""
    value = value.detach()
    return value if value.dtype is bool_ else no_record_ops.ne(value, 0)


@overridable
@method()
@boundary
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both elements of each pair are nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logical_and(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([False, False,  True])
    """
    answer = no_record_ops.mul(_truth(as_tensor("logical_and", input)), _truth(as_tensor("logical_and", other)))
    return write_out("logical_and", answer, out)


@overridable
@method()
@boundary
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether an element of each pair is nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logical_or(tensor([0, 1, 0]), tensor([1, 0, 0]))
    tensor([ True,  True, False])
    """
    answer = no_record_ops.add(_truth(as_tensor("logical_or", input)), _truth(as_tensor("logical_or", other)))
    return write_out("logical_or", answer, out)


@overridable
@method()
@boundary
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether just one element of each pair is nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logical_xor(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([ True,  True, False])
    """
    answer = no_record_ops.ne(_truth(as_tensor("logical_xor", input)), _truth(as_tensor("logical_xor", other)))
    return write_out("logical_xor", answer, out)


@overridable
@method()
@boundary
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is zero.

    >>> from facula_tensor import tensor
    >>> logical_not(tensor([0, 1, 2]))
    tensor([ True, False, False])
    """
    x = as_tensor("logical_not", input).detach()
    return write_out("logical_not", no_record_ops.eq(x, False if x.dtype is bool_ else 0), out)


for _function in (logical_and, logical_or, logical_xor):
    in_place(_function)
in_place(logical_not, alone=True)
