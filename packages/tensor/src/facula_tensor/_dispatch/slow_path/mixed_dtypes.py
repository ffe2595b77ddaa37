"""The quick call of an elementwise operator on two tensors of different dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_storage import DType, Layout, bfloat16, float16
from facula_storage.extend.recording import recorders

from ..._core.promotion import join, promote_types
from ..namespaces import no_record_ops, recorded_ops

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..operator import Operator

Kind = tuple[DType, bool]  # a dtype, and whether there are dimensions
_common: dict[tuple[Kind, Kind], DType] = {}


def with_mixed_dtypes(op: Operator, input: Any, other: Any, record: bool) -> Tensor | None:
    """Convert the operands to the dtype that the operator computes in, and call it; None if the slow path must."""
    try:
        la, lb = input._layout, other._layout
        if type(la) is not Layout or type(lb) is not Layout or la.dtype is lb.dtype or la.device is not lb.device:
            return None
    except AttributeError:
        return None
    if active_modes or recorders or not op.elementwise or op.mask_operands or op.validate_values or op.decompose:
        return None
    kinds = (la.dtype, bool(la.shape)), (lb.dtype, bool(lb.shape))
    joined = _common.get(kinds)
    if joined is None:
        joined = _common.setdefault(kinds, _joined(*kinds))
    dtype = op.compute_dtype(joined)
    if dtype in (float16, bfloat16) or (op.accepts is not None and not op.accepts(dtype)):
        return None
    F = recorded_ops if record else no_record_ops
    a = input if la.dtype is dtype else F.to(input, (dtype,))
    b = other if lb.dtype is dtype else F.to(other, (dtype,))
    return (op.library_call if record else op.no_record)(a, b)  # type: ignore[no-any-return]


def _joined(a: Kind, b: Kind) -> DType:
    """Return the dtype to which two operands promote."""
    if a[1] == b[1]:
        dtype = promote_types(a[0], b[0])
        return join(dtype, None, None) if a[1] else join(None, dtype, None)
    (dimensioned, _), (zero_dim, _) = (a, b) if a[1] else (b, a)
    return join(dimensioned, zero_dim, None)
