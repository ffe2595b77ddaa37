"""The quick call of an operator on a tensor and a Python number of which one is complex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_errors import UnsupportedError
from facula_storage import Layout, complex64, complex128, contiguous, float32, float64
from facula_storage.extend.plans import Instruction, Program
from facula_storage.extend.recording import recorders

from ..._core.allocation import fresh
from ..expressions.gradients import kernel_of
from ..namespaces import recorded_ops
from .launching import MISSED
from .nodes import node_for
from .snapshots import snapshots_of

if TYPE_CHECKING:
    from facula_storage import Plan

    from ..._core.tensor import Tensor
    from ..operator import Operator

COMPLEX_OF = {float32: complex64, float64: complex128}


def with_complex(op: Operator, input: Any, other: Any, record: bool) -> Tensor | None:
    """Return the result for a tensor and a number, or None if the slow path must compute it."""
    is_first = type(input) is complex
    tensor, number = (other, input) if is_first else (input, other)
    try:
        if active_modes or recorders or type(tensor._layout) is not Layout:
            return None
        record = record and op.recorded and tensor.node is not None
        if record:
            if tensor._layout.dtype in COMPLEX_OF and tensor._layout.shape:
                tensor = recorded_ops.to(tensor, (COMPLEX_OF[tensor._layout.dtype],))
            (tensor,) = snapshots_of((tensor,), record)
        layout, storage, offset = tensor._layout, tensor._storage, tensor._offset
        layouts = (complex, layout) if is_first else (layout, complex)
        plan = op.slow_table.by_key.get((layouts, ())) or _plan_for_real(op, layout, is_first)
        result = fresh(plan.outputs[0])  # type: ignore[union-attr]  # None is a miss
        plan.launch(result._layout.numel, storage.ptr + offset, result._storage.ptr, number.real, number.imag)  # type: ignore[union-attr]
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
        return None
    if record:
        node_for(op, (number, tensor) if is_first else (tensor, number), layouts, (), [result])
    return result


def _plan_for_real(op: Operator, layout: Layout, is_first: bool) -> Plan | None:
    """Return the plan of a real tensor and a complex number, which converts elements, if there is one for their
    complex dtype."""
    if type(layout) is not Layout or not layout.is_contiguous or not layout.shape:
        return None
    converted = contiguous(layout.shape, COMPLEX_OF[layout.dtype], layout.device)
    known = op.slow_table.by_key[(complex, converted) if is_first else (converted, complex), ()]
    kernel = kernel_of(op)
    if not isinstance(kernel, str) or known.outputs[0].dtype is not converted.dtype:
        return None
    layouts = (complex, layout) if is_first else (layout, complex)
    program = Program(kernel, 2, (), (Instruction(kernel, (0, 1)),), (2,))
    try:
        return op.slow_table.add((layouts, ()), layout.device.backend.plan(program, layouts, known.outputs, ()))
    except UnsupportedError:
        return None
