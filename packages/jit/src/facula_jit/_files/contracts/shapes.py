"""Checks of shapes and numbers for contracts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from facula_storage import Layout

    Shape = tuple[int, ...]

MAX_NUMBER = 1 << 40  # limit of any number among parameters


def is_size(value: Any, least: int = 0) -> TypeGuard[int]:
    """Return True for an int of at least `least` that is small enough for sums not to overflow."""
    return type(value) is int and least <= value < MAX_NUMBER


def are_sizes(values: Any, count: int, least: int = 0) -> TypeGuard[tuple[int, ...]]:
    """Return True for a tuple of this many sizes."""
    return type(values) is tuple and len(values) == count and all([is_size(value, least) for value in values])


def is_flag(value: Any) -> bool:
    """Return True for True or False."""
    return type(value) is bool


def is_dim(value: Any, ndim: int) -> TypeGuard[int]:
    """Return True for a dimension, which may be negative."""
    return type(value) is int and -ndim <= value < ndim


def is_place(value: Any, ndim: int) -> TypeGuard[int]:
    """Return True for a nonnegative dimension; numbers have one dimension with one element."""
    return type(value) is int and (0 <= value < ndim or (not ndim and value in (0, -1)))


def are_dims(values: Any, ndim: int) -> TypeGuard[tuple[int, ...]]:
    """Return True for distinct, nonnegative dimensions in ascending order."""
    return (
        type(values) is tuple
        and all([type(value) is int and 0 <= value < ndim for value in values])
        and list(values) == sorted(set(values))
    )


def broadcast(*shapes: Shape) -> Shape | None:
    """Return the shape to which these broadcast, or None.

    >>> broadcast((3, 1), (4,)), broadcast((3,), (4,))
    ((3, 4), None)
    """
    found = []
    for place in range(1, max(map(len, shapes), default=0) + 1):
        sizes = {shape[-place] for shape in shapes if place <= len(shape)} - {1}
        if len(sizes) > 1:
            return None
        found.append(sizes.pop() if sizes else 1)
    return tuple(found[::-1])


def left_out(layout: Layout | None, shape: Shape) -> bool:
    """Return True for an operand that is omitted, or has this shape."""
    return layout is None or layout.shape == shape


def without(shape: Shape, dims: tuple[int, ...], keepdim: bool = False) -> Shape:
    """Return the shape of a reduction."""
    return tuple([1 if k in dims else size for k, size in enumerate(shape) if keepdim or k not in dims])


def reach(shape: Shape, strides: Shape, offset: int) -> tuple[int, int]:
    """Return the least and the greatest index of an element; strides may be negative. Without elements, both are the
    offset.
    """
    if 0 in shape:
        return offset, offset
    steps = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    return offset + sum([min(step, 0) for step in steps]), offset + sum([max(step, 0) for step in steps])
