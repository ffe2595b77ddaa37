"""Planners of layer, group and root-mean-square normalization, and of their gradients."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_storage import float32, float64

from ..launches import WARP, Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

FLOATING = (7, 8, 9, 10)
PIECE = 1024  # elements that a warp adds before its sum is widened
# How the CPU divides the rows of a gradient; results have the same bits only with the same division.
SERIAL, GRADIENT_COST, MAX_TASKS, MAX_SUMS = 5_000_000, 600, 64, 1 << 24


def rows_of(operator: str, shape: tuple[int, ...], count: int) -> tuple[int, int, int, int]:
    """Return rows, groups, runs and inner elements of x: `count` is that of groups, or of the last dimensions.

    >>> rows_of("layer_norm", (5, 7), 1), rows_of("group_norm", (2, 6, 4), 3)
    ((5, 1, 7, 1), (6, 3, 2, 4))
    """
    if operator.startswith("group_norm"):
        rows, runs = shape[0] * count, shape[1] // count
        return rows, count, runs, prod(shape) // (rows * runs) if rows * runs else 0
    last = len(shape) - count
    return prod(shape[:last]), 1, prod(shape[last:]), 1


LENGTHS = {  # functions of row_norm.cuh and their addresses
    "unit_rows": ("divide_rows", "x o inverse"),
    "unit_rows_grad": ("differentiate_quotients", "g x inverse o"),
    "cosine_rows": ("compare_rows", "x y o inverse other"),
    "cosine_rows_grad": ("differentiate_cosines", "g x y cosine inverse other o"),
}


@planner(*LENGTHS)
def plan_unit_rows(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan rows divided by their lengths, or cosines: operands and parameters as for the CPU's planner."""
    o = outputs[0]
    if o.dtype not in (float32, float64) or any(
        [not one.is_contiguous or one.dtype is not o.dtype for one in (*inputs, *outputs)]
    ):
        return None
    rows, _, runs, _ = rows_of(operator, inputs[operator == "cosine_rows_grad"].shape, parameters[0])
    function, pointers = LENGTHS[operator]
    name = f"{operator}_{o.dtype.name}"
    main = Kernel(
        name,
        f"{function}<element<{o.dtype.code}>>(p);",
        blocks_for(rows, 1),
        threads_for(max(1, runs), PIECE),
        waits=True,
    )
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["row_norm"],
        [main],
        pointers=pointers,
        scalars={} if operator.endswith("_grad") else {"epsilon": float},
        constants={"rows": rows, "runs": runs},
    )


def threads_for(length: int, piece: int) -> int:
    """Return the threads that add a row of `length` elements, each warp `piece` at a time."""
    return WARP * max(1, min(8, -(-length // piece)))


@planner("layer_norm", "layer_norm_grad", "group_norm", "group_norm_grad", "rms_norm", "rms_norm_grad")
def plan_norm(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan normalization of rows: operands and parameters as for the CPU's planner of these operators."""
    (count,) = parameters
    gradient, centred = operator.endswith("_grad"), not operator.startswith("rms")
    o = outputs[0]
    numbers = float64 if o.dtype is float64 else float32
    kept = set(inputs[2 : 4 if centred else 3] if gradient else outputs[1:])
    given = [layout for layout in (*inputs, *outputs) if layout is not None]
    if o.dtype.code not in FLOATING or any(
        [not one.is_contiguous or one.dtype is not (numbers if one in kept else o.dtype) for one in given]
    ):
        return None
    rows, groups, runs, inner = rows_of(operator, o.shape, count)
    channels, row = groups * runs, max(1, runs * inner)
    types = f"element<{o.dtype.code}>"
    of = f"{types}, {str(centred).lower()}"
    constants = {"rows": rows, "groups": groups, "runs": runs, "inner": inner}
    name = f"{operator}_{o.dtype.name}"
    if not gradient:
        main = Kernel(name, f"normalise_rows<{of}>(p);", blocks_for(rows, 1), threads_for(row, PIECE), waits=True)
        return kernel_plan(
            operator,
            parameters,
            outputs,
            ["row_norm"],
            [main],
            pointers="x weight bias o mean inverse" if centred else "x weight o inverse",
            absent="" if centred else "bias mean",
            scalars={"epsilon": float},
            constants=constants,
        )
    weighted = inputs[-1] is not None
    length = inner if weighted and inner != 1 else row
    kernels = [
        Kernel(name, f"differentiate_rows<{of}>(p);", blocks_for(rows, 1), threads_for(length, PIECE), waits=True)
    ]
    workspace = 64
    if weighted:
        work = rows * row * GRADIENT_COST
        task_bytes = -(-2 * channels * (8 + numbers.itemsize) // 64) * 64 or 64
        tasks = max(1, min(MAX_TASKS, MAX_SUMS // task_bytes, work // SERIAL))
        each = max(1, -(-rows // tasks))
        tasks = -(-rows // each)
        constants |= {"each": each, "tasks": tasks}
        workspace += 16 * tasks * channels + (16 * rows * runs if inner != 1 else 0)
        kernels += [
            Kernel(f"{name}_columns", f"sum_columns<{of}>(p);", blocks_for(tasks * channels)),
            Kernel(f"{name}_finish", f"finish_columns<{types}>(p);", blocks_for(channels)),
        ]
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["row_norm"],
        kernels,
        pointers=(
            "g x mean inverse weight o weight_gradient bias_gradient"
            if centred
            else "g x inverse weight o weight_gradient"
        ),
        absent="" if centred else "mean bias_gradient",
        constants=constants,
        workspace=workspace,
    )
