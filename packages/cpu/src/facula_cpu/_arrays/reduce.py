"""Planners of reductions: sums, products, extremes and their indices, any and all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import bool_, uint8
from facula_storage.extend.layouts import COMPLEX

from .._kernels import ffi
from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

MOST_DIMS = 64
VALUES, INDICES = 1, 2  # results, as in struct facula_form
SHORT = 32  # rows up to this length are reduced by column if there are many
SHORT_VECTORS = 16  # the same if elements can be reduced as vectors directly
SHORT_BLOCKS = 48  # the same for operators with much work per row
BY_BLOCKS = frozenset(("norm2", "norm_p", "var"))
ORDERED = frozenset(("log_sum_exp",))  # operators that sum rows and columns in the same order


@planner("sum", "prod", "amax", "amin", "any", "all", "log_sum_exp")
def plan_reduction(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan one output (o,) from one input (a,); parameters (sorted dims, keepdim). Supports any strides of both."""
    dims, keepdim = parameters
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, VALUES)


@planner("max_dim", "min_dim")
def plan_extreme(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the extreme along a dimension, and the index of its first occurrence (int64); a NaN is the extreme."""
    dim, keepdim = parameters
    return _plan(operator, inputs, outputs, parameters, (dim,), keepdim, VALUES | INDICES)


@planner("argmax", "argmin")
def plan_arg_extreme(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the index (int64) of the first extreme along a dimension, or among all elements in row-major order."""
    dim, keepdim = parameters
    dims = tuple(range(MOST_DIMS)) if dim is None else (dim,)
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, INDICES)


@planner("var")
def plan_var(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the variance, or its root; parameters (sorted dims, keepdim, correction, root). The result is real."""
    dims, keepdim, correction, root = parameters
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, VALUES, correction, root)


@planner("norm2")
def plan_norm(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the root of the sum of squares; parameters (sorted dims, keepdim). The result is real."""
    return plan_reduction(operator, inputs, outputs, parameters)


@planner("norm_p")
def plan_norm_p(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the p-norm, or the number of nonzero elements for p = 0; parameters (sorted dims, keepdim, p)."""
    dims, keepdim, p = parameters
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, VALUES, p)


TRUTH = frozenset(("any", "all"))
REDUCERS = {"argmax": "max_dim", "argmin": "min_dim"}


def _plan(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    dims: tuple[int, ...],
    keepdim: bool,
    wanted: int,
    number: float = 0,
    root: bool = False,
) -> Plan:
    (a,) = inputs
    name = REDUCERS.get(operator, operator)
    made = a.dtype if name != operator else outputs[0].dtype
    if operator in TRUTH and made is uint8:
        made = bool_  # the same bytes
    kernel = find_kernel(name + "_reducer", a.dtype.code, made.code)
    if kernel is None:
        raise no_kernel(operator, inputs, outputs)
    short = SHORT_VECTORS if a.dtype.itemsize >= 4 and operator not in TRUTH else SHORT
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel_for("reduce").address,
        shape="reduce_shape",
        struct="facula_reduce",
        part=ffi.cast("void *", kernel.address),
        cost=kernel.cost,
        itemsize=a.dtype.itemsize,
        dims=sum(1 << dim for dim in dims),
        keepdim=keepdim,
        results=wanted,
        valuesize=outputs[0].dtype.itemsize,
        short_row=SHORT_BLOCKS if operator in BY_BLOCKS else short,
        vectors=operator in ("sum", "prod") and a.dtype.category != COMPLEX,
        ordered=operator in ORDERED,
        number=number,
        root=root,
    )
