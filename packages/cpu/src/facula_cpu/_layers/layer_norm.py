"""Planners of layer, group and root-mean-square normalization, of rows of length 1, and of their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan, float32, float64

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters

MOST_TASKS, MOST_SUMS = 64, 1 << 24  # tasks of a gradient, and bytes of their sums


def rows_of(operator: str, shape: tuple[int, ...], count: int) -> tuple[int, int, int, int]:
    """Return rows, groups, runs and inner elements of x: `count` is that of groups, or of the last dimensions."""
    numel = 1
    for length in shape:
        numel *= length
    if operator.startswith("group_norm"):
        rows, runs = shape[0] * count, shape[1] // count
        return rows, count, runs, numel // (rows * runs) if rows * runs else 0
    runs = 1
    for length in shape[len(shape) - count :]:
        runs *= length
    rows = 1
    for length in shape[: len(shape) - count]:
        rows *= length
    return rows, 1, runs, 1


@planner(
    "layer_norm", "layer_norm_grad", "group_norm", "group_norm_grad", "rms_norm", "rms_norm_grad",
    "unit_rows", "unit_rows_grad",
)  # fmt: skip
def plan_layer_norm(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan normalization of rows of x; floating dtypes, all arrays are contiguous. Parameters (count,).

    layer_norm  rows are the last `count` dimensions, with a weight for each element
    group_norm  x (n, channels, ...): rows are groups of channels, `count` of them, with a weight for each channel
    rms_norm    like layer_norm, without mean and bias
    unit_rows   rows, the last `count` dimensions, are divided by their lengths, or by epsilon if it is greater

    Forward       (x, weight, bias) -> (o, mean, inverse deviation). Launch: epsilon. weight and bias may be None.
    Gradients     (g, x, mean, inverse deviation, weight) -> gradients of (x, weight, bias). If weight is None, the
                  last two are not written. Half precisions have mean and deviation in float32.

    unit_rows     (x,) -> (o, inverse length), in float32 and float64. The inverse is -1 / epsilon for rows shorter than
                  epsilon, whose squares must not underflow. Gradient: (g, o, inverse length) -> that of x.
    """
    (count,) = parameters
    gradient, by_length = operator.endswith("_grad"), operator.startswith("unit")
    centred = not (by_length or operator.startswith("rms"))
    o = outputs[0]
    numbers = float64 if o.dtype is float64 else float32
    kept = set(inputs[2 : 4 if centred else 3] if gradient else outputs[1:])
    names = ("row_lengths", "row_lengths_grad") if by_length else ("row_norm_rows", "row_norm_grad_rows")
    kernel = find_kernel(names[gradient], o.dtype.code)
    given = [layout for layout in (*inputs, *outputs) if layout is not None]
    if kernel is None or any(
        not layout.is_contiguous or layout.dtype is not (numbers if layout in kept else o.dtype) for layout in given
    ):
        raise no_kernel(operator, inputs, outputs)
    rows, groups, runs, inner = rows_of(operator, o.shape, count)
    struct = ffi.new("struct facula_row_norm *")
    struct.run = ffi.cast("facula_row_norm_rows", kernel.address)
    struct.rows, struct.groups, struct.runs, struct.inner = rows, groups, runs, inner
    struct.centred, struct.gradient, struct.by_length = centred, gradient, by_length
    row = max(1, runs * inner) * kernel.cost
    work = rows * row
    struct.serial = work <= SERIAL
    each = max(1, SERIAL // (2 * row), -(-rows // 1024))
    workspace = 64 if gradient and not by_length else 0
    if gradient and not by_length and inputs[-1] is not None:
        finish = find_kernel("row_norm_finish", o.dtype.code)
        assert finish is not None
        struct.finish = ffi.cast("facula_row_norm_finish", finish.address)
        task_bytes = -(-2 * groups * runs * (8 + numbers.itemsize) // 64) * 64 or 64
        tasks = max(1, min(MOST_TASKS, MOST_SUMS // task_bytes, work // SERIAL))
        each = max(1, -(-rows // tasks))
        struct.task_bytes = task_bytes
        workspace = tasks * task_bytes
    struct.each, struct.tasks = each, -(-rows // each)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("row_norm").address,
        struct,
        arrays=len(inputs) + len(outputs),
        scalars=() if gradient else (float,),
        cost=kernel.cost,
        workspace=workspace,
    )
