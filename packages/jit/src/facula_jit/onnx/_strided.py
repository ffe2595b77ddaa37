"""Views as ONNX nodes: elements with strides and an offset, selected from an array in row-major order.

The memory is interpreted as an array with dimensions that match the strides of the view: for strides (12, 1), 60
elements are an array of (5, 12). The view is a slice of this array with permuted dimensions, repeated where a stride is
0. If strides do not divide each other (diagonals, overlapping windows), elements are gathered by index.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._nodes import Builder


class Slices(NamedTuple):
    """A view as a slice: the shape of the memory, and the range along each of its dimensions."""

    shape: tuple[int, ...]
    starts: tuple[int, ...]
    counts: tuple[int, ...]
    steps: tuple[int, ...]


def strided(
    b: Builder,
    name: str,
    whole: tuple[int, ...],
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
) -> str:
    """Return a view of a value as a new value.

    Arguments:
        b: the builder.
        name: the value, in row-major order.
        whole: its shape.
        shape: the shape of the view.
        strides: its strides, in elements.
        offset: the first element of the view.
    """
    if tuple(shape) == whole and offset == 0 and is_row_major(shape, strides):
        return name
    kept = [dim for dim, (size, step) in enumerate(zip(shape, strides, strict=True)) if size != 1 and step != 0]
    order = sorted(kept, key=lambda dim: strides[dim], reverse=True)
    sizes, steps = [shape[dim] for dim in order], [strides[dim] for dim in order]
    slices = None
    if prod(shape):
        slices = slices_along(whole, sizes, steps, offset) or slices_of(prod(whole), sizes, steps, offset)
    if slices is None:
        flat = b.reshape(name, (-1,)) if len(whole) != 1 else name
        return b.add("Gather", flat, b.constant(places_of(shape, strides, offset)), axis=0)
    if prod(slices.counts) != prod(whole):
        name = name if slices.shape == whole else b.reshape(name, slices.shape)
        name, whole = _sliced(b, name, slices), slices.counts
    ordered = sorted(kept)
    sequence = [order.index(dim) for dim in ordered]
    if sequence != sorted(sequence):
        if whole != tuple(sizes):
            name = b.reshape(name, sizes)
        name, whole = b.add("Transpose", name, perm=sequence), tuple([sizes[place] for place in sequence])
    single = tuple([1 if step == 0 else size for size, step in zip(shape, strides, strict=True)])
    if whole != single:
        name = b.reshape(name, single)
    return name if single == tuple(shape) else b.add("Expand", name, b.integers(*shape))


def _sliced(b: Builder, name: str, slices: Slices) -> str:
    """Append a Slice node."""
    taken = [axis for axis, size in enumerate(slices.shape) if slices.counts[axis] != size]
    starts = [slices.starts[axis] for axis in taken]
    steps = [slices.steps[axis] for axis in taken]
    stops = [
        start + (slices.counts[axis] - 1) * step + 1 for axis, start, step in zip(taken, starts, steps, strict=True)
    ]
    return b.add("Slice", name, *[b.integers(*numbers) for numbers in (starts, stops, taken, steps)])


def slices_along(whole: Sequence[int], sizes: Sequence[int], strides: Sequence[int], offset: int) -> Slices | None:
    """Return a view as a slice of an array in its own shape, or None. Each of its dimensions follows one of the array;
    strides are in descending order.

    >>> slices_along((5, 12), (3, 4), (24, 3), 1)
    Slices(shape=(5, 12), starts=(0, 1), counts=(3, 4), steps=(2, 3))
    """
    room, starts, counts, steps = prod(whole), [], [], []
    left = list(zip(sizes, strides, strict=True))
    for length in whole:
        room //= length
        start, offset = divmod(offset, room)
        count, step = 1, 1
        if left and left[0][1] >= room:
            count, stride = left.pop(0)
            step, rest = divmod(stride, room)
            if rest:
                return None
        if start + (count - 1) * step >= length:
            return None
        starts.append(start)
        counts.append(count)
        steps.append(step)
    return None if left else Slices(tuple(whole), tuple(starts), tuple(counts), tuple(steps))


def slices_of(numel: int, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Slices | None:
    """Return a view as a slice of `numel` elements in another shape, or None. Strides are in descending order.

    >>> slices_of(60, (5, 4), (12, 1), 3)
    Slices(shape=(5, 12), starts=(0, 3), counts=(5, 4), steps=(1, 1))
    >>> slices_of(9, (3,), (4,), 0)
    """
    shape, starts, counts = [], [], []
    room = numel
    for size, step in zip((*sizes, 1), (*strides, 1), strict=True):
        if step <= 0 or room % step:
            return None
        start, offset = divmod(offset, step)
        length = room // step
        if start + size > length:
            return None
        shape.append(length)
        starts.append(start)
        counts.append(size)
        room = step
    if shape[-1] == 1 and len(shape) > 1:
        del shape[-1], starts[-1], counts[-1]
    return Slices(tuple(shape), tuple(starts), tuple(counts), (1,) * len(shape))


def is_row_major(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return True for contiguous elements in row-major order."""
    expected = 1
    for size, step in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def places_of(shape: Sequence[int], strides: Sequence[int], offset: int) -> np.ndarray:
    """Return the memory index of each element of a view."""
    places = np.full((), offset, np.int64)
    for size, step in zip(shape, strides, strict=True):
        places = places[..., None] + np.arange(size, dtype=np.int64) * step
    return places


def memory_order(shape: Sequence[int], strides: Sequence[int]) -> list[int] | None:
    """Return the dimensions in memory order if the elements fill their memory exactly, else None."""
    order = sorted(range(len(shape)), key=lambda dim: (strides[dim], shape[dim] != 1), reverse=True)
    dense = is_row_major([shape[dim] for dim in order], [strides[dim] for dim in order])
    return order if dense else None
