"""The planner of Adafactor's step, which processes whole parameters: see adafactor.c.

Launch: `launch(parameters, *numbers, *addresses)`; adafactor_numbers.h describes the numbers. The tensors of each
parameter:

    adafactor_step          parameter, gradient, means of rows, means of columns, step
    adafactor_vector_step   parameter, gradient, means of squares, step

All tensors except the gradient are updated in place. `inputs` are the layouts, parameter by parameter. Tensors are
contiguous, of one floating dtype; the step is a single float32 number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._kernels import ffi
from ._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from ._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from ._runtime.types import Layouts, Parameters

NUMBERS = 7


def state_shapes(operator: str, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shapes of the state of a parameter of this shape; none if it is not a matrix but must be one."""
    if operator == "adafactor_vector_step":
        return [shape, ()]
    return [(*shape[:-1], 1), (*shape[:-2], 1, shape[-1]), ()] if len(shape) > 1 else []


@planner("adafactor_step", "adafactor_vector_step")
def plan_adafactor(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Return a plan for the parameters of these layouts, which updates them in place."""
    (width,) = parameters
    first = inputs[:width]
    kernel = find_kernel(operator, *[layout.dtype.code for layout in first])
    if kernel is None:
        raise no_kernel(operator, first, outputs)
    sizes, total = [], 0
    for at in range(0, len(inputs), width):
        tensors = inputs[at : at + width]
        shape = tensors[0].shape
        expected = [shape, shape, *state_shapes(operator, shape)]
        if [layout.shape for layout in tensors] != expected or any(
            layout.dtype is not first[place].dtype or not layout.is_contiguous for place, layout in enumerate(tensors)
        ):
            raise no_kernel(operator, tensors, outputs)
        numel = tensors[0].numel
        height, length = shape[-2:] if operator == "adafactor_step" else (1, numel)
        sizes += [numel // (height * length) if numel else 0, height, length]
        total += numel
    struct = ffi.new("struct facula_adafactor *", {"sizes": sizes})
    struct.update = ffi.cast("facula_adafactor_update", kernel.address)
    struct.parameters, struct.width, struct.serial = len(sizes) // 3, width, total * kernel.cost <= SERIAL
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("adafactor_run").address,
        struct,
        arrays=0,
        scalars=(float,) * NUMBERS,
        many=len(inputs),
        cost=total * kernel.cost * 3 / len(sizes),
    )
