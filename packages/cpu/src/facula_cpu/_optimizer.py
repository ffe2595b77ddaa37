"""The planner of optimizers' steps; see Note [Optimizer steps] in optimizer.c.

Launch: `launch(parameters, *numbers, *addresses)`. The addresses of each parameter are those of these tensors:

    sgd_step    parameter, gradient[, momentum]
    adam_step   parameter, gradient, mean, mean of squares[, greatest mean of squares], step
    rmsprop_step            parameter, gradient, mean of squares[, momentum], step
    rmsprop_centered_step   parameter, gradient, mean of squares, mean[, momentum], step
    adadelta_step           parameter, gradient, mean of squares, mean of squared changes, step
    adagrad_step            parameter, gradient, sum of squares, step
    adamax_step             parameter, gradient, mean, greatest, step
    nadam_step              parameter, gradient, mean, mean of squares, product of factors, step
    radam_step              parameter, gradient, mean, mean of squares, step
    asgd_step               parameter, gradient, average, eta, mu, step
    rprop_step              parameter, gradient, gradient before, step size, step

The step and the numbers next to it in asgd_step and nadam_step (eta, mu, the product) are single float32 numbers. All
except the gradient are updated in place. `inputs` are the layouts, parameter by parameter; the plan's parameter is the
number of tensors of each. Tensors are contiguous, of one floating dtype. Those of one parameter have the same shape,
except for single numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._kernels import ffi
from ._runtime.planners import GRAIN, SERIAL, bound_plan, no_kernel, planner
from ._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from ._runtime.types import Layouts, Parameters

# The number of a launch's numbers (optimizer_numbers.h describes them), and the number of state tensors per parameter.
NUMBERS = {"sgd_step": 6, "adam_step": 7, "rmsprop_step": 6, "rmsprop_centered_step": 6, "adadelta_step": 5,
           "adagrad_step": 5, "adamax_step": 6, "nadam_step": 8, "radam_step": 7, "asgd_step": 6,
           "rprop_step": 5}  # fmt: skip
KEPT = {name: 1 for name in NUMBERS} | {"sgd_step": 0, "nadam_step": 2, "asgd_step": 3}
FINISHED = ("nadam_step", "asgd_step")


@planner(*NUMBERS)
def plan_step(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Return a plan for the parameters of these layouts, which updates them in place."""
    (width,) = parameters
    kept, first = KEPT[operator], inputs[:width]
    kernel = find_kernel(operator, *[layout.dtype.code for layout in first])
    if kernel is None:
        raise no_kernel(operator, first, outputs)
    operands = width - kept
    ends, total = [], 0
    for at in range(0, len(inputs), width):
        parameter = inputs[at]
        for layout in inputs[at : at + operands]:
            if layout.shape != parameter.shape or layout.dtype is not first[0].dtype or not layout.is_contiguous:
                raise no_kernel(operator, inputs[at : at + width], outputs)
        for layout in inputs[at + operands : at + width]:
            if layout.numel != 1 or layout.dtype is not first[-1].dtype:
                raise no_kernel(operator, inputs[at : at + width], outputs)
        total += parameter.numel
        ends.append(total)
    struct = ffi.new("struct facula_step *", {"ends": ends})
    struct.update = ffi.cast("facula_update", kernel.address)
    struct.parameters, struct.itemsize = len(ends), first[0].dtype.itemsize
    struct.grain, struct.serial = GRAIN // kernel.cost, total * kernel.cost <= SERIAL
    struct.numbers, struct.operands, struct.kept = NUMBERS[operator], operands, kept
    if operator in FINISHED:
        struct.finish = ffi.cast("facula_finish", kernel_for(f"{operator}_finish").address)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("optimizer_step").address,
        struct,
        arrays=0,
        scalars=(float,) * NUMBERS[operator],
        many=len(inputs),
        cost=total * kernel.cost / len(ends),
    )
