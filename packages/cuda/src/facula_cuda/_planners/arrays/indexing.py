"""Planners of take, put and take_back, which index slices, and of gather and scatter, which index elements."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..._dtype_codes import BOOL, COMPLEX64, COMPLEX128, INT64
from ..dimensions import dimensions_of, nest_of
from ..launches import WARP, Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

NEVER = -(1 << 63)  # no index
MAX_POSITIONS = (1 << 32) - 2  # marks are uint32_t
STATUS_POSITION = 7
PART = 256  # elements of a slice for one warp, as in indexing.cuh
LONG_LINE = 256  # indices of a line from which a warp combines its values
MOVED = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "sixteen"}
HOW = {"set": "COMBINE_SET", "sum": "COMBINE_SUM", "prod": "COMBINE_PRODUCT", "amax": "COMBINE_MAX",
       "amin": "COMBINE_MIN"}  # fmt: skip


def combining(
    name: str, how: str, moved: str, start: str, begins: int, marks: int, assign: Kernel, combine: Kernel
) -> list[Kernel]:
    """Return the kernels that scatter: begin, mark, and assign or combine."""
    what = "slices" if "slices" in assign.body else "elements"
    return [
        Kernel(f"{name}_begin", f"begin_targets<{how}, {moved}>(p, p.array, {start});", blocks_for(begins)),
        Kernel(f"{name}_mark", f"mark_{what}<{how}>(p);", blocks_for(marks)),
        assign if how == "COMBINE_SET" else combine,
    ]


@planner("take", "index_select", "put", "take_back")
def plan_slices(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan indexing along one dimension: operands and parameters as for the CPU's planners of these operators."""
    skip, fresh = None, operator == "take_back"
    if operator in ("take", "index_select"):
        (array, index), values, how = inputs, outputs[0], None
        pointers = "array index values"
    elif operator == "put":
        (index, values), array = inputs, outputs[0]
        how, pointers = "COMBINE_SUM" if parameters[1] else "COMBINE_SET", "index values array"
    else:
        (values, index), array = inputs, outputs[0]
        skip, how, pointers = parameters[2], "COMBINE_SUM", "values index array"
    dim_parameter = parameters[1] if fresh else parameters[0]
    combines = how == "COMBINE_SUM"
    if (
        index.dtype.code != INT64
        or array.dtype is not values.dtype
        or not array.ndim
        or (combines and array.dtype.code > COMPLEX128)
        or (fresh and not array.is_contiguous)
        or (how is not None and index.numel > MAX_POSITIONS)
    ):
        return None
    if combines and array.dtype.code == BOOL:
        how = "COMBINE_OR"
    dim, size = dim_parameter % array.ndim, array.dtype.itemsize
    after = dim + index.ndim
    array_steps = [stride * size for stride in array.strides]
    value_steps = [stride * size for stride in values.strides]
    outer = dimensions_of(array.shape[:dim], array_steps[:dim], value_steps[:dim])
    middle = dimensions_of(index.shape, [8 * stride for stride in index.strides], value_steps[dim:after])
    inner = dimensions_of(array.shape[dim + 1 :], array_steps[dim + 1 :], value_steps[after:])
    refuses_negative = operator == "index_select" or (operator == "put" and parameters[2:] == (True,))
    length, count = array.shape[dim], index.numel
    elements = prod(array.shape[:dim]) * prod(array.shape[dim + 1 :])
    constants = {
        "size": length,
        "step": array_steps[dim],
        "lowest": 0 if refuses_negative else -length,
        "skip": NEVER if skip is None else skip,
        "count": count,
        "outer": prod(array.shape[:dim]),
        "inner": prod(array.shape[dim + 1 :]),
        "outer_dims": len(outer),
        "index_dims": len(middle),
        "inner_dims": len(inner),
        "nest": nest_of([*outer, *middle, *inner]),
    }
    moved, name = MOVED[size], f"{operator}_{array.dtype.name}"
    if how is None:
        kernels = [Kernel(name, f"take_slices<{moved}>(p);", blocks_for(max(count * elements, count)))]
    else:
        constants |= {"targets": length, "fresh": array.numel if fresh else 0}
        tasks = count * -(-elements // PART) * WARP
        kernels = combining(
            name,
            how,
            moved,
            "nullptr",
            max(length, constants["fresh"]),
            count,
            Kernel(name, f"put_slices<{moved}>(p);", blocks_for(count * elements)),
            Kernel(name, f"combine_slices<{how}, {array.dtype.code}>(p);", blocks_for(tasks), waits=True),
        )
    workspace = 0 if how is None else 64 + 8 * length
    return kernel_plan(
        operator, parameters, outputs, ["indexing"], kernels, pointers=pointers, constants=constants,
        workspace=workspace, checks=inputs,
    )  # fmt: skip


@planner("gather", "scatter", "scatter_copy", "gather_back")
def plan_elements(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan indexing of every element: operands and parameters as for the CPU's planners of these operators."""
    how: str | None
    start = None
    if operator == "gather":
        (array, index), values, how, pointers = inputs, outputs[0], None, "array index values"
    elif operator == "scatter":
        (index, values), array, how, pointers = inputs, outputs[0], HOW[parameters[1]], "index values array"
    elif operator == "scatter_copy":
        (start, index, values), array, how = inputs, outputs[0], HOW[parameters[1]]
        pointers = "start index values array"
        if not start.is_contiguous or start.shape != array.shape or start.dtype is not array.dtype:
            return None
    else:
        (values, index), array, how, pointers = inputs, outputs[0], "COMBINE_SUM", "values index array"
    fresh = operator in ("gather_back", "scatter_copy")
    combines = how not in (None, "COMBINE_SET")
    if (
        index.dtype.code != INT64
        or array.dtype is not values.dtype
        or not array.ndim == index.ndim == values.ndim != 0
        or index.shape != values.shape
        or (combines and array.dtype.code > COMPLEX128)
        or (array.dtype.code in (COMPLEX64, COMPLEX128) and how not in (None, "COMBINE_SET", "COMBINE_SUM"))
        or (fresh and not array.is_contiguous)
    ):
        return None
    dim, size = parameters[1 if operator == "gather_back" else 0] % array.ndim, array.dtype.itemsize
    if any([d != dim and n > array.shape[d] for d, n in enumerate(index.shape)]):
        return None
    others = [d for d in range(array.ndim) if d != dim]
    nest = dimensions_of(
        [index.shape[d] for d in others],
        [array.strides[d] * size for d in others],
        [index.strides[d] * 8 for d in others],
        [values.strides[d] * size for d in others],
    )
    lines, length = prod([index.shape[d] for d in others]), index.shape[dim]
    targets = lines * array.shape[dim]
    if how is not None and length > MAX_POSITIONS:
        return None
    constants = {
        "size": array.shape[dim],
        "step": array.strides[dim] * size,
        "index_step": index.strides[dim] * 8,
        "value_step": values.strides[dim] * size,
        "lines": lines,
        "lines_after": max(1, prod(index.shape[dim + 1 :])),
        "length": length,
        "by_line": int(prod(index.shape[dim + 1 :]) == 1),
        "dims": len(nest),
        "nest": nest_of(nest),
        "status": STATUS_POSITION,
    }
    moved, name, count = MOVED[size], f"{operator}_{array.dtype.name}", index.numel
    if how is None:
        kernels = [Kernel(name, f"gather_elements<{moved}>(p);", blocks_for(count))]
    else:
        constants |= {"targets": targets, "fresh": array.numel if fresh else 0}
        of = f"{how}, {array.dtype.code}"
        combine = (
            Kernel(name, f"combine_long_lines<{of}>(p);", blocks_for(count * WARP), waits=True)
            if length >= LONG_LINE
            else Kernel(name, f"combine_elements<{of}>(p);", blocks_for(count))
        )
        kernels = combining(
            name,
            how,
            moved,
            "p.start" if start is not None else "nullptr",
            max(targets, constants["fresh"]),
            count,
            Kernel(name, f"scatter_elements<{moved}>(p);", blocks_for(count)),
            combine,
        )
    workspace = 0 if how is None else 64 + 8 * targets
    return kernel_plan(
        operator, parameters, outputs, ["indexing"], kernels, pointers=pointers, constants=constants,
        workspace=workspace, checks=inputs,
    )  # fmt: skip
