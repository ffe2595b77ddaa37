"""Writes into existing tensors: `out=`, and copies between snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import OperationError
from facula_storage import Layout

from ..._core.errors import named
from ..._core.memory import check_out
from ..._core.tensor import Tensor, layout_of_tensor
from ..namespaces import no_record_ops, operators
from .launching import launch
from .operands import elsewhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Plan

    from ..._core.types import Operands


def copy_plan(source: Layout, target: Layout) -> Plan:
    """Return the plan that copies one layout into another, casting and broadcasting."""
    op = operators["to"]
    key = ((source,), target)
    plan = op.slow_table.by_key.get(key)
    if plan is None:
        plan = op.slow_table.add(key, target.device.backend.plan("copy", (source,), (target,), ()))
    return plan


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
        plan = op.slow_table.add(key, layout.device.backend.plan(name, inputs, (layout,), parameters))
    launch(plan, operands, [(target._storage, target._offset)])


def write_out(operation: str, result: Tensor, out: Tensor | None, operands: Operands = ()) -> Tensor:
    """Return `result`, or `out` after writing the result into it, for composite operators with `out=`.
    `operands` must not share memory with `out`.
    """
    if out is None:
        return result
    target, _ = check_out(operation, layout_of_tensor(result), out, operands)
    if result.node is not None:
        raise OperationError(
            f"{operation}: out= cannot be used where a gradient is wanted; leave it out, or use no_grad()"
        )
    no_record_ops.copy_into(target, result)
    return out
