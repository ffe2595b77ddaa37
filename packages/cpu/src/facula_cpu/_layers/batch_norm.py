"""Planners of batch normalization and its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan, float32, float64

from .._kernels import ffi
from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import DType, Layout

    from .._runtime.types import Layouts, Parameters

TRAINING, GIVEN, GRADIENTS, COUNTED = 0, 1, 2, 3
FORMS = {  # the driver's interface, the kernel of channels, numbers of the launch
    "batch_norm": (TRAINING, "batch_norm_channels", 2),
    "batch_norm_counted": (COUNTED, "batch_norm_channels", 1),
    "batch_norm_eval": (GIVEN, "batch_norm_eval_channels", 1),
    "batch_norm_grad": (GRADIENTS, "batch_norm_grad_channels", 0),
}


@planner(*FORMS)
def plan_batch_norm(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan normalization of each channel of x (n, channels, ...). Floating dtypes; all arrays are contiguous.

    batch_norm       (x, weight, bias, running mean, running variance) -> (o, mean, inverse deviation), with the
                     batch's statistics. Launch: momentum, epsilon. The running statistics are updated in place.
    batch_norm_counted  the same with a count of batches, int64, after the running statistics, which become the means
                     of all batches including this one. Launch: epsilon.
    batch_norm_eval  the same with the running statistics -> (o,), not of half precisions. Launch: epsilon.
    batch_norm_grad  (g, x, mean, inverse deviation, weight) -> gradients of (x, weight, bias).

    weight, bias and, in training, running statistics may be None. Half precisions have results of channels in float32,
    and these four operands in float32 or the same half precision.
    """
    o = outputs[0]
    form, name, floats = FORMS[operator]
    kernel = find_kernel(name, o.dtype.code)
    wide = float64 if o.dtype is float64 else float32
    alike = (*inputs[:2], o) if form == GRADIENTS else (inputs[0], o)
    of_channels = inputs[4:] if form == GRADIENTS else inputs[1:5]  # may be narrow
    kept = (*inputs[2:4], *outputs[1:]) if form == GRADIENTS else outputs[1:]
    arrays: list[tuple[Layout, tuple[DType, ...]]] = [(layout, (o.dtype,)) for layout in alike]
    arrays += [(layout, (wide,)) for layout in kept]
    arrays += [(layout, (o.dtype, wide)) for layout in of_channels if layout is not None]
    if kernel is None or any(layout.dtype not in dtypes or not layout.is_contiguous for layout, dtypes in arrays):
        raise no_kernel(operator, inputs, outputs)
    narrow = sum(
        [(layout is not None and layout.dtype is not wide) << place for place, layout in enumerate(of_channels)]
    )
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel_for("batch_norm").address,
        shape="batch_norm_shape",
        struct="facula_batch_norm",
        floats=floats,
        part=ffi.cast("void *", kernel.address),
        cost=kernel.cost,
        option=form,
        dims=narrow,
        arrays=len(inputs) + len(outputs),
    )
