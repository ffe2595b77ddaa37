"""Comparisons: results are bool and have no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import DType, Layout, bool_

from ..._core.tensor import Tensor, method
from ..._dispatch.declaration import elementwise, operator
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.slow_path.snapshots import snapshots_of
from ..memory.assignment import assign_inplace
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.types import Function, Operand


def boolean(dtype: DType) -> DType:
    """The dtype of an answer."""
    return bool_


def tensor_first(input: Layout | type, other: Layout | type) -> None:
    """Raise a TypeError where the first operand is a number: Python turns `2 < x` round by itself.

    Operands are given by layout, or by type where they are numbers.
    """
    if not isinstance(input, Layout):
        raise InvalidTypeError(
            f"comparison: expected 'input' to be a Tensor; got a number, {input.__name__}; exchange the operands"
        )


@elementwise
class eq:
    """Whether each pair of elements is equal; False where either is NaN.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) == 2
    tensor([False,  True])
    """

    inputs = ("input", "other")
    dunders = ("__eq__",)
    result_dtype = boolean
    validate_layouts = tensor_first


@elementwise
class ne:
    """Whether each pair of elements differs; True where either is NaN.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) != 2
    tensor([ True, False])
    """

    inputs = ("input", "other")
    dunders = ("__ne__",)
    result_dtype = boolean
    validate_layouts = tensor_first


@elementwise
class lt:
    """Whether each element of `input` is less than the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) < 2
    tensor([ True, False])
    """

    inputs = ("input", "other")
    dunders = ("__lt__",)
    result_dtype = boolean
    validate_layouts = tensor_first
    accepts = is_real


@elementwise
class le:
    """Whether each element of `input` is less than or equal to the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 3]) <= 2
    tensor([ True, False])
    """

    inputs = ("input", "other")
    dunders = ("__le__",)
    result_dtype = boolean
    validate_layouts = tensor_first
    accepts = is_real


@elementwise
class gt:
    """Whether each element of `input` is greater than the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 3]) > 2
    tensor([False,  True])
    """

    inputs = ("input", "other")
    dunders = ("__gt__",)
    result_dtype = boolean
    validate_layouts = tensor_first
    accepts = is_real


@elementwise
class ge:
    """Whether each element of `input` is greater than or equal to the other's.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) >= 2
    tensor([False,  True])
    """

    inputs = ("input", "other")
    dunders = ("__ge__",)
    result_dtype = boolean
    validate_layouts = tensor_first
    accepts = is_real


@operator
class _answering:
    """`input`, the answers of a comparison, as a function of `other` with gradient 0."""

    inputs = ("input", "other")
    holomorphic = False
    batching = "first"
    broadcasts = True

    def outputs(layout, other):
        return layout

    def execute(operands, parameters):
        return [no_record_ops.clone(operands[0])]

    def vjp_other(F, g):
        return F.zeros_like(g)


def declare_inplace(function: Function) -> None:
    """Add the in-place method of a comparison, which stores the answers in the tensor: `eq_` for `eq`.

    The other operand gets a gradient, of zeros, as PyTorch gives it.
    """
    name = function.__name__ + "_"

    def storing(self: Tensor, other: Operand) -> Tensor:
        answers = function(self, other)
        if isinstance(other, Tensor) and other.node is not None and self.is_floating_point():
            answers = recorded_ops.answering(no_record_ops.to(answers, (self.dtype,)), *snapshots_of((other,), True))
        return assign_inplace(name, self, answers)

    changing = boundary(storing)
    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"`{function.__name__}` in place: 1 and 0 in this tensor's dtype. Returns this tensor."
    method(name)(changing)


for _function in (eq, ne, lt, le, gt, ge):
    declare_inplace(_function)
