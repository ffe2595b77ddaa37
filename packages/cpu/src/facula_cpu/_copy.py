"""The planner of copies: within a dtype or between two, and in blocks where the dimensions change places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._elementwise import byte_steps, collapse, plan_elementwise
from ._kernels import ffi
from ._planners import SERIAL, bound_plan, planner
from ._registry import kernel_for

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

WORTH_BLOCKS = 16  # shorter dimensions fit the cache as they are
BAND = 64  # rows in a piece of work: whole cache lines of any dtype


@planner("copy")
def plan_copy(operator: str, inputs: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
    """A plan that copies one array, broadcast to the output's shape, with the casts that cast.inc describes."""
    (source,), (target,) = inputs, outputs
    plan = plan_elementwise(operator, inputs, outputs, parameters)
    if not isinstance(source, type) and source.dtype is target.dtype:
        plan.for_layouts = None  # other layouts may be better copied in blocks
        if not source.is_contiguous:
            return plan_transposing(operator, source, target, parameters) or plan
    return plan


def plan_transposing(operator: str, source: Layout, target: Layout, parameters: tuple) -> Plan | None:
    """The plan in blocks, where source and target each lie without gaps along a dimension of their own."""
    itemsize = target.dtype.itemsize
    shape = target.shape
    dims = collapse(shape, [byte_steps(source, shape), byte_steps(target, shape)])
    columns, source_step, target_step = dims[0]
    if target_step != itemsize or source_step in (0, itemsize) or columns < WORTH_BLOCKS:
        return None
    rows_at = [at for at, (rows, step, _) in enumerate(dims) if step == itemsize and rows >= WORTH_BLOCKS]
    if not rows_at:
        return None
    at = rows_at[0]
    rows = dims[at][0]
    block = kernel_for("transpose_block", itemsize)
    around = dims[1:at] + dims[at + 1 :]
    struct = ffi.new(
        "struct facula_transpose *",
        {
            "block": ffi.cast("void (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)", block.address),
            "rows": rows,
            "columns": columns,
            "source_step": source_step,
            "target_step": dims[at][2],
            "band": BAND,
            "bands": -(-rows // BAND),
            "serial": SERIAL // block.cost,
            "itemsize": itemsize,
            "dims": len(around),
            "nest": [number for dim in around for number in dim],
        },
    )
    kernel = kernel_for("transposing_copy")
    return bound_plan(operator, parameters, (target,), kernel.address, struct, arrays=2, cost=block.cost)
