"""Planners of `gather`, `gather_back`, `scatter` and `scatter_copy`, which have an index for every element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._kernels import lib
from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

INT64, COMPLEX64, COMPLEX128 = 6, 11, 12
MODES = {
    "set": lib.FACULA_SCATTER,
    "sum": lib.FACULA_SCATTER_ADD,
    "prod": lib.FACULA_SCATTER_MULTIPLY,
    "amax": lib.FACULA_SCATTER_MAX,
    "amin": lib.FACULA_SCATTER_MIN,
}


@planner("gather")
def plan_gather(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o[i, j, k] = a[i, index[i, j, k], k], for dim = 1; inputs (a, index int64), o of the index's shape.

    All have the same number of dimensions, at least one. The index may exceed a's length only along `dim`. Indices
    range from 0 to a.shape[dim] - 1: any other is status POSITION with (value, position in the index, size of the
    dimension), and the contents of o are then undefined. Supports any strides.
    """
    return _plan(operator, inputs, outputs, parameters, (1, 2, 0), lib.FACULA_GATHER)


@planner("scatter")
def plan_scatter(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a[i, index[i, j, k], k] = values[i, j, k], for dim = 1; inputs (index int64, values), output (a,), in place.

    Parameters (dim, mode): "set" (the last value wins), or "sum", "prod", "amax", "amin" of the present value and all
    new ones, in order. Values have the index's shape. Otherwise like `gather`, but an index out of range prevents all
    writes.
    """
    return _plan(operator, inputs, outputs, parameters, (0, 1, 2), MODES[parameters[1]])


@planner("scatter_copy")
def plan_scatter_copy(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan `scatter` into a copy: inputs (a, index int64, values), with a contiguous a; parameters (dim, mode).

    After an index out of range the contents of the copy are undefined.
    """
    a = inputs[0]
    if not a.is_contiguous or a.shape != outputs[0].shape or a.dtype is not outputs[0].dtype:
        raise no_kernel(operator, inputs, outputs)
    return _plan(operator, inputs, outputs, parameters, (0, 2, 3), MODES[parameters[1]])


@planner("gather_back")
def plan_gather_back(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan sums of values (values, index int64) by position in a contiguous array of zeros.

    Parameters (shape, dim).
    """
    return _plan(operator, inputs, outputs, parameters, (0, 2, 1), lib.FACULA_SCATTER_ADD)


def _plan(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    places: tuple[int, int, int],
    mode: int,
) -> Plan:
    """Return the plan; `places` are those of the array, the index and the values among the output and the inputs."""
    array, index, values = [(*outputs, *inputs)[place] for place in places]
    dim = parameters[1 if operator == "gather_back" else 0]
    fresh = operator in ("gather_back", "scatter_copy")
    ordered = mode in (lib.FACULA_SCATTER_MAX, lib.FACULA_SCATTER_MIN)
    if (
        index.dtype.code != INT64
        or array.dtype is not values.dtype
        or not array.ndim == index.ndim == values.ndim != 0
        or index.shape != values.shape
        or any([d != dim % array.ndim and n > array.shape[d] for d, n in enumerate(index.shape)])
        or (ordered and array.dtype.code >= COMPLEX64)
        or (mode >= lib.FACULA_SCATTER_ADD and array.dtype.code > COMPLEX128)
        or (fresh and not array.is_contiguous)
    ):
        raise no_kernel(operator, inputs, outputs)
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel_for(operator).address,
        shape="gather_shape",
        struct="facula_gather",
        itemsize=array.dtype.itemsize,
        dtype=array.dtype.code,
        dim=dim,
        option=mode,
        fresh=fresh,
        array=places[0],
        index=places[1],
        values=places[2],
    )
