"""Planners of reductions: sums, products, extremes and their indices, any and all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import UnsupportedError
from facula_storage import Plan
from facula_storage.extend.layouts import COMPLEX

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters, Struct

MOST_DIMS = 64
SEGMENT = 512  # the maximum number of outputs that are reduced together
SHORT, WIDE = 32, 16  # rows up to this length, and at least this many outputs, are reduced by column
SHORT_VECTORS = 16  # the same if elements can be reduced as vectors directly
SHORT_BLOCKS = 48  # the same for operators whose work per row is large
BY_BLOCKS = frozenset(("norm2", "norm_p", "var"))
COLUMNS = 64  # the minimum number of columns that are reduced together
ORDERED = frozenset(("log_sum_exp",))  # operators that sum rows and columns in the same order
PIECE = 1 << 15  # the minimum number of reduced elements of a separate piece
MOST_PIECES = 64
STRIDED_COST = 500  # picoseconds per element
STATE_BYTES = 32
OUTPUT_COST = 10_000  # picoseconds per output


@planner("sum", "prod", "amax", "amin", "any", "all", "log_sum_exp")
def plan_reduction(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan one output (o,) from one input (a,); parameters (sorted dims, keepdim). Supports any strides of both."""
    dims, keepdim = parameters
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, (True, False))


@planner("max_dim", "min_dim")
def plan_extreme(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the extreme along a dimension, and the index of its first occurrence (int64); a NaN is the extreme."""
    dim, keepdim = parameters
    return _plan(operator, inputs, outputs, parameters, (dim,), keepdim, (True, True))


@planner("argmax", "argmin")
def plan_arg_extreme(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the index (int64) of the first extreme along a dimension, or among all elements in row-major order."""
    dim, keepdim = parameters
    dims = tuple(range(inputs[0].ndim)) if dim is None else (dim,)
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, (False, True))


@planner("var")
def plan_var(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the variance, or its root; parameters (sorted dims, keepdim, correction, root). The result is real."""
    dims, keepdim, correction, root = parameters
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, (True, False), correction, root)


@planner("norm2")
def plan_norm(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the root of the sum of squares; parameters (sorted dims, keepdim). The result is real."""
    return plan_reduction(operator, inputs, outputs, parameters)


@planner("norm_p")
def plan_norm_p(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the p-norm, or the number of nonzero elements for p = 0; parameters (sorted dims, keepdim, p)."""
    dims, keepdim, p = parameters
    return _plan(operator, inputs, outputs, parameters, dims, keepdim, (True, False), p)


REDUCERS = {"argmax": "max_dim", "argmin": "min_dim"}


def _plan(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    dims: tuple[int, ...],
    keepdim: bool,
    wanted: tuple[bool, bool],
    number: float = 0,
    root: bool = False,
) -> Plan:
    (a,) = inputs
    name = REDUCERS.get(operator, operator)
    kernel = find_kernel(name + "_reducer", a.dtype.code, a.dtype.code if name != operator else outputs[0].dtype.code)
    if kernel is None:
        raise no_kernel(operator, inputs, outputs)
    values, indices = outputs[0] if wanted[0] else None, outputs[-1] if wanted[1] else None
    size = a.dtype.itemsize
    if a.is_contiguous and len(dims) == a.ndim:
        kept: list[tuple[int, ...]] = [(1, 0, 0, 0)]
        reduced: list[tuple[int, ...]] = [(a.numel, size)]
    else:
        kept = _kept_dims(a, dims, keepdim, values, indices)
        reduced = _merge([(a.shape[dim], a.strides[dim] * size) for dim in reversed(dims)], ordered=not wanted[1])
    total = a.numel // max(outputs[0].numel, 1) if outputs[0].numel else 0
    if not outputs[0].numel or not a.numel:
        total = 0
    inner, step = reduced[0]
    by_column = kept[0][1] < step if kept[0][0] > 1 else False
    short = SHORT_VECTORS if size >= 4 and operator not in ("any", "all") else SHORT
    if operator in BY_BLOCKS:
        short = SHORT_BLOCKS
    vectors = operator in ("sum", "prod") and a.dtype.category != COMPLEX and step == size
    by_column = by_column or (inner < short and kept[0][0] >= WIDE and not vectors)
    cost = kernel.cost if (kept[0][1] if by_column else step) == size else max(kernel.cost, STRIDED_COST)
    struct, workspace = _struct(
        kernel.address, outputs[0].numel, total, kept, reduced, by_column, cost, operator in ORDERED
    )
    struct.number, struct.root = number, root
    struct.arg_values, struct.arg_indices = 2 if values else 0, 1 + len(outputs) if indices else 0
    driver = kernel_for("reduce")
    return bound_plan(
        operator,
        parameters,
        outputs,
        driver.address,
        struct,
        arrays=1 + len(outputs),
        cost=cost * total + OUTPUT_COST,
        workspace=workspace,
    )


def _struct(
    reducer: int,
    outputs: int,
    total: int,
    kept: list[tuple[int, ...]],
    reduced: list[tuple[int, ...]],
    by_column: bool,
    cost: float,
    ordered: bool,
) -> tuple[Struct, int]:
    """Return the filled struct facula_reduce, and the bytes of workspace. `serial` and `group` concern threads only.

    With `ordered`, the pieces of a single dimension are the same for every layout of the input.
    """
    first = kept[0][0]
    work = outputs * (total * cost + OUTPUT_COST)
    rows = outputs // first if first else 0
    segment = min(first, SEGMENT) or 1
    # Outputs inside the reduced dimensions are read together, in memory order; the reduced dimensions are split into
    # pieces.
    run = 1
    for extent, step in reduced:
        if step < kept[0][1]:
            run *= extent
    inside = not by_column and 1 < run < total
    if work > SERIAL and not inside:
        # Prefer more segments to longer ones for large work; columns have at least the width of four cache lines.
        smallest = COLUMNS if by_column else 1
        segment = max(min(segment, -(-first * rows // 32)), min(smallest, segment))
    segments = -(-first // segment) * rows
    pieces, piece = 1, max(total, 1)
    parts, elements = (-(-outputs // COLUMNS), outputs * total) if ordered else (segments, segments * segment * total)
    if parts < 16 and elements >= 2 * PIECE:
        pieces = min(MOST_PIECES // parts or 1, elements // PIECE)
        piece = -(-total // max(pieces, 1))
        if not by_column or ordered:
            whole = run if inside else 4096
            piece = -(-piece // whole) * whole
        pieces = -(-total // piece)
    group = max(1, int(segments * SERIAL // (2 * work))) if work else 1
    struct = ffi.new("struct facula_reduce *", {"nest": [number for dim in (*kept, *reduced) for number in dim]})
    struct.reducer = ffi.cast("struct facula_reducer *", reducer)
    struct.outputs, struct.reduced = outputs, total
    struct.segment, struct.segments, struct.group = segment, segments, group
    struct.pieces, struct.piece = pieces, piece
    struct.serial, struct.by_column = work <= SERIAL, by_column
    struct.kept_dims, struct.reduced_dims = len(kept), len(reduced)
    return struct, pieces * outputs * STATE_BYTES if pieces > 1 else 0


def _kept_dims(
    a: Layout, dims: tuple[int, ...], keepdim: bool, values: Layout | None, indices: Layout | None
) -> list[tuple[int, ...]]:
    """Return the remaining dimensions: extent, then byte steps of a, values and indices; the densest one of a first."""
    kept = []
    at = 0
    for dim, (extent, stride) in enumerate(zip(a.shape, a.strides, strict=True)):
        if dim in dims:
            at += keepdim
            continue
        steps = [stride * a.dtype.itemsize]
        for output in (values, indices):
            steps.append(output.strides[at] * output.dtype.itemsize if output else 0)
        kept.append((extent, *steps))
        at += 1
    return _merge(kept[::-1], operands=3)


def _merge(dims: list[tuple[int, ...]], operands: int = 1, ordered: bool = True) -> list[tuple[int, ...]]:
    """Return dimensions (extent, a step per operand), merged where possible, ordered by the first operand's density.

    With `ordered` false they keep their order. The result is never empty.

    >>> _merge([(2, 12), (3, 4)])
    [(6, 4)]
    """
    dims = [dim for dim in dims if dim[0] != 1]
    if ordered:
        dims.sort(key=_step)
    merged: list[tuple[int, ...]] = []
    for dim in dims:
        if merged:
            extent, *steps = merged[-1]
            if all(step == before * extent for step, before in zip(dim[1:], steps, strict=True)):
                merged[-1] = (extent * dim[0], *steps)
                continue
        merged.append(dim)
    if len(merged) > MOST_DIMS:
        raise UnsupportedError(f"at most {MOST_DIMS} dimensions can be reduced; got {len(merged)}; copy first")
    return merged or [(1, *(0,) * operands)]


def _step(dim: tuple[int, ...]) -> int:
    return dim[1]
