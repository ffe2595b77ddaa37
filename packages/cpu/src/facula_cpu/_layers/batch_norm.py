"""Planners of batch normalization and its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan, float32, float64

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters

TRAINING, GIVEN, GRADIENTS, COUNTED = 0, 1, 2, 3
FORMS = {  # the driver's interface, the kernel of channels, numbers of the launch
    "batch_norm": (TRAINING, "batch_norm_channels", (float, float)),
    "batch_norm_counted": (COUNTED, "batch_norm_channels", (float,)),
    "batch_norm_eval": (GIVEN, "batch_norm_eval_channels", (float,)),
    "batch_norm_grad": (GRADIENTS, "batch_norm_grad_channels", ()),
}
SIDE_BY_SIDE = 64  # channels of single elements, as in the kernel


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
    form, name, scalars = FORMS[operator]
    kernel = find_kernel(name, o.dtype.code)
    wide = float64 if o.dtype is float64 else float32
    alike = (*inputs[:2], o) if form == GRADIENTS else (inputs[0], o)
    of_channels = inputs[4:] if form == GRADIENTS else inputs[1:5]  # may be narrow
    kept = (*inputs[2:4], *outputs[1:]) if form == GRADIENTS else outputs[1:]
    arrays = [(layout, (o.dtype,)) for layout in alike] + [(layout, (wide,)) for layout in kept]
    arrays += [(layout, (o.dtype, wide)) for layout in of_channels if layout is not None]
    if kernel is None or any(layout.dtype not in dtypes or not layout.is_contiguous for layout, dtypes in arrays):
        raise no_kernel(operator, inputs, outputs)
    channels = o.shape[1]
    struct = ffi.new("struct facula_batch_norm *")
    struct.run = ffi.cast("facula_norm", kernel.address)
    struct.batch, struct.channels, struct.form = o.shape[0], channels, form
    for place, layout in enumerate(of_channels):
        struct.narrow |= (layout is not None and layout.dtype is not wide) << place
    each = o.numel // channels if channels else 0
    struct.inner = each // o.shape[0] if o.shape[0] else 1
    work = o.numel * kernel.cost
    struct.serial = work <= SERIAL
    group = max(1, channels // 64, SERIAL // (2 * max(1, each * kernel.cost)))
    struct.group = -(-group // SIDE_BY_SIDE) * SIDE_BY_SIDE if struct.inner == 1 else group
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("batch_norm").address,
        struct,
        arrays=len(inputs) + len(outputs),
        scalars=scalars,
        cost=kernel.cost,
    )
