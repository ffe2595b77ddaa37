"""Planners of `take`, `put`, `take_back`, `merged_positions`, `count_true`, `nonzero_flat`, `nonzero` and `cat`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, plan_for_layouts, planner
from .._runtime.registry import kernel_for
from .reduce import MOST_DIMS, plan_reduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._runtime.types import Layouts, Parameters

BOOL, INT64, COMPLEX128 = 1, 6, 12
NEVER = -(1 << 63)  # an index without dimensions
MERGE_COST = 500  # picoseconds per position


@planner("take", "index_select")
def plan_take(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a indexed along `dim`: shape a.shape[:dim] + index.shape + a.shape[dim + 1:]; inputs (a, index int64).

    Negative indices count from the end. An index out of range is status INDEX with (value, position in the index, size
    of the dimension), and the contents of o are then undefined. Supports any strides. "index_select" does not accept
    negative indices: they are status POSITION.
    """
    return _plan(operator, inputs, outputs, parameters, (1, 2, 0), dim=parameters[0], negative=operator == "take")


@planner("put")
def plan_put(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan assignment of values to a indexed along `dim`, or +=; inputs (index int64, values), output (a,) in place.

    Parameters (dim, accumulate). If several values have one position, the last one wins; with `accumulate` they are
    added in order. Indices as for `take`; with a third parameter, True, negative ones are refused, as for
    "index_select".
    """
    dim, accumulate, *positive = parameters
    return _plan(operator, inputs, outputs, parameters, (0, 1, 2), dim=dim, negative=positive != [True],
                 accumulate=bool(accumulate))  # fmt: skip


@planner("take_back")
def plan_take_back(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan sums of values (values, index int64) by position along `dim`, in a contiguous array of zeros.

    Parameters (shape, dim, an index whose values are skipped, or None).
    """
    _shape, dim, skip = parameters
    if not outputs[0].is_contiguous:
        raise no_kernel(operator, inputs, outputs)
    return _plan(operator, inputs, outputs, parameters, (0, 2, 1), dim=dim, accumulate=True, fresh=True, skip=skip)


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
    places: tuple[int, int, int],
    *,
    dim: int,
    negative: bool = True,
    accumulate: bool = False,
    fresh: bool = False,
    skip: int | None = None,
) -> Plan:
    """Return the plan; `places` are those of the array, the index and the values among the output and the inputs."""
    array, index, values = [(*outputs, *inputs)[place] for place in places]
    computes = not accumulate or array.dtype.code <= COMPLEX128
    if index.dtype.code != INT64 or array.dtype is not values.dtype or not array.ndim or not computes:
        raise no_kernel(operator, inputs, outputs)
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel_for("take" if operator == "index_select" else operator).address,
        shape="index_shape",
        struct="facula_index",
        itemsize=array.dtype.itemsize,
        dtype=array.dtype.code,
        dim=dim,
        option=NEVER if skip is None else skip,
        flag=accumulate,
        negative=negative,
        fresh=fresh,
        array=places[0],
        index=places[1],
        values=places[2],
    )


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
