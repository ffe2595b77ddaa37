"""The larger and the smaller of two elements, where a NaN gives way to a number: `fmax` and `fmin`."""

from __future__ import annotations

from ..._dispatch.declaration import elementwise
from ..arithmetic import tensors_only
from ..pointwise import real

__all__ = ["fmax", "fmin"]


@elementwise
class fmax:
    """The larger of each pair of elements; the other one where one of them is NaN. Equal: the first has the gradient.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> fmax(tensor([1.0, float("nan")]), tensor([3.0, 4.0]))
    tensor([3., 4.])
    """

    inputs = ("input", "other")
    accepts = real
    inplace = False

    def validate_layouts(*operands):
        tensors_only("fmax", *operands)

    def vjp_input(F, g, input, other):
        return F.where(F.bitwise_or(F.ge(input, other), F.ne(other, other)), g, 0)

    def vjp_other(F, g, input, other):
        return F.where(F.bitwise_or(F.ge(input, other), F.ne(other, other)), 0, g)


@elementwise
class fmin:
    """The smaller of each pair of elements; the other one where one of them is NaN. Equal: the first has the gradient.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> fmin(tensor([1.0, float("nan")]), tensor([3.0, 4.0]))
    tensor([1., 4.])
    """

    inputs = ("input", "other")
    accepts = real
    inplace = False

    def validate_layouts(*operands):
        tensors_only("fmin", *operands)

    def vjp_input(F, g, input, other):
        return F.where(F.bitwise_or(F.le(input, other), F.ne(other, other)), g, 0)

    def vjp_other(F, g, input, other):
        return F.where(F.bitwise_or(F.le(input, other), F.ne(other, other)), 0, g)
