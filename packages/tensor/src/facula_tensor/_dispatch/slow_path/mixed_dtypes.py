"""Calls that the fast path of two operands missed, among them those of tensors of different dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_errors import FaculaError
from facula_storage import DType, Layout, bfloat16, float16
from facula_storage.extend.recording import recorders

from ..._core.promotion import result_type
from ..namespaces import no_record_ops, recorded_ops
from .slow_call import slow_call

if TYPE_CHECKING:
    from ..operator import Operator

Kind = tuple[DType, bool]  # a dtype, and whether there are dimensions
_common: dict[tuple[Kind, Kind], DType] = {}


def call_with_two(op: Operator, input: Any, other: Any, record: bool) -> Any:
    """Call an operator that its fast path could not compute: again, with operands of one dtype, if they are tensors of
    different dtypes; otherwise on the slow path.
    """
    dtype = None if active_modes or recorders else _common_dtype(op, input, other)
    if dtype is None:
        return slow_call(op, (input, other), (), record)
    F = recorded_ops if record else no_record_ops
    a = input if input._layout.dtype is dtype else F.to(input, (dtype,))
    b = other if other._layout.dtype is dtype else F.to(other, (dtype,))
    return (op.library_call if record else op.no_record)(a, b)


def _common_dtype(op: Operator, input: Any, other: Any) -> DType | None:
    """Return the dtype in which `op` computes two tensors of different ones; None if the slow path must decide."""
    try:
        la, lb = input._layout, other._layout
        if type(la) is not Layout or type(lb) is not Layout or la.dtype is lb.dtype or la.device is not lb.device:
            return None
        if not op.elementwise or op.mask_operands or op.decompose:
            return None
        if op.validate_values is not None:
            op.validate_values(input, other)
    except (AttributeError, FaculaError):
        return None
    kinds = (la.dtype, bool(la.shape)), (lb.dtype, bool(lb.shape))
    joined = _common.get(kinds)
    if joined is None:
        joined = _common.setdefault(kinds, result_type(input, other))
    dtype = op.compute_dtype(joined)
    is_known = dtype not in (float16, bfloat16) and (op.accepts is None or op.accepts(dtype))
    return dtype if is_known else None
