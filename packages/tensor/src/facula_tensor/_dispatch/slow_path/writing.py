"""Writing results into tensors that are there: `out=`, and copies between snapshots."""

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
    """The plan that copies one layout into another, casting and broadcasting."""
    op = operators["to"]
    key = ((source,), target)
    plan = op.slow_table.by_key.get(key)
    if plan is None:
        plan = op.slow_table.add(key, target.device.backend.plan("copy", (source,), (target,), ()))
    return plan


def write(target: Tensor, source: Tensor) -> None:
    """Copy elements, casting and broadcasting, between snapshots. No checks, no record, no version."""
    launch(copy_plan(source._layout, target._layout), (source,), [(target._storage, target._offset)])


def write_with(name: str, target: Tensor, operands: Sequence[Tensor], parameters: tuple[object, ...]) -> None:
    """Let an operator's kernel change `target` by the operands after its first, all of them snapshots.

    No record, no version. An error for an operand on another device, and the kernel's own, before any change.
    """
    op = operators[name]
    layout, inputs = target._layout, tuple([one._layout for one in operands])
    key = (inputs, layout, *parameters)
    plan = op.slow_table.by_key.get(key)
    if plan is None:
        for position, one in enumerate(inputs, 1):
            if one.device is not layout.device:
                raise named(elsewhere(op, layout.device, position, one.device))
        plan = op.slow_table.add(key, layout.device.backend.plan(name, inputs, (layout,), parameters))
    launch(plan, operands, [(target._storage, target._offset)])


def write_out(operation: str, result: Tensor, out: Tensor | None, operands: Operands = ()) -> Tensor:
    """`result`, or `out` with the result in it: the `out=` form of composite operators.

    `operands` may share no memory with `out`.
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
