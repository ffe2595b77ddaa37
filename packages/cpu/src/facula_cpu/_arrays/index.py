"""Planners of `take`, `put`, `take_back`, `merged_positions`, `count_true`, `nonzero_flat`, `nonzero` and `cat`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan

from .._elementwise.elementwise import collapse
from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import kernel_for
from .reduce import MOST_DIMS, plan_reduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters

BOOL, INT64, COMPLEX128 = 1, 6, 12
NEVER = -(1 << 63)  # an index without dimensions
INDEX_COST, BYTE_COST = 4000, 50  # picoseconds: per index and row, and per byte moved
MERGE_COST = 500  # picoseconds per position


@planner("take", "index_select")
def plan_take(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a indexed along `dim`: shape a.shape[:dim] + index.shape + a.shape[dim + 1:]; inputs (a, index int64).

    Negative indices count from the end. An index out of range is status INDEX with (value, position in the index, size
    of the dimension), and the contents of o are then undefined. Supports any strides. "index_select" does not accept
    negative indices: they are status POSITION.
    """
    a, index = inputs
    return _plan(operator, inputs, outputs, parameters, a, index, outputs[0], accumulate=False)


@planner("put")
def plan_put(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan assignment of values to a indexed along `dim`, or +=; inputs (index int64, values), output (a,) in place.

    Parameters (dim, accumulate). If several values have one position, the last one wins; with `accumulate` they are
    added in order. Indices as for `take`; with a third parameter, True, negative ones are refused, as for
    "index_select".
    """
    index, values = inputs
    return _plan(operator, inputs, outputs, parameters, outputs[0], index, values, accumulate=bool(parameters[1]))


@planner("take_back")
def plan_take_back(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan sums of values (values, index int64) by position along `dim`, in a contiguous array of zeros.

    Parameters (shape, dim, an index whose values are skipped, or None).
    """
    values, index = inputs
    _shape, dim, skip = parameters
    if not outputs[0].is_contiguous:
        raise no_kernel(operator, inputs, outputs)
    return _plan(operator, inputs, outputs, (dim,), outputs[0], index, values, accumulate=True, fresh=True, skip=skip)


@planner("merged_positions")
def plan_merged(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a * length + b, positions in two merged dimensions: inputs (a, b int64), parameters (size, length).

    Both have o's shape. Negative ones count from the end of the first dimension, of `size` elements, or the second, of
    `length`. If another is out of range, the status is REQUIRED, and the contents of o are then undefined.
    """
    (a, b), o = inputs, outputs[0]
    if (
        {a.dtype.code, b.dtype.code, o.dtype.code} != {INT64}
        or not a.shape == b.shape == o.shape
        or not o.is_contiguous
    ):
        raise no_kernel(operator, inputs, outputs)
    dims = in_order(o.shape, [[8 * stride for stride in a.strides], [8 * stride for stride in b.strides]])
    struct = ffi.new("struct facula_merge *", {"nest": [number for dim in dims for number in dim]})
    struct.size, struct.length = parameters
    struct.group = max(1, SERIAL // (2 * MERGE_COST * max(dims[0][0], 1)))
    struct.dims, struct.serial = len(dims), o.numel * MERGE_COST <= SERIAL or len(dims) == 1
    kernel = kernel_for(operator)
    return bound_plan(operator, parameters, outputs, kernel.address, struct, arrays=3, cost=MERGE_COST)


@planner("count_true")
def plan_count(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the number of true elements of a mask (bool,): an int64 number."""
    if inputs[0].dtype.code != BOOL or outputs[0].dtype.code != INT64:
        raise no_kernel(operator, inputs, outputs)
    # of all dimensions that a mask may have: later layouts may have others
    return plan_reduction("sum", inputs, outputs, (tuple(range(MOST_DIMS)), False))


@planner("nonzero_flat")
@planner("nonzero")
def plan_nonzero(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan row-major positions of a mask's true elements: int64 (n,), or for "nonzero" coordinates (n, dimensions).

    n is the result of `count_true`; the plan supports any n. A mask without dimensions has no coordinates.
    """
    mask, o = inputs[0], outputs[0]
    columns = mask.shape[::-1] if operator == "nonzero" else ()
    fits = o.shape[1:] == ((len(columns),) if columns else ())
    if mask.dtype.code != BOOL or o.dtype.code != INT64 or not o.is_contiguous or not fits:
        raise no_kernel(operator, inputs, outputs)
    dims = in_order(mask.shape, [mask.strides])
    nest = [number for dim in dims for number in dim]
    struct = ffi.new("struct facula_positions *", {"nest": [*nest, *columns]})
    struct.dims, struct.columns = len(dims), len(columns)
    kernel = kernel_for(operator)
    cost = mask.numel * 500 / max(o.numel, 1)
    return bound_plan(operator, parameters, outputs, kernel.address, struct, arrays=2, cost=cost)


@planner("cat")
def plan_cat(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan concatenation of contiguous arrays of any shapes: launch(n, outer, parts, ..., output address).

    The arguments in between are each part's address, and its number of bytes in each of the `outer` steps.
    """
    kernel = kernel_for(operator)
    cost = kernel.cost * outputs[0].dtype.itemsize
    return bound_plan(
        operator, parameters, outputs, kernel.address, None, arrays=3, many=None, cost=cost, any_size=True
    )


def _plan(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    array: Layout,
    index: Layout,
    values: Layout,
    *,
    accumulate: bool,
    fresh: bool = False,
    skip: int | None = None,
) -> Plan:
    dim = parameters[0] % max(array.ndim, 1)
    computes = not accumulate or array.dtype.code <= COMPLEX128
    if index.dtype.code != INT64 or array.dtype is not values.dtype or not array.ndim or not computes:
        raise no_kernel(operator, inputs, outputs)
    size, after = array.dtype.itemsize, dim + index.ndim
    array_steps = [stride * size for stride in array.strides]
    value_steps = [stride * size for stride in values.strides]
    outer = in_order(array.shape[:dim], [array_steps[:dim], value_steps[:dim]])
    middle = in_order(index.shape, [[8 * stride for stride in index.strides], value_steps[dim:after]])
    inner_shape = array.shape[dim + 1 :]
    inner = collapse(inner_shape, [array_steps[dim + 1 :], value_steps[after:]])
    struct = ffi.new(
        "struct facula_index *", {"nest": [number for level in (*outer, *middle, *inner) for number in level]}
    )
    struct.size, struct.step = array.shape[dim], array_steps[dim]
    struct.lowest = (
        0 if operator == "index_select" or (operator == "put" and parameters[2:] == (True,)) else -struct.size
    )
    struct.skip = NEVER if skip is None else skip
    struct.clear = array.nbytes if fresh else 0
    struct.count, struct.outer, struct.inner = index.numel, _product(array.shape[:dim]), _product(inner_shape)
    struct.itemsize, struct.dtype, struct.accumulate = size, array.dtype.code, accumulate
    struct.outer_dims, struct.index_dims, struct.inner_dims = len(outer), len(middle), len(inner)
    each = INDEX_COST + struct.inner * size * BYTE_COST
    work = struct.outer * struct.count * each + struct.clear * BYTE_COST // 4
    struct.serial = work <= SERIAL
    struct.group = max(1, SERIAL // (2 * each))
    kernel = kernel_for("take" if operator == "index_select" else operator)
    cost = work / max(outputs[0].numel, 1)
    return bound_plan(operator, parameters, outputs, kernel.address, struct, arrays=3, cost=cost)


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def in_order(shape: tuple[int, ...], steps: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return dimensions (extent, steps) in row-major order, innermost first, merged where possible.

    >>> in_order((2, 3, 1), [(3, 1, 7)])
    [(6, 1)]
    """
    merged: list[tuple[int, ...]] = []
    for extent, *by in reversed(list(zip(shape, *steps, strict=True))):
        if extent == 1:
            continue
        if merged and all(step == before * merged[-1][0] for step, before in zip(by, merged[-1][1:], strict=True)):
            merged[-1] = (extent * merged[-1][0], *merged[-1][1:])
        else:
            merged.append((extent, *by))
    return merged or [(1, *(0 for _ in steps))]
