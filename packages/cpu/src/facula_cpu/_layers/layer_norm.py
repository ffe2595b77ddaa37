"""Planners of layer, group and root-mean-square normalization, of rows of length 1 and cosines, and of gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan, float32, float64

from .._kernels import ffi
from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters

BY_LENGTH = {"unit": 1, "cosine": 2}
KERNELS = (
    ("row_norm_rows", "row_norm_grad_rows"),
    ("row_lengths", "row_lengths_grad"),
    ("row_cosines", "row_cosines_grad"),
)


@planner(
    "layer_norm", "layer_norm_grad", "group_norm", "group_norm_grad", "rms_norm", "rms_norm_grad",
    "unit_rows", "unit_rows_grad", "cosine_rows", "cosine_rows_grad",
)  # fmt: skip
def plan_layer_norm(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan normalization of rows of x; floating dtypes, all arrays are contiguous. Parameters (count,).

    layer_norm  rows are the last `count` dimensions, with a weight for each element
    group_norm  x (n, channels, ...): rows are groups of channels, `count` of them, with a weight for each channel
    rms_norm    like layer_norm, without mean and bias
    unit_rows   rows, the last `count` dimensions, are divided by their lengths, or by epsilon if it is greater
    cosine_rows  pairs of such rows are compared

    Forward       (x, weight, bias) -> (o, mean, inverse deviation). Launch: epsilon. weight and bias may be None.
    Gradients     (g, x, mean, inverse deviation, weight) -> gradients of (x, weight, bias). If weight is None, the
                  last two are not written. Half precisions have mean and deviation in float32.

    unit_rows     (x,) -> (o, inverse length), in float32 and float64. The inverse is -1 / epsilon for rows shorter than
                  epsilon, whose squares must not underflow. Gradient: (g, o, inverse length) -> that of x.

    cosine_rows   (x, y) -> (cosine, inverse length of x, that of y), which are as for unit_rows. Gradient: (g, x, y,
                  cosine, inverse length of x, that of y) -> that of x.
    """
    (count,) = parameters
    gradient, by_length = operator.endswith("_grad"), BY_LENGTH.get(operator.partition("_")[0], 0)
    centred = not (by_length or operator.startswith("rms"))
    o = outputs[0]
    numbers = float64 if o.dtype is float64 else float32
    kept = set(inputs[2 : 4 if centred else 3] if gradient else outputs[1:])
    kernel = find_kernel(KERNELS[by_length][gradient], o.dtype.code)
    given = [layout for layout in (*inputs, *outputs) if layout is not None]
    if kernel is None or any(
        not layout.is_contiguous or layout.dtype is not (numbers if layout in kept else o.dtype) for layout in given
    ):
        raise no_kernel(operator, inputs, outputs)
    sums = gradient and not by_length and inputs[-1] is not None
    finish = find_kernel("row_norm_finish", o.dtype.code) if sums else None
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel_for("row_norm").address,
        shape="row_norm_shape",
        struct="facula_row_norm",
        floats=0 if gradient else 1,
        part=ffi.cast("void *", kernel.address),
        finish=ffi.cast("void *", finish.address if finish else 0),
        cost=kernel.cost,
        dim=count,
        keepdim=operator.startswith("group_norm"),
        flag=centred,
        backwards=gradient,
        root=by_length,
        valuesize=numbers.itemsize,
        arrays=len(inputs) + len(outputs),
    )
