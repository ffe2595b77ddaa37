"""Planner of connectionist temporal classification and of its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters

INT64 = 6
CLASS_COST = 600  # picoseconds: the gradient of one class at one step


@planner("ctc_loss", "ctc_loss_grad")
def plan_ctc_loss(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan losses and alphas from (log-probabilities, targets, lengths); their gradient takes g first and these last.

    Forwards   (x, targets, lengths) -> (losses, alphas)
    Gradient   (g, x, targets, lengths, losses, alphas) -> gradient of x

    Shapes: x (steps, batch, classes) of any strides, float32 or float64. All others are contiguous: targets int64,
    lengths (batch, 3) int64 of steps, targets and their offsets, alphas (batch, steps, 2 longest + 1). Parameters
    (longest,). Launch: blank and zero_infinity (int). A target out of range is status TARGET with (value, position,
    classes, blank), a length out of range is RANGE, and no element is written.
    """
    (longest,) = parameters
    gradient = operator.endswith("_grad")
    x, targets, lengths = inputs[1:4] if gradient else inputs
    kernel = find_kernel("ctc_loss", x.dtype.code)
    rest = (inputs[0], *inputs[4:], outputs[0]) if gradient else outputs
    whole = all(layout.is_contiguous for layout in (targets, lengths, *rest))
    if (
        kernel is None
        or not whole
        or targets.dtype.code != INT64
        or any(layout.dtype is not x.dtype for layout in rest)
    ):
        raise no_kernel(operator, inputs, outputs)
    steps, batch, classes = x.shape
    states, size = 2 * longest + 1, x.dtype.itemsize
    struct = ffi.new("struct facula_ctc *")
    struct.steps, struct.batch, struct.classes, struct.targets = steps, batch, classes, targets.numel
    struct.longest, struct.gradient = longest, gradient
    struct.step, struct.example, struct.class_step = (stride * size for stride in x.strides)
    struct.scratch = -(-(states * 8 + (4 * states + 16) * size) // 64) * 64
    work = batch * steps * (states * kernel.cost + (classes * CLASS_COST if gradient else 0))
    struct.serial = work <= SERIAL or batch < 2
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + len(outputs),
        scalars=(int, int),
        cost=work / max(outputs[0].numel, 1),
        workspace=max(64, batch * struct.scratch),
    )
