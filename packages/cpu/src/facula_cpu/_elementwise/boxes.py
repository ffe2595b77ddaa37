"""Plans of strided copies and additions in boxes; see Note [Moves] in moves.dispatch.c."""

from __future__ import annotations

from math import prod
from struct import pack
from typing import TYPE_CHECKING, NamedTuple

from facula_storage.extend.plans import unbind

from .._kernels import ffi
from .._runtime.planners import GRAIN, SERIAL, bound_plan
from .._runtime.registry import kernel_for
from .elementwise import collapse, find_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout, Plan

    from .._runtime.types import Parameters

PIECE, LEAST_PIECE = 16384, 2048  # bytes: pieces that several boxes touch should fit in the L1 cache
RUN = 4096  # the elements of a run of a one-dimensional box, which threads share
Dim = tuple[int, int, int]  # extent, step of the source, step of the target


class Box(NamedTuple):
    """Elements that are copied or added; places and steps count elements, and steps may be negative.

    All boxes of a plan have the same number of dimensions.
    """

    dims: tuple[Dim, ...]
    source: int = 0
    target: int = 0
    add: bool = False


def plan_boxes(
    operator: str, parameters: Parameters, output: Layout, boxes: Sequence[Box], fill: tuple[float, ...] | None = None
) -> Plan:
    """Return the plan that moves the boxes one after the other to a contiguous output, after filling it.

    Arguments:
        operator, parameters: of the plan.
        output: the layout of the target.
        boxes: the boxes, without empty ones. Additions require float32 or float64.
        fill: the number (two for complex dtypes) that elements have before; None if boxes copy to all of them.
    """
    size = output.dtype.itemsize
    boxes = boxes if output.numel else ()
    outer, inner = split_dims(boxes, 0 if fill is None else output.numel, size)
    kept = [[(1, 0, 0)] if not dims else dims for dims in inner]
    rank = max([2, *[len(dims) for dims in kept]])
    numbers = [number for dim in outer for number in scaled(dim, size)]
    for box, dims in zip(boxes, kept, strict=True):
        numbers += box.add, box.source * size, box.target * size
        for dim in (*dims, *[(1, 0, 0)] * (rank - len(dims))):
            numbers += scaled(dim, size)
    pieces = prod([dim[0] for dim in outer]) if output.numel else 0
    moved = sum([prod([dim[0] for dim in dims]) for dims in kept])  # in a piece
    kernel = kernel_for("moves", size)
    struct = ffi.new(
        "struct facula_moves *",
        {
            "pieces": pieces,
            "group": max(1, GRAIN // (kernel.cost * max(moved, 1))),
            "serial": pieces * moved * kernel.cost <= SERIAL,
            "clear": 0 if fill is None else output.nbytes // max(pieces, 1),
            "outer": len(outer),
            "boxes": len(boxes),
            "dims": rank,
            "nest": numbers,
        },
    )
    if fill is not None:
        store_number(output.dtype.code, fill, int(ffi.cast("intptr_t", struct.value)))
    cost = pieces * moved * kernel.cost / max(output.numel, 1)
    return bound_plan(operator, parameters, (output,), kernel.address, struct, arrays=2, cost=cost)


def store_number(code: int, number: tuple[float, ...], address: int) -> None:
    """Store a number (two for complex dtypes) as an element of a dtype. Recorders do not observe this."""
    form = find_form("fill", ({1: type(number[0]), 2: complex}[len(number)],), code)
    assert form is not None
    kernel, plan, doubles, _ = unbind(form.launch)
    given = pack(f"=qq{'d' if doubles else 'q'}{'d' * (len(number) - 1)}", 1, address, *number)
    run: Callable[..., int] = ffi.cast("int64_t (*)(void *, void *)", kernel)  # type: ignore[assignment]
    run(ffi.cast("void *", plan), ffi.from_buffer(given))


def scaled(dim: Dim, size: int) -> Dim:
    """Return a dimension with steps in bytes."""
    return dim[0], dim[1] * size, dim[2] * size


def split_dims(boxes: Sequence[Box], cleared: int, size: int) -> tuple[list[Dim], list[list[Dim]]]:
    """Divide the dimensions of boxes: those around the pieces, and those in each box of a piece, innermost first.

    Arguments:
        boxes: the boxes.
        cleared: the number of elements that are filled first; those of a piece must be adjacent.
        size: the bytes of an element.

    >>> split_dims([Box(((64, 1024, 1024), (1024, 1, 1)))], 0, 4)
    ([(16, 4096, 4096)], [[(4096, 1, 1)]])
    """
    if not boxes:
        return [], []
    first = boxes[0].dims
    order = sorted(range(len(first)), key=lambda at: first[at][2], reverse=True)
    outer: list[Dim] = []
    inside = [list(box.dims) for box in boxes]
    left = cleared or sum([prod([dim[0] for dim in dims]) for dims in inside])  # elements of a piece
    for at in order:
        extent, step, to_step = first[at]
        if left * size <= PIECE or any([box.dims[at] != first[at] for box in boxes]):
            break
        if extent == 1:
            continue
        most = max(1, min(extent, PIECE // (left // extent * size)))
        within = next(count for count in range(most, 0, -1) if extent % count == 0)
        rest = left // extent * within
        if rest * size < LEAST_PIECE or within == extent:
            break
        if cleared and not (to_step * extent == left and all([is_within(box, at, within, rest) for box in boxes])):
            break
        outer.append((extent // within, step * within, to_step * within))
        for dims in inside:
            dims[at] = (within, step, to_step)
        left = rest
        if within > 1:
            break
    merged = [collapse(tuple([dim[0] for dim in dims]), [[dim[1] for dim in dims], [dim[2] for dim in dims]])
              for dims in inside]  # fmt: skip
    around = collapse(tuple([dim[0] for dim in outer]), [[dim[1] for dim in outer], [dim[2] for dim in outer]])
    return [dim for dim in around if dim[0] > 1], [runs(dims) for dims in merged]  # type: ignore[misc, arg-type]


def is_within(box: Box, at: int, count: int, block: int) -> bool:
    """Return whether a box with only `count` entries along dimension `at` is in a block of the target."""
    reach = box.target + (count - 1) * box.dims[at][2]
    return reach + sum([(size - 1) * step for size, _, step in box.dims if step < box.dims[at][2]]) < block


def runs(dims: list[Dim]) -> list[Dim]:
    """Divide a long single dimension, if its length allows it, so that threads can share it."""
    if len(dims) > 1 or dims[0][0] < 2 * RUN:
        return dims
    extent, step, to_step = dims[0]
    count = next((count for count in range(RUN, RUN // 8, -1) if extent % count == 0), extent)
    return [(count, step, to_step), (extent // count, step * count, to_step * count)]
