"""Planners of cross entropy, the negative log likelihood, and their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._dtype_codes import INT64
from ..dimensions import dimensions_of, nest_of
from ..launches import Kernel, blocks_for, kernel_plan
from ..registry import planner
from .norms import threads_for

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

TYPES = {9: "float", 10: "double"}
SHORT_ROW, PIECE = 32, 1024  # as in classes.cuh: classes of a row for one thread; classes that a warp adds at a time
MAX_PARTS = 64
# How the CPU groups rows whose losses it adds: picoseconds of a class, by the dtype's code, and of a row.
SERIAL, MAX_TASKS, ROW_COST = 5_000_000, 64, 30_000
COSTS = {"cross_entropy": {9: 600, 10: 6000}, "nll_loss": {9: 100, 10: 100}}
FUNCTIONS = {"cross_entropy": "cross_entropy", "nll_loss": "nll"}


@planner("cross_entropy", "nll_loss", "cross_entropy_grad", "nll_loss_grad")
def plan_classes(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan the loss or its gradient: operands and parameters as for the CPU's planner of these operators."""
    (reduction,) = parameters
    gradient, loss_name = operator.endswith("_grad"), operator.removesuffix("_grad")
    x, target, weight = inputs[-3:]
    loss, o = (inputs[0], outputs[0]) if gradient else (outputs[0], x)
    if (
        x.dtype.code not in TYPES
        or target.dtype.code != INT64
        or any([one is not None and one.dtype is not x.dtype for one in (weight, loss, o)])
        or (weight is not None and not weight.is_contiguous)
    ):
        return None
    size, classes, each, rows = x.dtype.itemsize, x.shape[1], reduction == "none", target.numel
    steps = [
        [stride * size for stride in (x.strides[0], *x.strides[2:])],
        [stride * 8 for stride in target.strides],
        [stride * size for stride in loss.strides] if each else [0] * len(target.shape),
        [stride * size for stride in (o.strides[0], *o.strides[2:])],
    ]
    dims = dimensions_of(target.shape, *steps)
    row = classes * COSTS[loss_name][x.dtype.code] + ROW_COST
    group = max(1, SERIAL // (2 * row), -(-rows // MAX_TASKS))
    parts = max(1, min(MAX_PARTS, rows // 1024))
    constants = {
        "rows": rows,
        "classes": classes,
        "x_step": x.strides[1] * size,
        "o_step": o.strides[1] * size,
        "mean": reduction == "mean",
        "each": each,
        "group": group,
        "tasks": -(-rows // group),
        "parts": parts,
        "by_row": o.strides[1] == 1,
        "dims": len(dims),
        "nest": nest_of(dims),
    }
    T, function, name = TYPES[x.dtype.code], FUNCTIONS[loss_name], f"{operator}_{x.dtype.name}"
    kernels = [Kernel(f"{name}_check", f"check_classes<{T}>(p);", parts, waits=True)]
    threads = threads_for(classes, PIECE)
    blocks = blocks_for(rows, threads if classes <= SHORT_ROW else 1)
    if gradient and function == "nll":
        kernels.append(Kernel(name, f"nll_gradients<{T}>(p);", blocks_for(rows * classes)))
    else:
        what = "gradients" if gradient else "losses"
        kernels.append(Kernel(name, f"{function}_{what}<{T}>(p);", blocks, threads, waits=True))
    if not gradient and not each:
        kernels.append(Kernel(f"{name}_join", f"join_losses<{T}>(p);", 1, MAX_TASKS, waits=True))
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["classes"],
        kernels,
        pointers="g x target weight o" if gradient else "x target weight o",
        scalars={"ignored": int, "smoothing": float},
        constants={key: value if isinstance(value, list) else int(value) for key, value in constants.items()},
        workspace=8 * (MAX_PARTS + 1) + (0 if gradient or each else 8 * rows),
        checks=inputs,
    )
