"""Comparisons: their results are bool and have no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import DType, Layout, bool_

from ..._core.tensor import Tensor, method
from ..._dispatch.declaration import elementwise, operator, under
from ..._dispatch.namespaces import no_record_ops, recorded_ops, zero_grad
from ..._dispatch.slow_path.snapshots import snapshots_of
from ..memory.assignment import assign_inplace
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.types import Function, Operand


def boolean(dtype: DType) -> DType:
    """Return bool, the dtype of a comparison's result."""
    return bool_


def tensor_first(input: Layout | type, other: Layout | type) -> None:
    """Raise a TypeError if the first operand is a number: Python itself exchanges the operands of `2 < x`.

    Operands are given as layouts, or as types for numbers.
    """
    if not isinstance(input, Layout):
        raise InvalidTypeError(
            f"comparison: expected 'input' to be a Tensor; got a number, {input.__name__}; exchange the operands"
        )


@operator
class _answering:
    """`input`, the result of a comparison, as a function of `other` with zero gradient."""

    inputs = ("input", "other")
    holomorphic = False
    batching = "first"
    broadcasts = True

    def outputs(layout, other):
        return layout

    def execute(operands, parameters):
        return [no_record_ops.clone(operands[0])]

    vjp_other = zero_grad


def declare_inplace(function: Function) -> None:
    """Add the in-place method of a comparison, `eq_` for `eq`, which stores the result in the tensor.

    The other operand receives a gradient of zeros, as in PyTorch.
    """
    name = function.__name__ + "_"

    def storing(self: Tensor, other: Operand) -> Tensor:
        answers = function(self, other)
        if isinstance(other, Tensor) and other.node is not None and self.is_floating_point():
            answers = recorded_ops.answering(no_record_ops.to(answers, (self.dtype,)), *snapshots_of((other,), True))
        return assign_inplace(name, self, answers)

    changing = boundary(storing)
    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"Store the result of `{function.__name__}` in this tensor, as 1 and 0, and return it."
    method(name)(changing)


def comparison(name: str, symbol: str, pairs: str, operand: str, answers: str, *, ordered: bool = True) -> Function:
    """Declare a comparison and its in-place method. `pairs` says for which elements it is True."""

    @elementwise
    @under(
        name,
        f"""Return True for each {pairs}.

    >>> from facula_tensor import tensor
    >>> tensor({operand}) {symbol} 2
    tensor({answers})
    """,
    )
    class body:
        inputs = ("input", "other")
        dunders = (f"__{name}__",)
        result_dtype = boolean
        validate_layouts = tensor_first
        accepts = is_real if ordered else None

    declare_inplace(body)
    return body


SAME, MORE = "pair of {} elements; {} if either is NaN", "element of `input` that is {} that of `other`"
eq = comparison("eq", "==", SAME.format("equal", False), "[1, 2]", "[False,  True]", ordered=False)
ne = comparison("ne", "!=", SAME.format("unequal", True), "[1, 2]", "[ True, False]", ordered=False)
lt = comparison("lt", "<", MORE.format("less than"), "[1, 2]", "[ True, False]")
le = comparison("le", "<=", MORE.format("less than or equal to"), "[1, 3]", "[ True, False]")
gt = comparison("gt", ">", MORE.format("greater than"), "[1, 3]", "[False,  True]")
ge = comparison("ge", ">=", MORE.format("greater than or equal to"), "[1, 2]", "[False,  True]")
