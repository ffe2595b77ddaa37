"""Planners of take, put and take_back, which index slices, and of gather and scatter, which index elements."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_storage import layout_of

from ..._dtype_codes import BOOL, COMPLEX64, COMPLEX128, INT64
from ..dimensions import dimensions_of, nest_of
from ..launches import WARP, Kernel, blocks_for, kernel_plan
from ..registry import planner
from .sorting import Sorting, pair_of, sorting

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from ..launches import Constant

NEVER = -(1 << 63)  # no index
MAX_POSITIONS = (1 << 32) - 2  # marks are uint32_t
STATUS_POSITION = 7
PART = 256  # elements of a slice for one warp, as in indexing.cuh
SLICE = 8  # elements from which those with one index are a slice
MOVED = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "sixteen"}
HOW = {"set": "COMBINE_SET", "sum": "COMBINE_SUM", "prod": "COMBINE_PRODUCT", "amax": "COMBINE_MAX",
       "amin": "COMBINE_MIN"}  # fmt: skip


def scattering(
    name: str, array: Layout, how: str, lines: int, length: int, size: int, slice_: int, fresh: bool, start: str
) -> Sorting:
    """Return the kernels that scatter, and what they need.

    Arguments:
        name: the beginning of the kernels' names.
        array: the layout of the target.
        how: how values combine.
        lines, length: the number of lines, and of the indices in each.
        size: the length of the indexed dimension.
        slice_: the number of elements of a slice; 0 for an index of elements.
        fresh: whether the target has no elements yet.
        start: the elements that it gets then, in C; "nullptr" for zeros.
    """
    what, count, moved = ("slices" if slice_ else "elements"), lines * length, MOVED[array.dtype.itemsize]
    targets = lines * size if how == "COMBINE_SET" else 0
    elements = array.numel if fresh else 0
    constants: dict[str, Constant] = {"targets": targets, "fresh": elements}
    begin = Kernel(
        f"{name}_begin", f"begin_targets<{how}, {moved}>(p, p.array, {start});", blocks_for(max(targets, elements))
    )
    if how == "COMBINE_SET":
        kernels = [
            begin,
            Kernel(f"{name}_mark", f"mark_{what}(p);", blocks_for(count)),
            Kernel(
                name,
                f"assign_{what}<{moved}>(p);",
                blocks_for(count * max(1, slice_)),
            ),
        ]
        return Sorting(kernels, constants, 64 + 4 * targets)
    key_bytes = 4 if size < 1 << 32 else 8
    pair, keys = pair_of(key_bytes), "slice_keys" if what == "slices" else "index_keys"
    digits = max(1, -(-size.bit_length() // 8))
    sorted_ = sorting(name, f"{keys}<{pair}>", "write_pair", lines, length, key_bytes, digits)
    threads = count * (-(-slice_ // PART) * WARP or 1)
    last = Kernel(name, f"combine_{what}<{how}, {array.dtype.code}, {pair}>(p);", blocks_for(threads))
    kernels = [*[begin] * fresh, *sorted_.kernels, last]
    return Sorting(kernels, {**constants, **sorted_.constants}, sorted_.workspace)


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
    if (
        index.dtype.code != INT64
        or array.dtype is not values.dtype
        or not array.ndim
        or (how == "COMBINE_SUM" and array.dtype.code > COMPLEX128)
        or (fresh and not array.is_contiguous)
        or (how is not None and index.numel > MAX_POSITIONS)
    ):
        return None
    if how == "COMBINE_SUM" and array.dtype.code == BOOL:
        how = "COMBINE_OR"
    dim = dim_parameter % array.ndim
    refuses_negative = operator == "index_select" or (operator == "put" and parameters[2:] == (True,))
    return _slices_plan(
        operator, parameters, inputs, outputs, pointers, array, index, values, dim, how,
        lowest=0 if refuses_negative else -array.shape[dim], skip=skip, fresh=fresh,
    )  # fmt: skip


def _slices_plan(
    operator: str,
    parameters: tuple[Any, ...],
    inputs: tuple[Any, ...],
    outputs: tuple[Layout, ...],
    pointers: str,
    array: Layout,
    index: Layout,
    values: Layout,
    dim: int,
    how: str | None,
    *,
    lowest: int = 0,
    skip: int | None = None,
    fresh: bool = False,
    start: str = "nullptr",
    spread: int = 1,
) -> Plan | None:
    """Return a plan for an index of slices along dimension `dim` of the array.

    Arguments:
        how: how values combine, or None to take slices.
        lowest: the least index.
        skip: an index whose values are skipped.
        fresh, start: as for `scattering`.
        spread: the distance between positions in errors.
    """
    size, after, length, count = array.dtype.itemsize, dim + index.ndim, array.shape[dim], index.numel
    before, behind = values.shape[:dim], values.shape[after:]
    array_steps = [stride * size for stride in array.strides]
    value_steps = [stride * size for stride in values.strides]
    outer = dimensions_of(before, array_steps[:dim], value_steps[:dim])
    middle = dimensions_of(index.shape, [8 * stride for stride in index.strides], value_steps[dim:after])
    inner = dimensions_of(behind, array_steps[dim + 1 :], value_steps[after:])
    elements = prod(before) * prod(behind)
    constants: dict[str, Constant] = {
        "size": length,
        "step": array_steps[dim],
        "lowest": lowest,
        "skip": NEVER if skip is None else skip,
        "spread": spread,
        "count": count,
        "outer": prod(before),
        "inner": prod(behind),
        "outer_dims": len(outer),
        "index_dims": len(middle),
        "inner_dims": len(inner),
        "nest": nest_of([*outer, *middle, *inner]),
    }
    name, workspace = f"{operator}_{array.dtype.name}_slices", 0
    if how is None:
        kernels = [Kernel(name, f"take_slices<{MOVED[size]}>(p);", blocks_for(max(count * elements, count)))]
    else:
        kernels, more, workspace = scattering(name, array, how, 1, count, length, max(1, elements), fresh, start)
        constants |= more
    return kernel_plan(
        operator, parameters, outputs, ["indexing"], kernels, pointers=pointers, constants=constants,
        workspace=workspace, checks=inputs, absent="" if workspace else "workspace",
    )  # fmt: skip


@planner("gather", "scatter", "scatter_copy", "gather_back")
def plan_elements(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan indexing of every element: operands and parameters as for the CPU's planners of these operators."""
    how: str | None
    start = "nullptr"
    if operator == "gather":
        (array, index), values, how, pointers = inputs, outputs[0], None, "array index values"
    elif operator == "scatter":
        (index, values), array, how, pointers = inputs, outputs[0], HOW[parameters[1]], "index values array"
    elif operator == "scatter_copy":
        (given, index, values), array, how = inputs, outputs[0], HOW[parameters[1]]
        start, pointers = "p.start", "start index values array"
        if not given.is_contiguous or given.shape != array.shape or given.dtype is not array.dtype:
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
        or (array.dtype.code in (COMPLEX64, COMPLEX128) and how in ("COMBINE_MAX", "COMBINE_MIN"))
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
    if how is not None and length > MAX_POSITIONS:
        return None
    after = max(1, prod(index.shape[dim + 1 :]))
    if lines >= SLICE and length and not any([index.strides[d] for d in others if index.shape[d] != 1]):
        one = layout_of((length,), (index.strides[dim],), index.dtype, index.device)  # an index for whole slices
        return _slices_plan(
            operator, parameters, inputs, outputs, pointers, array, one, values, dim, how, fresh=fresh, start=start,
            spread=after,
        )  # fmt: skip
    constants: dict[str, Constant] = {
        "size": array.shape[dim],
        "step": array.strides[dim] * size,
        "index_step": index.strides[dim] * 8,
        "value_step": values.strides[dim] * size,
        "lines": lines,
        "lines_after": after,
        "length": length,
        "by_line": int(prod(index.shape[dim + 1 :]) == 1),
        "dims": len(nest),
        "nest": nest_of(nest),
        "status": STATUS_POSITION,
    }
    name, workspace = f"{operator}_{array.dtype.name}", 0
    if how is None:
        kernels = [Kernel(name, f"gather_elements<{MOVED[size]}>(p);", blocks_for(index.numel))]
    else:
        kernels, more, workspace = scattering(name, array, how, lines, length, array.shape[dim], 0, fresh, start)
        constants |= more
    return kernel_plan(
        operator, parameters, outputs, ["indexing"], kernels, pointers=pointers, constants=constants,
        workspace=workspace, checks=inputs, absent="" if workspace else "workspace",
    )  # fmt: skip
