"""Planners of `gather`, `gather_back`, `scatter` and `scatter_copy`, which have an index for every element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import UnsupportedError
from facula_storage import Plan

from .._kernels import ffi, lib
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import kernel_for
from .index import in_order

if TYPE_CHECKING:
    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters

INT64, COMPLEX64, COMPLEX128 = 6, 11, 12
COST = 2500  # picoseconds per element
SHORT, WORTH_SHARING = 16, 8  # extents
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
    a, index = inputs
    return _plan(operator, inputs, outputs, parameters, a, index, outputs[0], lib.FACULA_GATHER)


@planner("scatter")
def plan_scatter(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a[i, index[i, j, k], k] = values[i, j, k], for dim = 1; inputs (index int64, values), output (a,), in place.

    Parameters (dim, mode): "set" (the last value wins), or "sum", "prod", "amax", "amin" of the present value and all
    new ones, in order. Values have the index's shape. Otherwise like `gather`, but an index out of range prevents all
    writes.
    """
    index, values = inputs
    return _plan(operator, inputs, outputs, parameters, outputs[0], index, values, MODES[parameters[1]])


@planner("scatter_copy")
def plan_scatter_copy(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan `scatter` into a copy: inputs (a, index int64, values), with a contiguous a; parameters (dim, mode).

    After an index out of range the contents of the copy are undefined.
    """
    a, index, values = inputs
    if not a.is_contiguous or a.shape != outputs[0].shape or a.dtype is not outputs[0].dtype:
        raise no_kernel(operator, inputs, outputs)
    return _plan(operator, inputs, outputs, parameters, outputs[0], index, values, MODES[parameters[1]])


@planner("gather_back")
def plan_gather_back(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan sums of values (values, index int64) by position in a contiguous array of zeros.

    Parameters (shape, dim).
    """
    values, index = inputs
    return _plan(operator, inputs, outputs, parameters[1:], outputs[0], index, values, lib.FACULA_SCATTER_ADD)


def _plan(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    array: Layout,
    index: Layout,
    values: Layout,
    mode: int,
) -> Plan:
    fresh = operator in ("gather_back", "scatter_copy")
    ordered = mode in (lib.FACULA_SCATTER_MAX, lib.FACULA_SCATTER_MIN)
    if (
        index.dtype.code != INT64
        or array.dtype is not values.dtype
        or not array.ndim == index.ndim == values.ndim != 0
        or index.shape != values.shape
        or any([d != parameters[0] % array.ndim and n > array.shape[d] for d, n in enumerate(index.shape)])
        or (ordered and array.dtype.code >= COMPLEX64)
        or (mode >= lib.FACULA_SCATTER_ADD and array.dtype.code > COMPLEX128)
        or (fresh and not array.is_contiguous)
    ):
        raise no_kernel(operator, inputs, outputs)
    size, dim = array.dtype.itemsize, parameters[0] % array.ndim
    steps = [0 if d == dim else stride * size for d, stride in enumerate(array.strides)]
    dims = in_order(
        index.shape, [steps, [8 * stride for stride in index.strides], [size * stride for stride in values.strides]]
    )
    if len(dims) > lib.FACULA_GATHER_DIMS:
        raise UnsupportedError(f"{operator}: expected at most {lib.FACULA_GATHER_DIMS} dimensions; got {len(dims)}")
    extents = [dim[0] for dim in dims]
    apart = [place for place, dim in enumerate(dims) if dim[1] or mode == lib.FACULA_GATHER]  # if indices are distinct
    split = max(apart, key=extents.__getitem__, default=-1)
    struct = ffi.new("struct facula_gather *", {"nest": [number for dim in dims for number in dim]})
    struct.size, struct.step = array.shape[dim], array.strides[dim] * size
    struct.clear = array.nbytes if fresh else 0
    struct.mode, struct.itemsize, struct.dtype, struct.dims = mode, size, array.dtype.code, len(dims)
    longest = extents.index(max(extents))
    struct.inner = longest if extents[0] < SHORT and extents[longest] >= 4 * extents[0] else 0
    struct.split = split if split >= 0 and extents[split] >= WORTH_SHARING else -1
    work = index.numel * COST + struct.clear * 10
    struct.serial = work <= SERIAL
    kernel = kernel_for(operator)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + 1,
        cost=work / max(outputs[0].numel, 1),
    )
