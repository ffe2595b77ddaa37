"""The planner of systems with triangular matrices, or with the factors of an LU decomposition."""

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


@planner("triangular_solve", "solve_factors")
def plan_triangular_solve(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan X with A X = B for contiguous A (..., n, n), or one A (n, n) for all, and B (..., n, k); (upper, unit).

    `solve_factors` has pivots (..., n) as its first input, one A for each B, and the parameter `adjoint`.
    """
    (*_, a, b), (x,) = inputs, outputs
    upper, unit = parameters if operator == "triangular_solve" else (False, *parameters)
    layouts = (*inputs, *outputs)
    kernel = find_kernel(operator, *[layout.dtype.code for layout in layouts])
    if kernel is None or not all([layout.is_contiguous for layout in layouts]):
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
    return bound_plan(
        operator, parameters, outputs, kernel.address, struct, arrays=len(layouts), cost=work / max(x.numel, 1)
    )
