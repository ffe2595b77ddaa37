"""Planners of softmax, log_softmax and their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan

from .._elementwise.elementwise import collapse
from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters

LANES, BATCH, STRIP, FOLDED = 16, 16, 256, 1024  # as in the kernels
WIDTH = 128  # adjacent numbers that fill vectors
ROW_COST, COLUMN_COST = 40_000, 5_000  # picoseconds


def folded(n: int, columns: int) -> int:
    """Return the number of adjacent elements per column, a power of two, if rows are close together.

    Rows of `columns` numbers are too short for vectors, or leave a remainder.
    """
    fold = 1
    while fold * columns % LANES:
        fold *= 2
    if fold * columns > FOLDED:
        return 1
    while 2 * fold * columns <= WIDTH and 8 * fold <= n:
        fold *= 2
    return fold


@planner("softmax", "log_softmax", "softmax_grad", "log_softmax_grad")
def plan_softmax(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o from (a,), or from (g, result) for the gradients, along parameters (dim,). Floating dtypes, any strides.

    Results of the gradients: `g - exp(result) * sum(g)` and `result * (g - sum(g * result))`.
    """
    (dim,) = parameters
    x, y, o = inputs[0], inputs[-1], outputs[0]
    kernel = find_kernel(operator + "_rows", o.dtype.code)
    if kernel is None or x.dtype is not o.dtype or y.dtype is not o.dtype:
        raise no_kernel(operator, inputs, outputs)
    size = o.dtype.itemsize
    shape, n = x.shape, 1
    steps = [[stride * size for stride in layout.strides] for layout in (x, y, o)]
    along = [size, size, size]
    if shape:  # a scalar is a row of one element
        dim %= len(shape)
        n = shape[dim]
        along = [by[dim] if n > 1 else size for by in steps]
        shape = (*shape[:dim], *shape[dim + 1 :])
        steps = [[*by[:dim], *by[dim + 1 :]] for by in steps]
    dims = collapse(shape, list(steps)) if o.numel else [(0, 0, 0, 0)]
    first = dims[0][0]
    rows = o.numel // n if n else 0
    by_column = along != [size] * 3
    row = n * kernel.cost + (COLUMN_COST if by_column else ROW_COST)
    work = rows * row
    segment = first or 1
    if work > SERIAL:
        segment = min(segment, max(1, SERIAL // (2 * row)))
        whole = STRIP if by_column else BATCH
        segment = min(first, -(-segment // whole) * whole) or 1
    fold = 1
    if first > 1 and segment == first and along == [first * size] * 3 and dims[0][1:] == (size, size, size):
        fold = folded(n, first)
    segments = -(-first // segment) * (rows // first if first else 0)
    nest = [number for extents in dims for number in extents]
    struct = ffi.new("struct facula_softmax *", {"nest": nest})
    struct.kernel = ffi.cast("struct facula_row_kernel *", kernel.address)
    struct.n, struct.fold, struct.x_step, struct.y_step, struct.o_step = n, fold, *along
    struct.segment, struct.segments = segment, segments
    struct.group = max(1, SERIAL // (2 * segment * row))
    struct.operands = 1 + len(inputs)
    struct.by_column, struct.serial, struct.dims = by_column, work <= SERIAL, len(dims)
    driver = kernel_for("rows")
    return bound_plan(
        operator,
        parameters,
        outputs,
        driver.address,
        struct,
        arrays=len(inputs) + 1,
        cost=work / max(o.numel, 1),
    )
