"""Planners of softmax, log_softmax and their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._kernels import ffi
from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters


@planner("softmax", "log_softmax", "softmax_grad", "log_softmax_grad")
def plan_softmax(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o from (a,), or from (g, result) for the gradients, along parameters (dim,). Floating dtypes, any strides.

    Results of the gradients: `g - exp(result) * sum(g)` and `result * (g - sum(g * result))`.
    """
    (dim,) = parameters
    x, y = inputs if operator.endswith("_grad") else (*inputs, *inputs)
    o = outputs[0]
    kernel = find_kernel(operator + "_rows", o.dtype.code)
    if kernel is None or x.dtype is not o.dtype or y.dtype is not o.dtype:
        raise no_kernel(operator, inputs, outputs)
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel_for("rows").address,
        shape="softmax_shape",
        struct="facula_softmax",
        part=ffi.cast("void *", kernel.address),
        cost=kernel.cost,
        itemsize=o.dtype.itemsize,
        dim=dim,
    )
