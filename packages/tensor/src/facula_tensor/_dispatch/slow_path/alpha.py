"""`add` and `sub` with `alpha`: input + alpha * other in one pass, in the dtype of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import DTypeError, InvalidTypeError, RangeError
from facula_storage import Layout, bool_, float32, float64
from facula_storage.extend.layouts import BOOL, FLOATING, INTEGER
from facula_storage.extend.recording import current_recorder, recorders

from ..._core.errors import named, relabel
from ..._core.promotion import SCALAR_CATEGORY, check_scalar, element, plain_number, result_type
from ..._core.tensor import Tensor, layout_of_tensor
from ..namespaces import no_record_ops, operators, recorded_ops
from ..overrides import call_torch_function, overridden
from .operands import coerce, describe
from .slow_call import slow_call

if TYPE_CHECKING:
    from facula_storage import DType

    from ..._core.types import Operand, Scalar
    from ..operator import Operator

LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}


def with_alpha(op: Operator, input: Operand, other: Operand, alpha: Any, out: Tensor | None) -> Tensor:
    """Return the result of `op`, add or sub, with a factor of its second operand."""
    # a value that every floating dtype represents
    if op.scaled and type(alpha) in (float, int) and -65504 <= alpha <= 65504:
        layout = getattr(other, "_layout", None)
        if type(layout) is Layout and layout.dtype.category == FLOATING and out is None:
            if layout is getattr(input, "_layout", None):
                return recorded_ops.add_scaled(input, other, alpha * op.scaled)
            if type(input) in (float, int) and layout.dtype.itemsize >= 4:  # half precision would round twice
                return getattr(recorded_ops, op.name)(input, recorded_ops.mul(other, alpha))  # type: ignore[no-any-return]
    if overridden((input, other)):
        kwargs = {"alpha": alpha} if out is None else {"alpha": alpha, "out": out}
        return call_torch_function(op.name, op.public, (input, other), kwargs)
    ready = coerce(op, (input, other))
    if ready is NotImplemented:
        raise InvalidTypeError(
            f"{op.name}: cannot use {type(input).__name__} with {type(other).__name__}; pass tensors or numbers"
        )
    if op.validate_values is not None:
        try:
            op.validate_values(*ready)
        except DTypeError as error:
            relabel(error, op.name)
            raise
    input, other = ready
    factor = factor_of(op, input, other, alpha)
    return slow_call(operators["add_scaled"], (input, other, factor), (), True, out)


def factor_of(op: Operator, input: Operand, other: Operand, alpha: Scalar | Tensor) -> Scalar | Tensor:
    """Return the factor of the second operand: `alpha`, negated for sub.

    `alpha` is a Python or NumPy number, or a zero-dimensional tensor that requires no gradient. TypeError for
    other values and for a higher category than the result's; OverflowError if the result's dtype cannot
    represent it. During capture, a tensor's factor stays a tensor, whose element replays read.
    """
    if not op.scaled:
        raise InvalidTypeError(f"{op.name}: takes no alpha; multiply the operand instead")
    if isinstance(alpha, Tensor) and recorders and current_recorder() is not None:
        read = _factor_read(op, result_type(input, other), alpha)
        if read is not None:
            return read
    factor = plain_number(element(alpha, op.name, "alpha"))
    if factor is None:
        error: Exception = InvalidTypeError(
            f"{op.name}: expected alpha to be a number; got {describe(alpha)}; for a tensor, multiply the operand"
        )
        raise named(error)
    dtype = result_type(input, other)
    category = SCALAR_CATEGORY[type(factor)]
    if category > max(dtype.category, INTEGER) or (category == BOOL and dtype is not bool_):
        error = DTypeError(
            f"{op.name}: expected an alpha of the kind of the result, {dtype.name}; got {describe(factor)}; "
            "convert an operand, or alpha"
        )
        raise named(error)
    if dtype is bool_:
        return bool(factor)
    _check_alpha_range(op.name, factor, dtype)
    if dtype.category == INTEGER and isinstance(factor, int):
        return _wrapped(factor * op.scaled, dtype)
    return factor * op.scaled


def _factor_read(op: Operator, dtype: DType, alpha: Tensor) -> Tensor | None:
    """Return the factor as a tensor of the result's dtype if that equals the number that `item` would return;
    otherwise None."""
    if alpha.ndim or alpha.node is not None or dtype not in (float32, float64):
        return None
    if alpha.dtype is not dtype and alpha.dtype.category != INTEGER:
        return None
    factor = no_record_ops.to(no_record_ops.to(alpha, (float64,)), (dtype,))
    return factor if op.scaled == 1 else no_record_ops.neg(factor)


def _check_alpha_range(operation: str, factor: Any, dtype: DType) -> None:
    """Raise OverflowError if `dtype` cannot represent a finite `factor`. Negative factors wrap in unsigned dtypes."""
    if dtype.category == INTEGER:
        check_scalar(factor if dtype.is_signed else abs(factor), dtype, f"{operation}: alpha")
    elif dtype.category == FLOATING and dtype.name in LARGEST:
        size = abs(factor)
        if LARGEST[dtype.name] < size < float("inf"):
            error = f"{operation}: alpha {factor} does not fit the result's {dtype.name}; use a wider dtype"
            raise named(RangeError(error))


def _wrapped(factor: int, dtype: DType) -> int:
    """Return an integer in the dtype's two's complement representation."""
    span = 1 << dtype.itemsize * 8
    low = span >> 1 if dtype.is_signed else 0
    return (factor + low) % span - low


def plan_scaled_add(op: Operator, target: Tensor) -> None:
    """Register the fused multiply-add kernel for the fast path of floating tensors."""
    if not op.scaled or not isinstance(target, Tensor):
        return
    layout = layout_of_tensor(target)
    if layout.dtype.category == FLOATING and layout.is_contiguous and op.scaled_table.dense[layout.dense] is None:
        plan = layout.device.backend.plan("add_scaled", (layout, layout, float), (layout,), ())
        op.scaled_table.add_dense(op.scaled_table.dense, layout.dense, plan)
