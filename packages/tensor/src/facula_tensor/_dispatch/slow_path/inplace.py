"""Operators that change their first operand: check, then change, then record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.modes import active_modes, current_mode
from facula_errors import InvalidTypeError
from facula_storage import Layout, Plan
from facula_storage.extend.layouts import COMPLEX
from facula_storage.extend.recording import current_recorder, recorders

from ..._core.errors import relabel
from ..._core.memory import check_overlap, check_writable, overlaps_itself
from ..._core.tensor import Tensor, layout_of_tensor, make
from ..._core.wrapped import innermost
from ..expressions.gradients import kernel_of
from ..namespaces import no_record_ops, operators, recorded_ops
from ..overrides import call_torch_function, overridden
from .alpha import factor_of, plan_scaled_add, with_alpha
from .inplace_checks import check_result_fits, starts_inplace
from .launching import launch, mutated, run
from .nodes import node_for
from .operands import coerce, promote
from .planning import find_plan, output_layouts
from .snapshots import edge_from, snapshots_of
from .view_changes import rebase

if TYPE_CHECKING:
    from ..._core.types import Layouts, Operands, Parameters, Scalar
    from ..operator import Operator


def slow_inplace(op: Operator, operands: Operands, parameters: Parameters = (), alpha: Scalar = 1) -> Tensor:
    """Call the in-place form of `op`. `alpha` is a factor of the second operand."""
    name = op.name + "_"
    try:
        factored = type(alpha) is not int or alpha != 1
        if overridden(operands):
            changing = getattr(op, "changing", None) or getattr(Tensor, name)  # some methods call others in place
            return call_torch_function(name, changing, operands, {"alpha": alpha} if factored else {})
        target = operands[0]
        if not isinstance(target, Tensor):
            raise InvalidTypeError(f"{name}: expected a Tensor to change; got {type(target).__name__}")
        level = innermost(operands)
        if level is not None:  # Note [Levels]
            if op.rule.saves:  # a node saves the value before the change
                before = recorded_ops.clone(target)
                operands = tuple([before if a is target else a for a in operands])
            if factored:
                result = with_alpha(op, operands[0], operands[1], alpha, None)
            else:
                result = op.library_call(*operands, parameters) if parameters else op.library_call(*operands)
            check_result_fits(name, layout_of_tensor(result), layout_of_tensor(target))
            return level.copy(name, target, result)
        record = starts_inplace(name, target, operands)
        recorder = current_recorder() if recorders else None
        if recorder is not None:
            recorder.operands(operands)
        held = snapshots_of(operands, record)
        there = held[0]
        check_writable(name, there)
        ready = coerce(op, held)
        if ready is NotImplemented:
            raise InvalidTypeError(
                f"{name}: cannot use {type(operands[1]).__name__} with a Tensor; pass a tensor or a number"
            )
        if op.validate_values is not None:
            op.validate_values(*ready)
        if factored:
            plan_scaled_add(op, target)
            ready = (*ready, factor_of(op, ready[0], ready[1], alpha))
            op = operators["add_scaled"]
        if op.elementwise:
            ready = promote(op, ready, recorded_ops if record else no_record_ops)
        layouts = tuple([layout_of_tensor(a) if isinstance(a, Tensor) else type(a) for a in ready])
        wanted = output_layouts(op, layouts, parameters)[0]
        layout = there._layout
        check_result_fits(name, wanted, layout)
        shared = check_overlap(name, there, ready[1:])
        edges = tuple([edge_from(a) if isinstance(a, Tensor) else None for a in ready]) if record else ()
        if record:
            # A node saves the values before the change, of the target and of operands that share its memory.
            saved = op.saved_operands(edges)
            ready = tuple(
                [
                    _before(a)
                    if wanted and isinstance(a, Tensor) and (a is there or (shared and _same_address(a, there)))
                    else a
                    for a, wanted in zip(ready, saved, strict=True)
                ]
            )
            layouts = tuple([layout_of_tensor(a) if isinstance(a, Tensor) else type(a) for a in ready])
        if (ready[0] is not there and wanted.dtype is not layout.dtype) or not op.elementwise:
            (result,) = run(find_plan(op, layouts, parameters), ready)
            no_record_ops.copy_into(there, result)
        else:
            launch(plan_inplace(op, layouts, parameters, layout), ready, [(there._storage, there._offset)])
            find_plan(op, layouts, parameters)  # the next call with this signature takes the fast path
        mutated(there, name)
        if record:
            node_for(
                op, ready, layouts, parameters, [target], (active_modes and current_mode().saved_hooks) or None, edges
            )
            if wanted.dtype is not layout.dtype:
                # The node belongs to the wider result; the target is that result, cast.
                wide = make(Tensor, wanted, there._storage)
                wide.node = target.node
                node_for(operators["to"], (wide,), (wanted,), (layout.dtype,), [target])
            rebase(target, edges[0])
        return target
    except Exception as error:
        relabel(error, name)
        raise


def plan_inplace(op: Operator, layouts: Layouts, parameters: Parameters, layout: Layout) -> Plan:
    """Return the plan that writes into memory of this layout, the first operand's, and store it for the fast path."""
    table = op.slow_table
    key: object = (layouts, parameters, layout)
    if not parameters and layouts[0] is layout and layout.dtype.category != COMPLEX and op.is_fast:
        if op.arity == 1:
            table, key = op.inplace_table, layout
        elif isinstance(layouts[1], Layout) and not op.reads_values:
            table, key = op.inplace_table, layouts
    plan = table.by_key.get(key)
    if plan is None:
        plan = table.add(key, layout.device.backend.plan(kernel_of(op), layouts, (layout,), parameters))
    return plan


def accumulate(op: Operator, operands: Operands) -> Tensor:
    """Add to a gradient: in place, or into a new tensor if its elements overlap (the expanded gradient of a sum)."""
    if innermost(operands) is not None:
        return op.no_record(*operands)
    layout = layout_of_tensor(operands[0])
    if layout.is_contiguous or not overlaps_itself(layout):
        return slow_inplace(op, operands)
    return op.no_record(*operands)


def _before(a: Tensor) -> Tensor:
    """Return a copy with the history of `a`, so that higher-order gradients flow through saved tensors."""
    if isinstance(edge_from(a), Tensor):
        return recorded_ops.clone(a)
    copy = no_record_ops.clone(a)
    copy.node = a.node
    return copy


def _same_address(a: Tensor, b: Tensor) -> bool:
    """Return whether both begin at the same address (both buffers are plain by now)."""
    return a._storage.ptr + a._offset == b._storage.ptr + b._offset
