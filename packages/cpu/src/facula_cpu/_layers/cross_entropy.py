"""Planners of cross entropy, the negative log likelihood, and their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan

from .._arrays.index import in_order
from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters

INT64 = 6
MOST_TASKS = 64
STRIP = 16  # rows that are processed together
ROW_COST = 30_000  # picoseconds


@planner("cross_entropy", "nll_loss", "cross_entropy_grad", "nll_loss_grad")
def plan_cross_entropy(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the loss from (x, target, weight), or its gradient from (g, x, target, weight). float32 and float64.

    Shapes: x (n, classes, ...) and int64 target (n, ...) of any strides, weight (classes,) contiguous or None.
    Parameters (reduction,): "none", "mean" over the targets' weights, or "sum"; g and the loss are (n, ...) or ().
    Launch: after the addresses ignore_index (int) and label_smoothing (float). A target out of range is status TARGET
    with (value, position, classes, ignore_index), and no element is written.
    """
    (reduction,) = parameters
    gradient = operator.endswith("_grad")
    x, target, weight = inputs[-3:]
    loss, o = (inputs[0], outputs[0]) if gradient else (outputs[0], x)
    kernel = find_kernel(operator.removesuffix("_grad") + "_row", x.dtype.code)
    same = all(layout is None or layout.dtype is x.dtype for layout in (weight, loss, o))
    if kernel is None or not same or target.dtype.code != INT64 or (weight is not None and not weight.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    size, classes, each = x.dtype.itemsize, x.shape[1], reduction == "none"
    dims = in_order(
        target.shape,
        [
            [stride * size for stride in (x.strides[0], *x.strides[2:])],
            [stride * 8 for stride in target.strides],
            [stride * size for stride in loss.strides] if each else (0,) * len(target.shape),
            [stride * size for stride in (o.strides[0], *o.strides[2:])],
        ],
    )
    rows, row = target.numel, classes * kernel.cost + ROW_COST
    struct = ffi.new("struct facula_cross_entropy *", {"nest": [number for dim in dims for number in dim]})
    struct.kernel = ffi.cast("struct facula_class_kernel *", kernel.address)
    struct.rows, struct.classes, struct.x_step, struct.o_step = rows, classes, x.strides[1] * size, o.strides[1] * size
    group = max(1, SERIAL // (2 * row), -(-rows // MOST_TASKS))
    struct.group = -(-group // STRIP) * STRIP
    struct.itemsize, struct.mean, struct.each = size, reduction == "mean", each
    struct.gradient, struct.serial, struct.dims = gradient, rows * row <= SERIAL, len(dims)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("cross_entropy").address,
        struct,
        arrays=len(inputs) + 1,
        scalars=(int, float),
        cost=rows * row / max(outputs[0].numel, 1),
    )
