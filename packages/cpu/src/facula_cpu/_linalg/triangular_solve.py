"""The planner of `triangular_solve`: systems with triangular matrices."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .._kernels import ffi
from .._runtime.planners import GRAIN, SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

TILE = 128  # the minimum bytes of a row in a task: those that the kernel keeps in registers


@planner("triangular_solve")
def plan_triangular_solve(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan X with A X = B for contiguous A (..., n, n), or one A (n, n) for all, and B (..., n, k); (upper, unit)."""
    (a, b), (x,), (upper, unit) = inputs, outputs, parameters
    kernel = find_kernel(operator, a.dtype.code, b.dtype.code, x.dtype.code)
    if kernel is None or not (a.is_contiguous and b.is_contiguous and x.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    *batch, n, columns = b.shape
    matrices = prod(batch)
    width = max(1, TILE // b.dtype.itemsize)
    each = kernel.cost * n * n / 2 + 1000
    work = each * columns * matrices
    tile = columns if work <= SERIAL else min(columns, max(width, int(GRAIN / each) // width * width))
    tiles = -(-columns // tile) if columns else 0
    struct = ffi.new(
        "struct facula_triangular_solve *",
        {
            "matrices": matrices if x.numel else 0,
            "n": n,
            "columns": columns,
            "a_step": n * n if a.ndim > 2 else 0,
            "tile": tile,
            "tiles": tiles,
            "group": max(1, int(GRAIN / (each * max(tile, 1)))),
            "upper": upper,
            "unit": unit,
            "serial": work <= SERIAL,
        },
    )
    return bound_plan(operator, parameters, outputs, kernel.address, struct, arrays=3, cost=work / max(x.numel, 1))
