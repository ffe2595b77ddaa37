"""What contracts ask of shapes and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from facula_storage import Layout

    Shape = tuple[int, ...]

MAX_NUMBER = 1 << 40  # of any number among parameters


def is_size(value: Any, least: int = 0) -> TypeGuard[int]:
    """Whether a value is an int of at least `least`, and not so large that sums of some overflow."""
    return type(value) is int and least <= value < MAX_NUMBER


def are_sizes(values: Any, count: int, least: int = 0) -> TypeGuard[tuple[int, ...]]:
    """Whether values are so many such ints."""
    return type(values) is tuple and len(values) == count and all([is_size(one, least) for one in values])


def is_flag(value: Any) -> bool:
    """Whether a value is True or False."""
    return type(value) is bool


def is_dim(value: Any, ndim: int) -> TypeGuard[int]:
    """Whether a value names a dimension, from the front or from the end."""
    return type(value) is int and -ndim <= value < ndim


def is_place(value: Any, ndim: int) -> TypeGuard[int]:
    """Whether a value names a dimension from the front; numbers have one of one element."""
    return type(value) is int and (0 <= value < ndim or (not ndim and value in (0, -1)))


def are_dims(values: Any, ndim: int) -> TypeGuard[tuple[int, ...]]:
    """Whether values are different dimensions, from the front, in order."""
    return (
        type(values) is tuple
        and all([type(one) is int and 0 <= one < ndim for one in values])
        and list(values) == sorted(set(values))
    )


def broadcast(*shapes: Shape) -> Shape | None:
    """The shape that these broadcast to; None where they do not.

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
    """Whether an operand was left out, or has this shape."""
    return layout is None or layout.shape == shape


def without(shape: Shape, dims: tuple[int, ...], keepdim: bool = False) -> Shape:
    """The shape of a reduction."""
    return tuple([1 if k in dims else size for k, size in enumerate(shape) if keepdim or k not in dims])


def reach(shape: Shape, strides: Shape, offset: int) -> tuple[int, int]:
    """The least and the greatest place that is met; strides may be negative. Of no elements the offset twice."""
    if 0 in shape:
        return offset, offset
    steps = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    return offset + sum([min(one, 0) for one in steps]), offset + sum([max(one, 0) for one in steps])
