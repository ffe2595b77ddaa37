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
    from collections.abc import Iterable

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
    cost = EACH + kernel.cost * (WORK[operator] * rows * rows * columns + rows * rows * sides)
    steps = batch_strides(a, batch, ndim), batch_strides(b, batch, ndim), repeat(0)
    return plan_matrices(
        operator,
        inputs,
        outputs,
        parameters,
        kernel.address,
        cost,
        batch,
        steps,
        rows=rows,
        columns=columns,
        sides=sides,
        a_row=a.strides[-2] if ndim == 2 else 0,
        a_column=a.strides[-1],
        b_row=b.strides[-2] if ndim == 2 else 0,
        b_column=b.strides[-1],
        upper=parameters[0] if operator == "cholesky_ex" else False,
    )


def plan_matrices(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    kernel: int,
    cost: float,
    batch: tuple[int, ...],
    steps: Iterable[Iterable[int]],
    **fields: int,
) -> Plan:
    """Plan a kernel for each matrix of a batch.

    Arguments:
        operator, inputs, outputs, parameters: the arguments of the planner.
        kernel: the kernel's address.
        cost: picoseconds for a matrix.
        batch: the dimensions of the batch.
        steps: the strides of three operands along them.
        fields: the other fields of the struct.
    """
    nest = [dim for dim in zip(batch, *steps) if dim[0] != 1]
    matrices = prod(batch)
    struct = ffi.new(
        "struct facula_elimination *",
        {
            "matrices": matrices,
            "group": max(1, int(GRAIN / cost)),
            "serial": matrices * cost <= SERIAL,
            "batch_dims": len(nest),
            "nest": [number for dim in reversed(nest) for number in dim] or [0],
            **fields,
        },
    )
    cost, arrays = matrices * cost / max(outputs[0].numel, 1), len(inputs) + len(outputs)
    return bound_plan(operator, parameters, outputs, kernel, struct, arrays=arrays, cost=cost)
