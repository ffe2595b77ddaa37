"""Elements that move and are not looked at: joined, padded, turned round, repeated; and triangles."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_storage import bool_, contiguous, int32

from ._strided import places_of, strided
from ._table import converter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._nodes import Builder
    from ._table import Call


@converter("cat")
def _cat(b: Builder, call: Call) -> str:
    """Joined along the dimension that `outer` elements come before: launches have outer, count, then each part."""
    made = call.results[0].shape
    outer = call.operands[0]
    parts = [
        (str(one), layout.shape) for one, layout in zip(call.operands, call.layouts, strict=True) if layout is not None
    ]
    names, shapes = [one for one, _ in parts], [shape for _, shape in parts]
    for axis in range(len(made)):
        if prod(made[:axis]) != outer:
            continue
        rest = made[:axis], made[axis + 1 :]
        if all([len(shape) == len(made) and (shape[:axis], shape[axis + 1 :]) == rest for shape in shapes]):
            return b.add("Concat", *names, axis=axis) if len(names) > 1 else names[0]
        if made[axis] == len(names) and all([shape == rest[0] + rest[1] for shape in shapes]):
            return b.add("Concat", *[b.add("Unsqueeze", one, b.integers(axis)) for one in names], axis=axis)
    parts_2d = [b.reshape(one, (int(outer or 0), prod(shape) // int(outer or 1))) for one, shape in parts]
    return b.reshape(b.add("Concat", *parts_2d, axis=1), made)


@converter("inset")
def _inset(b: Builder, call: Call) -> str:
    """A number everywhere, but the operand where strides show the result in its shape."""
    shape, strides, offset, shared, value = call.parameters
    given, made = call.shape, call.results[0]
    if shared:
        places = places_of(given, strides, offset).reshape(-1)
        base = b.add("Expand", b.number(value, made.dtype), b.integers(made.numel))
        flat = b.reshape(call.name(0), (-1,))
        base = b.add("ScatterElements", base, b.constant(places), flat, axis=0, reduction="add")
        return b.reshape(base, shape)
    if len(given) == len(shape) and tuple(strides) == contiguous(shape, made.dtype).strides:
        before = []
        for step in strides:
            first, offset = divmod(offset, step) if step else (0, offset)
            before.append(first)
        after = [size - first - inner for size, first, inner in zip(shape, before, given, strict=True)]
        if min(after, default=0) >= 0:
            return _padded(b, call, before, after, value)
        offset = call.parameters[2]
    places = places_of(given, strides, offset).reshape(-1)
    base = b.add("Expand", b.number(value, made.dtype), b.integers(made.numel))
    base = b.add("ScatterElements", base, b.constant(places), b.reshape(call.name(0), (-1,)), axis=0)
    return b.reshape(base, shape)


def _padded(b: Builder, call: Call, before: Sequence[int], after: Sequence[int], value: float) -> str:
    """The operand with a number around it."""
    dtype, name = call.results[0].dtype, call.name(0)
    taken = int32 if dtype is bool_ else dtype
    if taken is not dtype:
        name = b.cast(name, taken)
    made = b.add("Pad", name, b.integers(*before, *after), b.number(value, taken), mode="constant")
    return made if taken is dtype else b.cast(made, dtype)


@converter("windows")
def _windows(b: Builder, call: Call) -> str:
    """What strides show of the operand."""
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
    """Along each dimension the last elements before the first ones."""
    name = call.name(0)
    for by, dim in zip(*call.parameters, strict=True):
        size = call.shape[dim]
        if by:
            parts = b.slice(name, dim, size - by, size), b.slice(name, dim, 0, size - by)
            name = b.add("Concat", *parts, axis=dim)
    return name


@converter("tile")
def _tile(b: Builder, call: Call) -> str:
    """Each dimension repeated as a whole, and each of its elements."""
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
    made = b.add("Trilu", b.cast(name, int32) if dtype is bool_ else name, b.integers(diagonal), upper=int(upper))
    return b.cast(made, bool_) if dtype is bool_ else made
