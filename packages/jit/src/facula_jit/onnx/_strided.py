"""Views as ONNX nodes: elements with strides and an offset, taken out of an array in row-major order.

Memory of n elements is seen as an array whose dimensions are as long as the view's strides say: strides (12, 1) of 60
elements are an array of (5, 12). What the view shows is a slice of it, with its dimensions in another order, repeated
where a stride is 0. Where strides do not divide each other (diagonals, windows that overlap), each element is taken by
its place.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._nodes import Builder


class Slices(NamedTuple):
    """A view as a slice: the shape that memory is seen in, and the first and the last place along each dimension."""

    shape: tuple[int, ...]
    starts: tuple[int, ...]
    stops: tuple[int, ...]


def strided(
    b: Builder,
    name: str,
    whole: tuple[int, ...],
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
) -> str:
    """A view of a value, as a value.

    Arguments:
        b: the builder.
        name: the value, in row-major order.
        whole: its shape.
        shape: the view's.
        strides: in elements.
        offset: the element that the view begins with.
    """
    numel = prod(whole)
    if tuple(shape) == whole and offset == 0 and is_row_major(shape, strides):
        return name
    kept = [dim for dim, (size, step) in enumerate(zip(shape, strides, strict=True)) if size != 1 and step != 0]
    order = sorted(kept, key=lambda dim: strides[dim], reverse=True)
    sizes = [shape[dim] for dim in order]
    slices = slices_of(numel, sizes, [strides[dim] for dim in order], offset) if prod(shape) else None
    if slices is None:
        flat = b.reshape(name, (-1,)) if len(whole) != 1 else name
        return b.add("Gather", flat, b.constant(places_of(shape, strides, offset)), axis=0)
    if slices.shape != whole and not (offset == 0 and prod(sizes) == numel):
        name, whole = b.reshape(name, slices.shape), slices.shape
    for axis, (start, stop) in enumerate(zip(slices.starts, slices.stops, strict=True)):
        if stop - start != slices.shape[axis]:
            name = b.slice(name, axis, start, stop)
            whole = (*whole[:axis], stop - start, *whole[axis + 1 :])
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


def slices_of(numel: int, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Slices | None:
    """A view of memory of `numel` elements as a slice; None where it is none. Strides descend.

    >>> slices_of(60, (5, 4), (12, 1), 3)
    Slices(shape=(5, 12), starts=(0, 3), stops=(5, 7))
    >>> slices_of(9, (3,), (4,), 0)
    """
    shape, starts, stops = [], [], []
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
        stops.append(start + size)
        room = step
    if shape[-1] == 1 and len(shape) > 1:
        del shape[-1], starts[-1], stops[-1]
    return Slices(tuple(shape), tuple(starts), tuple(stops))


def is_row_major(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements lie side by side, in row-major order."""
    expected = 1
    for size, step in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def places_of(shape: Sequence[int], strides: Sequence[int], offset: int) -> np.ndarray:
    """The place in memory of each element of a view."""
    places = np.full((), offset, np.int64)
    for size, step in zip(shape, strides, strict=True):
        places = places[..., None] + np.arange(size, dtype=np.int64) * step
    return places


def memory_order(shape: Sequence[int], strides: Sequence[int]) -> list[int] | None:
    """The dimensions in the order that elements lie in, where these fill their memory once; None where they do not."""
    order = sorted(range(len(shape)), key=lambda dim: (strides[dim], shape[dim] != 1), reverse=True)
    dense = is_row_major([shape[dim] for dim in order], [strides[dim] for dim in order])
    return order if dense else None
