"""Planners of operators on complete lines along a dimension: sorts, scans, searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._elementwise.typed import UNSIGNED
from .._kernels import ffi
from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.registry import Kernel
    from .._runtime.types import Layouts, Parameters

SORT_COST, SELECT_COST, SEARCH_COST = 10_000, 3_000, 20_000  # picoseconds per element
TILED = 32  # other lines that a scan transposes together
INT64, COMPLEX64 = 6, 11
MEDIAN, NANMEDIAN, MODE = 0, -1, -2  # as in the kernel
RANKS = {"median_dim": MEDIAN, "nanmedian_dim": NANMEDIAN, "mode": MODE}


@planner("sort")
def plan_sort(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan (values, indices int64) of a stable sort of (a,) along parameters (dim, descending), NaN the greatest."""
    dim, descending = parameters
    return _plan(operator, "sort_lines", inputs, outputs, parameters, dim, SORT_COST, flag=descending)


@planner("topk")
def plan_topk(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan (values, indices int64) of the first k elements of (a,) along parameters (k, dim, largest, sorted)."""
    k, dim, largest, ordered = parameters
    flag = int(largest) + 2 * int(ordered)
    return _plan(operator, "topk_lines", inputs, outputs, parameters, dim, SELECT_COST, option=k, flag=flag)


@planner("kthvalue", "median_dim", "nanmedian_dim", "mode")
def plan_rank(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan (value, index int64), keeping the dimension, of one element of each line: parameters (dim,) or (dim, k)."""
    option = RANKS[operator] if operator in RANKS else parameters[1]
    return _plan(operator, "rank_lines", inputs, outputs, parameters, parameters[0], SORT_COST, option=option)


@planner("search_sorted")
def plan_search(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan positions of values in sorted lines (the last dimension): inputs (lines, values), parameters (right,)."""
    if inputs[0].dtype is not inputs[1].dtype or inputs[0].dtype.code >= COMPLEX64:
        raise no_kernel(operator, inputs, outputs)
    last = -1  # of each layout: the plan serves other numbers of dimensions, too
    return _plan(operator, "search_lines", inputs, outputs, parameters, last, SEARCH_COST, flag=parameters[0])


@planner("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "recurrence")
def plan_scan(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan cumulative results along parameters (dim, backwards) of one dtype; extremes also have indices (int64).

    `recurrence` of (a, b) computes y[i] = b[i] + a[i] y[i - 1], or y[i] = b[i] + a[i + 1] y[i + 1] backwards.
    """
    dim, backwards = parameters
    name = "recur" if operator == "recurrence" else operator
    kernel = find_kernel(name + "_lines", outputs[0].dtype.code)
    if kernel is None or any(layout.dtype is not outputs[0].dtype for layout in inputs):
        raise no_kernel(operator, inputs, outputs)
    return _plan(operator, kernel, inputs, outputs, parameters, dim, kernel.cost, flag=backwards, backwards=backwards)


@planner("cumprod_grad", "extreme_shares")
def plan_gradient(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a gradient from inputs of one dtype, parameters (dim,).

    `cumprod_grad` takes (a, the gradient, cumprod(a)). `extreme_shares`, of `amax` and `amin`, takes (a, extremes,
    their gradient), of which the last two have length 1 along the dimension; parameters (dim, magnitudes).
    """
    kernel = find_kernel(operator + "_lines", outputs[0].dtype.code)
    if kernel is None or any(layout.dtype is not outputs[0].dtype for layout in inputs):
        raise no_kernel(operator, inputs, outputs)
    scans = operator == "cumprod_grad"
    return _plan(operator, kernel, inputs, outputs, parameters, parameters[0], kernel.cost, flag=scans or parameters[1],
                 backwards=scans, shorter=2 if scans else -1)  # fmt: skip


@planner("extreme_grad")
def plan_extreme_gradient(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the gradient of `cummax` and `cummin`: inputs (gradient, their indices int64), parameters (dim,).

    Elements with one index are added in order. Indices must not decrease along the lines.
    """
    kernel = find_kernel("extreme_grad_lines", outputs[0].dtype.code)
    if kernel is None or inputs[0].dtype is not outputs[0].dtype or inputs[1].dtype.code != INT64:
        raise no_kernel(operator, inputs, outputs)
    return _plan(operator, kernel, inputs, outputs, parameters, parameters[0], kernel.cost, backwards=False)


def _plan(
    operator: str,
    kernel: Kernel | str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    dim: int,
    cost: int,
    *,
    option: int = 0,
    flag: int = 0,
    backwards: bool | None = None,
    shorter: int = -1,
) -> Plan:
    found = kernel_for(kernel) if isinstance(kernel, str) else kernel
    code = inputs[0].dtype.code
    if operator in ("sort", "topk", *RANKS, "kthvalue") and code >= COMPLEX64 and code not in UNSIGNED:
        raise no_kernel(operator, inputs, outputs)
    sizes = [layout.dtype.itemsize for layout in (*inputs, *outputs)]
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel_for("lines").address,
        shape="lines_shape",
        struct="facula_lines",
        part=ffi.cast("void *", found.address),
        cost=cost,
        itemsize=sizes[0],
        dtype=code,
        dim=dim,
        results=len(outputs),
        option=option,
        sizes=sizes,
        flag=int(flag),
        backwards=bool(backwards),
        shorter=shorter,
        together=1 if backwards is None else TILED,
    )
