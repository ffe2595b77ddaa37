"""The planner of decompositions, inverses and solutions of linear systems by elimination."""

from __future__ import annotations

from itertools import repeat
from math import prod
from typing import TYPE_CHECKING

from .._kernels import ffi
from .._runtime.planners import GRAIN, SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel
from .matmul import batch_strides

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

# Multiplications of a decomposition, per n^3 of a matrix; each right-hand side adds n^2.
LU = 1 / 3
WORK = {
    "cholesky_ex": 1 / 6,
    "det": LU,
    "inv_ex": LU,
    "lu_factor_ex": LU,
    "permutation_of": LU,
    "slogdet": LU,
    "solve_ex": LU,
}
EACH = 20_000  # picoseconds: the overhead of a matrix


@planner(*WORK)
def plan_elimination(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan an operator of matrices of any strides; leading dimensions of systems broadcast."""
    a, b, out = inputs[0], inputs[-1], outputs[0]
    kernel = find_kernel(operator, *[layout.dtype.code for layout in (a, *outputs)])
    if kernel is None or not all(layout.is_contiguous for layout in outputs):
        raise no_kernel(operator, inputs, outputs)
    if operator == "permutation_of":
        batch, ndim = out.shape[:-2], 1
        rows, columns = out.shape[-1], a.shape[-1]
    else:
        batch, ndim = outputs[-1].shape, 2
        rows, columns = a.shape[-2:]
    sides = rows if operator == "inv_ex" else out.shape[-1] if operator == "solve_ex" else 0
    steps = zip(batch, batch_strides(a, batch, ndim), batch_strides(b, batch, ndim), repeat(0))
    nest = [dim for dim in reversed([*steps]) if dim[0] != 1]
    matrices = prod(batch)
    cost = EACH + kernel.cost * (WORK[operator] * rows * rows * columns + rows * rows * sides)
    struct = ffi.new(
        "struct facula_elimination *",
        {
            "matrices": matrices,
            "rows": rows,
            "columns": columns,
            "sides": sides,
            "a_row": a.strides[-2] if ndim == 2 else 0,
            "a_column": a.strides[-1],
            "b_row": b.strides[-2] if ndim == 2 else 0,
            "b_column": b.strides[-1],
            "group": max(1, int(GRAIN / cost)),
            "upper": parameters[0] if operator == "cholesky_ex" else False,
            "serial": matrices * cost <= SERIAL,
            "batch_dims": len(nest),
            "nest": [number for dim in nest for number in dim] or [0],
        },
    )
    arrays = len(inputs) + len(outputs)
    return bound_plan(
        operator, parameters, outputs, kernel.address, struct, arrays=arrays, cost=matrices * cost / max(out.numel, 1)
    )
