"""Attention whose scores and masks are functions of positions: PyTorch's `flex_attention`.

J. Dong and others: Flex Attention: A Programming Model for Generating Optimized Attention Kernels, 2024. The functions
process one score, and `vmap` applies them to all. With a `score_mod`, all scores are stored at once; without one, the
kernel of `scaled_dot_product_attention` applies the mask.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

from facula_errors import InvalidValueError, UnsupportedError
from facula_errors.extend import boundary, published
from facula_tensor import Tensor, float32, float64, where
from facula_tensor.extend.arguments import as_real
from facula_tensor.extend.declaring import recorded_ops
from facula_tensor.extend.overriding import make_overridable
from facula_tensor.functional import scaled_dot_product_attention

from ._masks import BlockMask, ScoreMod, and_masks, create_block_mask, create_mask, noop_mask, or_masks, over_all

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention",
    "noop_mask", "or_masks",
]  # fmt: skip


class AuxRequest(NamedTuple):
    """The additional results that `flex_attention` should return."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The results requested by an `AuxRequest`; None for the others."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


@boundary
def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: ScoreMod | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: dict[str, Any] | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Return softmax(score_mod(scale · query @ key.T)) @ value over the unmasked keys; 0 for queries without a key.

    Arguments:
        query: (B, heads, queries, width).
        key: (B, heads, keys, width); with a mask, a batch of 1 is broadcast to the queries' batch.
        value: (B, heads, keys, value width).
        score_mod: a function of (score, batch, head, query, key) that returns a new score; called inside `vmap` with
            tensors of one number.
        block_mask: the mask; if None, every query attends to all keys.
        scale: the factor of the scores; 1 / sqrt(width) if None.
        enable_gqa: whether several heads of the query share one head of key and value.
        return_lse: whether to return a pair with the logarithms of the sums of exponentials.
        kernel_options: accepted for compatibility; ignored, since one kernel serves all cases.
        return_aux: the additional results, returned as a pair of the result and an `AuxOutput`.

    Returns:
        (B, heads, queries, value width); or a pair.

    Raises:
        ValueError: the shapes do not match.

    >>> from facula_tensor import ones
    >>> x = ones(1, 1, 3, 2)
    >>> flex_attention(x, x, x, lambda score, b, h, q, k: score - (q - k).abs()).shape
    facula.Size([1, 1, 3, 2])
    """
    key, value = _fitted(query, key, value, block_mask, enable_gqa)
    width = query.shape[-1]
    factor = (1 / sqrt(width) if width else 1.0) if scale is None else float(as_real(scale, "flex_attention", "scale"))
    mask = None if block_mask is None else block_mask.mask()
    asked = AuxRequest(lse=return_lse) if return_aux is None else return_aux
    if score_mod is None and not asked.lse and not asked.max_scores:
        return scaled_dot_product_attention(query, key, value, mask, scale=factor)
    exact = float64 if query.dtype is float64 else float32
    scores = (query @ key.mT).to(exact) * factor
    if score_mod is not None:
        sizes = tuple(scores.shape)
        scores = over_all(score_mod, scores, sizes, query.device).to(exact)
    if mask is not None:
        scores = where(mask, scores, -inf)
    unseen = (scores == -inf).all(-1, keepdim=True)
    probabilities = where(unseen, 0.0, recorded_ops.softmax(where(unseen, 0.0, scores), (scores.ndim - 1,)))
    result = probabilities.to(query.dtype) @ value
    if not asked.lse and not asked.max_scores:
        return result
    lse = scores.logsumexp(-1) if asked.lse else None
    if return_aux is None:
        return result, lse
    return result, AuxOutput(lse, scores.amax(-1) if asked.max_scores else None)


def _fitted(
    query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, enable_gqa: bool
) -> tuple[Tensor, Tensor]:
    """Check key and value, and return them with the batch and the heads of the query."""
    shapes = [tuple(tensor.shape) for tensor in (query, key, value)]
    if any([len(shape) != 4 for shape in shapes]):
        raise UnsupportedError(f"flex_attention: expected query, key and value of 4 dimensions; got {shapes}")
    (batch, heads, queries, width), (key_batch, key_heads, keys, key_width), values = shapes
    if key_width != width or values[:3] != (key_batch, key_heads, keys):
        raise InvalidValueError(
            "flex_attention: expected query (B, heads, queries, width), key (B, heads, keys, width) and value "
            f"(B, heads, keys, value width); got {shapes[0]}, {shapes[1]} and {shapes[2]}"
        )
    if key_batch != batch and (key_batch != 1 or block_mask is None):
        raise InvalidValueError(
            f"flex_attention: expected one batch, or 1 of key and value and a block_mask; got {batch} and {key_batch}"
        )
    if heads != key_heads and not (enable_gqa and key_heads and heads % key_heads == 0):
        raise InvalidValueError(
            f"flex_attention: expected key and value with as many heads as the query, or enable_gqa=True and a divisor "
            f"of them; got {heads} and {key_heads}"
        )
    if block_mask is not None:
        rows, columns = block_mask.shape[0], block_mask.shape[1]
        if block_mask.seq_lengths != (queries, keys) or rows not in (1, batch) or columns not in (1, heads):
            raise InvalidValueError(
                f"flex_attention: expected a block_mask of {(batch, heads, queries, keys)}, or with 1 for batch "
                f"or heads; got {block_mask.shape}; create_block_mask makes one"
            )
    each = heads // key_heads if key_heads else 1
    return tuple(
        [  # type: ignore[return-value]  # two
            tensor.expand(batch, *tensor.shape[1:]).repeat_interleave(each, 1)
            if each > 1
            else tensor.expand(batch, *tensor.shape[1:])
            for tensor in (key, value)
        ]
    )


__dir__ = published(__name__)

make_overridable(globals(), ())  # no overridable functions; errors are still named after the functions of this module
