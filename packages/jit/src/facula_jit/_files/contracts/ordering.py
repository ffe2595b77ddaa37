"""Contracts of ranks and searches along a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import is_flag, is_place, is_size

if TYPE_CHECKING:
    from facula_storage import Layout

    from .declared import Promise


def _has_rank(a: Layout, dim: Any, k: Any, least: int) -> bool:
    """Return True if a dimension has at least k elements, and k is at least `least`."""
    return is_place(dim, a.ndim) and is_size(k, least) and k <= (a.shape[dim] if a.ndim else 1)


def topk(inputs: Any, parameters: Any) -> bool:
    """Check for the first k elements."""
    k, dim, largest, ordered = parameters
    return is_flag(largest) and is_flag(ordered) and _has_rank(inputs[0], dim, k, 0)


def kthvalue(inputs: Any, parameters: Any) -> bool:
    """Check for the element of each line with a rank."""
    dim, k = parameters
    return _has_rank(inputs[0], dim, k, 1)


def search(inputs: Any, parameters: Any) -> bool:
    """Check for searches of values in sorted lines, along the last dimension."""
    (lines, values), (right,) = inputs, parameters
    return is_flag(right) and 1 <= lines.ndim == values.ndim and lines.shape[:-1] == values.shape[:-1]


def recurrence(inputs: Any, parameters: Any) -> bool:
    """Check for a scan of two operands of the same shape."""
    (a, b), (dim, backwards) = inputs, parameters
    return is_flag(backwards) and a.shape == b.shape and is_place(dim, a.ndim)


def product_gradient(inputs: Any, parameters: Any) -> bool:
    """Check for a scan of three operands of the same shape."""
    (a, g, o), (dim,) = inputs, parameters
    return a.shape == g.shape == o.shape and is_place(dim, a.ndim)


def extreme_gradient(inputs: Any, parameters: Any) -> bool:
    """Check for elements with indices along a dimension."""
    (g, index), (dim,) = inputs, parameters
    return g.shape == index.shape and is_place(dim, g.ndim)


def extreme_shares(inputs: Any, parameters: Any) -> bool:
    """Check for elements, and one extreme and one gradient for each line."""
    (a, extreme, g), (dim, magnitudes) = inputs, parameters
    if not (is_flag(magnitudes) and is_place(dim, a.ndim) and extreme.shape == g.shape and extreme.ndim == a.ndim >= 1):
        return False
    return all([size == (1 if d == dim % a.ndim else a.shape[d]) for d, size in enumerate(g.shape)])


PROMISES: dict[str, Promise] = {
    "topk": topk,
    "kthvalue": kthvalue,
    "search_sorted": search,
    "recurrence": recurrence,
    "cumprod_grad": product_gradient,
    "extreme_grad": extreme_gradient,
    "extreme_shares": extreme_shares,
}
