"""The planner of copies: within a dtype or between two, and by blocks if the order of dimensions differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage.extend.layouts import dtype_of_code

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import kernel_for
from .boxes import Box, plan_boxes
from .elementwise import byte_steps, collapse, find_form, plan_elementwise
from .typed import intermediate_dtype

if TYPE_CHECKING:
    from collections.abc import Collection

    from facula_storage import Layout, Plan

    from .._runtime.types import Layouts, Parameters

WORTH_TILES = 4  # the minimum of both dimensions, or
LONG = 64  # of one of them if the other is long and is read or written without gaps
LINE = 64  # bytes of a cache line; and the minimum number of rows of a task: full lines for any dtype
BETWEEN = 4  # the maximum element size between two conversions, which bounds the memory of tile rows
LONG_RUN = 256  # bytes of a run that a loop without gaps copies well
LEAST_BOX = 1024  # bytes of an array
PIECE = 8192  # approximate elements of a task


@planner("copy")
def plan_copy(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a copy of one array, broadcast to the output's shape, with the casts that cast.inc describes."""
    (source,), (target,) = inputs, outputs
    if not isinstance(source, type) and not source.is_contiguous:
        plan = plan_transposing(operator, source, target, parameters) or plan_short_runs(
            operator, source, target, parameters
        )
        if plan is not None:
            return plan
    plan = plan_elementwise(operator, inputs, outputs, parameters)
    return plan if isinstance(source, type) else for_contiguous(plan)


def for_contiguous(plan: Plan) -> Plan:
    """Restrict `for_layouts` of a plan to contiguous operands: others may be copied faster by tiles."""
    launch_for = plan.for_layouts
    if launch_for is not None:
        plan.for_layouts = lambda o, a, *numbers: launch_for(o, a, *numbers) if a.is_contiguous else None
    return plan


def plan_transposing(
    operator: str, source: Layout, target: Layout, parameters: Parameters, reversed_dims: Collection[int] = ()
) -> Plan | None:
    """Plan a copy by tiles, if source and target have their smallest steps along different dimensions.

    The source is read in reverse order along `reversed_dims`.
    """
    shape, given = target.shape, byte_steps(source, target.shape)
    starts = [
        sum([(shape[dim] - 1) * given[dim] for dim in reversed_dims]),
        0,
    ]  # of source and target, in bytes
    steps = [-step if dim in reversed_dims else step for dim, step in enumerate(given)]
    dims = collapse(shape, [steps, byte_steps(target, shape)])
    at = find_rows(dims, target.dtype.itemsize)
    if at is None:
        return None
    (columns, source_step, _), (rows, source_row, target_step) = dims[0], dims[at]
    if source_row < 0:  # reverse the target instead: tiles are read forwards
        starts = [starts[0] + (rows - 1) * source_row, (rows - 1) * target_step]
        source_row, target_step = -source_row, -target_step
    form = find_form("copy", (source.dtype.code,), target.dtype.code)
    if form is None:
        raise no_kernel(operator, (source,), (target,))
    between = dtype_of_code(intermediate_dtype(source.dtype.code, target.dtype.code))
    if len(form.loops) > 2 or (between is not target.dtype and between.itemsize != BETWEEN):
        return None
    around = dims[1:at] + dims[at + 1 :]
    band = max(LINE, PIECE // columns // LINE * LINE)
    block = kernel_for("transpose_block", target.dtype.itemsize)
    cast, narrow, cost = ffi.NULL, ffi.NULL, block.cost
    if source.dtype is not target.dtype or source_row != source.dtype.itemsize:
        cast, narrow = (*form.loops, cast)[:2]
        cost += form.cost
    struct = ffi.new(
        "struct facula_transpose *",
        {
            "block": ffi.cast("facula_transpose_block", block.address),
            "cast": cast,
            "round": narrow,
            "gather": bool(cast) and source_row == source.dtype.itemsize <= target.dtype.itemsize,
            "source_start": starts[0],
            "target_start": starts[1],
            "rows": rows,
            "columns": columns,
            "source_row": source_row,
            "source_step": source_step,
            "target_step": target_step,
            "band": band,
            "bands": -(-rows // band),
            "serial": SERIAL // cost,
            "dims": len(around),
            "nest": [number for dim in around for number in dim],
        },
    )
    kernel = kernel_for("transposing_copy")
    return bound_plan(operator, parameters, (target,), kernel.address, struct, arrays=2, cost=cost)


def plan_short_runs(operator: str, source: Layout, target: Layout, parameters: Parameters) -> Plan | None:
    """Plan a copy within a dtype by the loops for short, strided and interleaved runs; None for others."""
    size = target.dtype.itemsize
    if source.dtype is not target.dtype or target.nbytes < LEAST_BOX:
        return None
    steps = byte_steps(source, target.shape)
    extent, step, to_step = collapse(target.shape, [steps, byte_steps(target, target.shape)])[0]
    if to_step != size or (extent * size >= LONG_RUN and step != 2 * size):
        return None
    dims = tuple(zip(target.shape, [by // size for by in steps], target.strides, strict=True))
    return plan_boxes(operator, parameters, target, [Box(dims)])


def find_rows(dims: list[tuple[int, ...]], itemsize: int) -> int | None:
    """Return the one of `dims` (see `collapse`) that is transposed against the first; None if tiles are not worthwhile.

    >>> find_rows([(100, 800, 4), (200, 4, 400)], 4), find_rows([(100, 4, 4), (200, 800, 400)], 4)
    (1, None)
    """
    columns, column_step, target_step = dims[0]
    if target_step != itemsize:
        return None
    steps = [(abs(step), at) for at, (_, step, _) in enumerate(dims) if step]
    step, at = min(steps, default=(0, 0))
    if at == 0 or step >= LINE or not column_step:
        return None
    rows = dims[at][0]
    worth = min(rows, columns) >= WORTH_TILES or rows >= LONG or (columns >= LONG and abs(column_step) == rows * step)
    return at if worth else None
