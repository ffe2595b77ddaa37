"""The planner of `triangle`: a copy of the upper or lower triangle of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

LARGEST = 1 << 62


@planner("triangle")
def plan_triangle(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = contiguous matrices `a` with zeros beyond a diagonal; parameters (diagonal, keep the upper part)."""
    (a,), (o,), (diagonal, upper) = inputs, outputs, parameters
    if a.dtype is not o.dtype or not (a.is_contiguous and o.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    kernel = kernel_for(operator)
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel.address,
        shape="triangle_shape",
        struct="facula_triangle",
        cost=kernel.cost,
        itemsize=a.dtype.itemsize,
        option=max(-LARGEST, min(diagonal, LARGEST)),
        flag=upper,
    )
