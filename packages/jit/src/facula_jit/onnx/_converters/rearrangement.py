"""Converters of operators that move elements without reading them: concatenation, padding, reversal, repetition; and
triangles.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_storage import contiguous, float16, float32, int64
from facula_storage.extend.layouts import FLOATING

from .._nodes import widened
from .._strided import places_of, strided
from .table import converter

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call


@converter("cat")
def _cat(b: Builder, call: Call) -> str:
    """Concatenate along the dimension after `outer` elements: the arguments of launches are outer, count, and
    each part.
    """
    made = call.results[0].shape
    outer = call.operands[0]
    parts = [
        (str(name), layout.shape)
        for name, layout in zip(call.operands, call.layouts, strict=True)
        if layout is not None
    ]
    names, shapes = [name for name, _ in parts], [shape for _, shape in parts]
    for axis in range(len(made)):
        if prod(made[:axis]) != outer:
            continue
        rest = made[:axis], made[axis + 1 :]
        if all([len(shape) == len(made) and (shape[:axis], shape[axis + 1 :]) == rest for shape in shapes]):
            return b.add("Concat", *names, axis=axis) if len(names) > 1 else names[0]
        if made[axis] == len(names) and all([shape == rest[0] + rest[1] for shape in shapes]):
            return b.add("Concat", *[b.add("Unsqueeze", name, b.integers(axis)) for name in names], axis=axis)
    parts_2d = [b.reshape(name, (int(outer or 0), prod(shape) // int(outer or 1))) for name, shape in parts]
    return b.reshape(b.add("Concat", *parts_2d, axis=1), made)


@converter("inset")
def _inset(b: Builder, call: Call) -> str:
    """Convert a number everywhere except at the positions of the operand: padding, or elements that are written
    to a view.
    """
    shape, strides, offset, shared, value = call.parameters
    dtype = call.results[0].dtype
    taken = float32 if shared and dtype is float16 else widened(dtype)
    name, number = b.cast(call.name(0), taken, dtype), b.number(value, taken)
    around = None if shared or tuple(strides) != contiguous(shape, dtype).strides else _around(call, offset)
    if around is not None:
        return b.cast(b.add("Pad", name, b.integers(*around), number, mode="constant"), dtype, taken)
    places = b.constant(places_of(call.shape, strides, offset).reshape(-1))
    base = b.add("Expand", number, b.integers(prod(shape)))
    reduction = "add" if shared else "none"
    base = b.add("ScatterElements", base, places, b.reshape(name, (-1,)), axis=0, reduction=reduction)
    return b.cast(b.reshape(base, shape), dtype, taken)


def _around(call: Call, offset: int) -> list[int] | None:
    """Return the padding before and after the operand along each dimension; None if it is not a padding."""
    shape, strides = call.parameters[:2]
    if len(call.shape) != len(shape):
        return None
    before = []
    for step in strides:
        first, offset = divmod(offset, step) if step else (0, offset)
        before.append(first)
    behind = [size - first - inner for size, first, inner in zip(shape, before, call.shape, strict=True)]
    return [*before, *behind] if min(behind, default=0) >= 0 else None


@converter("windows")
def _windows(b: Builder, call: Call) -> str:
    """Convert a strided view of the operand."""
    shape, strides, offset, _ = call.parameters
    return strided(b, call.name(0), call.shape, shape, strides, offset)


@converter("flip")
def _flip(b: Builder, call: Call) -> str:
    dims = call.parameters[0]
    if not dims:
        return call.name(0)
    count = len(dims)
    return b.add(
        "Slice", call.name(0), b.integers(*[-1] * count), b.integers(*[-(1 << 31)] * count), b.integers(*dims),
        b.integers(*[-1] * count),
    )  # fmt: skip


@converter("roll")
def _roll(b: Builder, call: Call) -> str:
    """Convert a roll: along each dimension, the last elements precede the first ones."""
    name = call.name(0)
    for by, dim in zip(*call.parameters, strict=True):
        size = call.shape[dim]
        if by:
            parts = b.slice(name, dim, size - by, size), b.slice(name, dim, 0, size - by)
            name = b.add("Concat", *parts, axis=dim)
    return name


@converter("tile")
def _tile(b: Builder, call: Call) -> str:
    """Repeat each dimension as a whole, and each of its elements."""
    outer, inner = call.parameters
    name = call.name(0)
    if any([each != 1 for each in inner]):
        apart = [size for length in call.shape for size in (length, 1)]
        spread = [size for length, each in zip(call.shape, inner, strict=True) for size in (length, each)]
        name = b.add("Expand", b.reshape(name, apart), b.integers(*spread))
        name = b.reshape(name, [length * each for length, each in zip(call.shape, inner, strict=True)])
    return b.add("Tile", name, b.integers(*outer)) if any([whole != 1 for whole in outer]) else name


@converter("triangle")
def _triangle(b: Builder, call: Call) -> str:
    diagonal, upper = call.parameters
    name, dtype = call.name(0), call.layout().dtype
    taken = dtype if dtype.category == FLOATING else int64
    made = b.add("Trilu", b.cast(name, taken, dtype), b.number(diagonal, int64), upper=int(upper))
    return b.cast(made, dtype, taken)
