"""Writes into existing tensors: `out=`, and copies between snapshots."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_errors import OperationError
from facula_errors.extend import known_modules
from facula_storage import Layout

from ..._core.call_sites import user_frame
from ..._core.errors import named
from ..._core.memory import check_out, overlaps_itself
from ..._core.tensor import Tensor, layout_of_tensor
from ..namespaces import no_record_ops, operators
from .launching import MISSED, launch
from .modes import unrecorded
from .operands import elsewhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Plan

    from ..._core.types import Operands
    from ..operator import Operator


def copy_plan(source: Layout, target: Layout) -> Plan:
    """Return the plan that copies one layout into another, casting and broadcasting."""
    op = operators["to"]
    return op.slow_table.by_key.get(((source,), target)) or _new_plan(op, "copy", (source,), target, ())


def known_copy_plan(source: Layout, target: Layout) -> Any:
    """Return the plan of a copy that was made before, or follows from one for other layouts; None if there is none."""
    op = operators["to"]
    plan = op.slow_table.by_key.get(((source,), target))
    if plan is None and type(source) is type(target) is Layout:
        plan = _plan_of_other_layouts(op, (source,), target, ())
    return plan


def _kind(inputs: tuple[Layout, ...], target: Layout, parameters: tuple[object, ...]) -> tuple[object, ...]:
    return ("write", *[(layout.dtype, layout.device) for layout in (target, *inputs)], parameters)


def _plan_of_other_layouts(
    op: Operator, inputs: tuple[Layout, ...], target: Layout, parameters: tuple[object, ...]
) -> Plan | None:
    """Return the plan that follows from one for other layouts, and store it; None if there is none."""
    known = op.slow_table.by_kind.get(_kind(inputs, target, parameters))
    launch = known.for_layouts(target, *inputs) if known is not None and known.for_layouts is not None else None
    if known is None or launch is None:
        return None
    return op.slow_table.add((inputs, target, *parameters), known.with_layouts(inputs, (target,), launch, parameters))


def _new_plan(
    op: Operator, name: str, inputs: tuple[Layout, ...], target: Layout, parameters: tuple[object, ...]
) -> Plan:
    """Make a plan of the kernel `name` that changes `target`, if possible from one for other layouts, and store it."""
    plan = _plan_of_other_layouts(op, inputs, target, parameters)
    if plan is not None:
        return plan
    plan = target.device.backend.plan(name, inputs, (target,), parameters)
    op.slow_table.add_kind(_kind(inputs, target, parameters), plan)
    return op.slow_table.add((inputs, target, *parameters), plan)


def write(target: Tensor, source: Tensor) -> None:
    """Copy elements, casting and broadcasting, between snapshots. Do not check, record or count the change."""
    launch(copy_plan(source._layout, target._layout), (source,), [(target._storage, target._offset)])


def write_with(name: str, target: Tensor, operands: Sequence[Tensor], parameters: tuple[object, ...]) -> None:
    """Run an operator's kernel that changes `target` by the operands after its first; all are snapshots. Do not
    record or count the change. Errors for an operand on another device, and the kernel's errors, are raised
    before any change.
    """
    op = operators[name]
    layout, inputs = target._layout, tuple([operand._layout for operand in operands])
    key = (inputs, layout, *parameters)
    plan = op.slow_table.by_key.get(key)
    if plan is None:
        for position, source in enumerate(inputs, 1):
            if source.device is not layout.device:
                raise named(elsewhere(op, layout.device, position, source.device))
        plan = _new_plan(op, name, inputs, layout, parameters)
    launch(plan, operands, [(target._storage, target._offset)])


def write_out(operation: str, result: Tensor, out: Tensor | None, operands: Operands = ()) -> Tensor:
    """Return `result`, or `out` after writing the result into it, for composite operators with `out=`.
    `operands` must not share memory with `out`.
    """
    if out is None:
        return result
    if not operands and is_copied("copy_", out, result, exact=True):
        return out
    target, _ = check_out(operation, layout_of_tensor(result), out, operands)
    if result.node is not None:
        raise OperationError(
            f"{operation}: out= cannot be used where a gradient is wanted; leave it out, or use no_grad()"
        )
    no_record_ops.copy_into(target, result)
    return out


def is_copied(operation: str, target: Any, source: Any, exact: bool = False) -> bool:
    """Copy `source` into `target`, as `operation`, if the case is simple enough for the fast path.

    The fast path requires known layouts, memory that does not overlap, and no recording. Otherwise return False and
    leave `target` unchanged. `exact`: also require equal shapes and dtypes.
    """
    try:
        la = target._layout
        sa = target._storage
        oa = target._offset
        lb = source._layout
        sb = source._storage
        ob = source._offset
        free: bool | None = False  # True if modes disable recording for every tensor
        if active_modes:
            free = unrecorded()
            if free is None:
                return False
        if not (free or (target.node is None and source.node is None)) or (
            not la.is_contiguous and overlaps_itself(la)
        ):
            return False
        if exact and (la.shape != lb.shape or la.dtype is not lb.dtype):
            return False
        launch = (operators["to"].slow_table.by_key.get(((lb,), la)) or known_copy_plan(lb, la)).launch
        sa.version + 1  # read-only memory has version None and raises a TypeError here
        pa = sa.ptr + oa
        pb = sb.ptr + ob
        if (pb - pa < la.extent) if pb >= pa else (pa - pb < lb.extent):
            return False
        launch(la.numel, pb, pa)
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
        return False
    sa.version += 1
    f = _getframe(1)
    try:
        while known_modules[f.f_globals["__name__"]]:
            f = f.f_back  # type: ignore[assignment]
    except (AttributeError, KeyError):  # as in fast/template.py
        f = user_frame(1)
    sa.mutator = (operation, f.f_code, f.f_lasti)
    return True
