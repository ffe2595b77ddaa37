"""Contracts of ranks and searches along a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import int64

from .shapes import is_flag, is_size, without

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout


def _along(dim: Any, *layouts: Layout) -> bool:
    """Whether these differ along a dimension alone; numbers have one element along the dimension 0."""
    ndim = layouts[0].ndim
    if type(dim) is not int or any([one.ndim != ndim for one in layouts]):
        return False
    if not ndim:
        return dim in (0, -1)
    return 0 <= dim < ndim and len({without(one.shape, (dim,)) for one in layouts}) == 1


def _length(layout: Layout, dim: int) -> int:
    return layout.shape[dim] if layout.ndim else 1


def _pair(a: Layout, values: Layout, places: Layout) -> bool:
    return values.shape == places.shape and values.dtype is a.dtype and places.dtype is int64


def topk(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The first ones."""
    (a,), (o, places), (k, dim, largest, ordered) = inputs, outputs, parameters
    return (
        is_flag(largest)
        and is_flag(ordered)
        and is_size(k)
        and _along(dim, a, o)
        and k == _length(o, dim) <= _length(a, dim)
        and _pair(a, o, places)
    )


def kthvalue(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The element of each line that has a rank."""
    (a,), (o, places), (dim, k) = inputs, outputs, parameters
    return _along(dim, a, o) and _length(o, dim) == 1 and is_size(k, 1) and k <= _length(a, dim) and _pair(a, o, places)


def search(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Where values belong in lines."""
    (lines, values), (o,), (right,) = inputs, outputs, parameters
    return (
        is_flag(right)
        and lines.ndim >= 1
        and _along(lines.ndim - 1, lines, values)
        and o.shape == values.shape
        and o.dtype is int64
    )


def recurrence(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """A scan of two operands, all of one shape."""
    (a, b), (o,), (dim, backwards) = inputs, outputs, parameters
    return is_flag(backwards) and a.shape == b.shape == o.shape and _along(dim, a, b, o)


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "topk": topk,
    "kthvalue": kthvalue,
    "search_sorted": search,
    "recurrence": recurrence,
}
