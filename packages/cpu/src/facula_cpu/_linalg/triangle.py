"""The planner of `triangle`: a copy of the upper or lower triangle of matrices."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

ROW_COST = 10_000  # picoseconds: the start of two runs


@planner("triangle")
def plan_triangle(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = contiguous matrices `a` with zeros beyond a diagonal; parameters (diagonal, keep the upper part)."""
    (a,), (o,), (diagonal, upper) = inputs, outputs, parameters
    if a.dtype is not o.dtype or not (a.is_contiguous and o.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    *matrices, rows, columns = a.shape
    kernel, size = kernel_for(operator), a.dtype.itemsize
    each = ROW_COST + kernel.cost * columns * size
    struct = ffi.new(
        "struct facula_triangle *",
        {
            "matrices": prod(matrices),
            "rows": rows if a.numel else 0,
            "columns": columns,
            "itemsize": size,
            "diagonal": max(-rows - 1, min(diagonal, columns + 1)),
            "group": max(1, SERIAL // (2 * each)),
            "upper": upper,
            "serial": prod(matrices) * rows * each <= SERIAL,
        },
    )
    cost = each / max(columns, 1)
    return bound_plan(operator, parameters, outputs, kernel.address, struct, arrays=2, cost=cost)
