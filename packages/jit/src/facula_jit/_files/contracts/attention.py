"""Contracts of attention and its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import is_flag, left_out

if TYPE_CHECKING:
    from .declared import Contract


def attention(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for attention of queries, keys, values and a mask, with the logarithms of the sums as second result."""
    (q, k, v, mask), (out, sums), (is_causal,) = inputs, outputs, parameters
    batch, length, keys = q.shape[:-2], q.shape[-2], k.shape[-2]
    return (
        is_flag(is_causal)
        and q.ndim == k.ndim == v.ndim >= 2
        and k.shape == (*batch, keys, q.shape[-1])
        and v.shape[:-1] == (*batch, keys)
        and left_out(mask, (*batch, length, keys))
        and out.shape == (*batch, length, v.shape[-1])
        and sums.shape == (*batch, length)
        and out.dtype is q.dtype
        and sums.dtype.is_floating_point
        and sums.dtype.itemsize == max(q.dtype.itemsize, 4)
        and out.extent == out.nbytes
        and sums.is_contiguous
    )


def attention_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for the gradients of queries, keys and values."""
    g, q, k, v, mask, out, sums = inputs
    made = zip(outputs, (q, k, v), strict=True)
    return (
        g.shape == out.shape
        and all([a.shape == b.shape and a.dtype is b.dtype and a.extent == a.nbytes for a, b in made])
        and attention((q, k, v, mask), (out, sums), parameters)
    )


CONTRACTS: dict[str, Contract] = {"attention": attention, "attention_grad": attention_grad}
