"""Contracts of sorts, scans and searches along a dimension."""

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


def sort(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Values in order, and where they were."""
    (a,), (o, places), (dim, descending) = inputs, outputs, parameters
    return is_flag(descending) and a.shape == o.shape and _pair(a, o, places) and _along(dim, a, o)


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


def rank(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One element of each line."""
    (a,), (o, places), (dim, *rest) = inputs, outputs, parameters
    return _along(dim, a, o) and _length(o, dim) == 1 <= _length(a, dim) and _pair(a, o, places) and not rest


def kthvalue(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The element of a rank."""
    dim, k = parameters
    return is_size(k, 1) and rank(inputs, outputs, (dim,)) and k <= _length(inputs[0], dim)


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


def scan(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """All of one shape."""
    dim, backwards = parameters
    return (
        is_flag(backwards)
        and len(outputs) == 1
        and all([one.shape == outputs[0].shape for one in inputs])
        and _along(dim, *inputs, *outputs)
    )


def cumulative(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """A scan of one operand."""
    return len(inputs) == 1 and scan(inputs, outputs, parameters)


def recurrence(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """A scan of two."""
    return len(inputs) == 2 and scan(inputs, outputs, parameters)


def extreme_scan(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Extremes so far, and where they are."""
    (a,), (o, places) = inputs, outputs
    return _pair(a, o, places) and scan(inputs, (o,), parameters)


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "sort": sort,
    "topk": topk,
    **dict.fromkeys(("median_dim", "nanmedian_dim", "mode"), rank),
    "kthvalue": kthvalue,
    "search_sorted": search,
    **dict.fromkeys(("cumsum", "cumprod", "logcumsumexp"), cumulative),
    **dict.fromkeys(("cummax", "cummin"), extreme_scan),
    "recurrence": recurrence,
}
