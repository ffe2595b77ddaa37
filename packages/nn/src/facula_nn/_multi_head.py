"""Multi-head attention as a function: projections, attention, output projection. A. Vaswani and others, 2017."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, cat, where, zeros
from facula_tensor import bool as bool_dtype
from facula_tensor.functional import dropout, linear, scaled_dot_product_attention, softmax

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "multi_head_attention_forward"


@boundary
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Compute multi-head attention of query (length, batch, width), key and value (keys, batch, ...), or all without
    the batch.

    `attn_mask` (length, keys) or (batch · heads, length, keys) and `key_padding_mask` (batch, keys) are masks: bool,
    True where attention is not allowed, or numbers that are added to the scores. Returns (length, batch, width) and,
    if `need_weights`, the weights (batch, length, keys), for each head unless `average_attn_weights`. Without weights,
    the full matrix of scores is never stored. `is_causal` states that attn_mask, which is then required, is the causal
    mask. ValueError for shapes that do not match.

    Arguments:
        query: (length, batch, width).
        key: (keys, batch, its width).
        value: (keys, batch, its width).
        embed_dim_to_check: the required width of the query.
        num_heads: the number of heads, which divides the width.
        in_proj_weight: (3 · width, width), the packed projections; None with separate ones.
        in_proj_bias: (3 · width,), or None.
        bias_k: a key appended to the others, (1, 1, width), or None.
        bias_v: its value, or None.
        add_zero_attn: append a key and a value of zeros.
        dropout_p: the dropout probability of the weights in training.
        out_proj_weight: (width, width).
        out_proj_bias: (width,), or None.
        training: whether dropout is active.
        key_padding_mask: (batch, keys); see above.
        need_weights: also return the weights.
        attn_mask: see above.
        use_separate_proj_weight: whether the next three arguments are the projections.
        q_proj_weight: (width, width).
        k_proj_weight: (width, the key's width).
        v_proj_weight: (width, the value's width).
        static_k: projected keys that replace the computed ones, (batch · heads, keys, head width).
        static_v: projected values that replace the computed ones.
        average_attn_weights: average the weights over the heads.
        is_causal: `attn_mask` is the causal mask.

    Returns:
        Outputs (length, batch, width); the weights, or None.

    Raises:
        ValueError: the shapes do not match.
    """
    check_operands(query, key, value, embed_dim_to_check, num_heads)
    single = query.ndim == 2
    if single:
        same_key, same_value = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same_key else key.unsqueeze(1)
        value = key if same_value else value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    if is_causal and attn_mask is None:
        raise InvalidValueError(f"{NAME}: expected attn_mask with is_causal=True, which describes it; got None")
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        is_causal = False
    mask = merged(attn_mask, key_padding_mask, batch, num_heads, length, key.shape[0])

    if use_separate_proj_weight:
        weights: Sequence[Tensor | None] = (q_proj_weight, k_proj_weight, v_proj_weight)
        if None in [None if weight is None else 0 for weight in weights]:
            raise InvalidValueError(
                f"{NAME}: expected q_, k_ and v_proj_weight with use_separate_proj_weight; got None"
            )
        biases = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        q, k, v = [linear(*pair) for pair in zip((query, key, value), weights, biases, strict=True)]  # type: ignore[arg-type]
    else:
        if in_proj_weight is None:
            raise InvalidValueError(f"{NAME}: expected in_proj_weight, or use_separate_proj_weight=True; got None")
        q, k, v = projected(query, key, value, in_proj_weight, in_proj_bias)

    further = 0  # appended keys, which the masks do not cover
    if bias_k is not None and bias_v is not None:
        k = cat([k, bias_k.expand(1, batch, width)])
        v = cat([v, bias_v.expand(1, batch, width)])
        further += 1
    heads = (batch, num_heads, -1, width // num_heads)
    q = q.reshape(length, *heads[:2], heads[3]).permute(1, 2, 0, 3)
    k, v = [
        tensor.reshape(tensor.shape[0], *heads[:2], heads[3]).permute(1, 2, 0, 3)
        if static is None
        else static.reshape(heads)
        for tensor, static in ((k, static_k), (v, static_v))
    ]
    if add_zero_attn:
        k, v = [
            cat([tensor, zeros(*heads[:2], 1, heads[3], dtype=tensor.dtype, device=tensor.device)], 2)
            for tensor in (k, v)
        ]
        further += 1
    if mask is not None and further and mask.shape[-1] != 1:
        mask = cat([mask, zeros(*mask.shape[:-1], further, dtype=mask.dtype, device=mask.device)], -1)

    share = dropout_p if training else 0.0
    found = None
    if need_weights:
        scores = (q * (1 / sqrt(q.shape[-1]))) @ k.mT
        if mask is not None:
            scores = where(mask, -float("inf"), scores) if mask.dtype is bool_dtype else scores + mask
        found = dropout(softmax(scores, -1), share)
        out = found @ v
        if average_attn_weights:
            found = found.mean(1)
        if single:
            found = found.squeeze(0)
    else:
        if mask is not None and mask.dtype is bool_dtype:
            mask = ~mask
        out = scaled_dot_product_attention(q, k, v, mask, share, is_causal)
    out = linear(out.permute(2, 0, 1, 3).reshape(length, batch, width), out_proj_weight, out_proj_bias)
    return (out.squeeze(1) if single else out), found


def check_operands(query: Tensor, key: Tensor, value: Tensor, width: int, heads: int) -> None:
    """Raise an error unless the numbers of dimensions and the lengths of query, key and value match.

    Arguments:
        query: the queries.
        key: the keys.
        value: the values.
        width: the width of the queries.
        heads: the number of heads.
    """
    for called, operand in (("query", query), ("key", key), ("value", value)):
        if not isinstance(operand, Tensor):
            raise InvalidTypeError(f"{NAME}: expected {called} to be a Tensor; got {type(operand).__name__}")
    shapes = [tuple(tensor.shape) for tensor in (query, key, value)]
    if len(shapes[0]) not in (2, 3) or {len(shape) for shape in shapes} != {len(shapes[0])}:
        raise InvalidValueError(
            f"{NAME}: expected query, key and value of 3 dimensions, or 2 without a batch; got {shapes[0]}, "
            f"{shapes[1]} and {shapes[2]}"
        )
    if shapes[0][-1] != width:
        raise InvalidValueError(f"{NAME}: expected query of {width} numbers in the last dimension; got {shapes[0]}")
    if shapes[1][:-1] != shapes[2][:-1] or shapes[0][1:-1] != shapes[1][1:-1]:
        raise InvalidValueError(
            f"{NAME}: expected key and value of equal length, and all of one batch; got {shapes[0]}, {shapes[1]} and "
            f"{shapes[2]}"
        )
    if width % heads:
        raise InvalidValueError(f"{NAME}: expected a width that num_heads divides; got {width} and {heads}")


def merged(
    attn_mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, length: int, keys: int
) -> Tensor | None:
    """Combine both masks into one that broadcasts to (batch, heads, length, keys): bool if both are, else additive.

    Arguments:
        attn_mask: (length, keys) or (batch · heads, length, keys), or None.
        padding: (batch, keys), or None.
        batch: the batch size.
        heads: the number of heads.
        length: the number of queries.
        keys: the number of keys.
    """
    for name, mask in (("attn_mask", attn_mask), ("key_padding_mask", padding)):
        if mask is not None and mask.dtype is not bool_dtype and not mask.is_floating_point():
            raise InvalidTypeError(f"{NAME}: expected {name} of bool or a floating dtype; got {mask.dtype.name}")
    if attn_mask is not None:
        if attn_mask.ndim == 3 and attn_mask.shape == (batch * heads, length, keys):
            attn_mask = attn_mask.reshape(batch, heads, length, keys)
        elif attn_mask.shape != (length, keys):
            raise InvalidValueError(
                f"{NAME}: expected attn_mask of shape {(length, keys)} or {(batch * heads, length, keys)}; "
                f"got {tuple(attn_mask.shape)}"
            )
    if padding is None:
        return attn_mask
    if padding.shape != (batch, keys):
        raise InvalidValueError(
            f"{NAME}: expected key_padding_mask of shape {(batch, keys)}; got {tuple(padding.shape)}"
        )
    padding = padding.reshape(batch, 1, 1, keys)
    if attn_mask is None:
        return padding
    if attn_mask.dtype is bool_dtype and padding.dtype is bool_dtype:
        return attn_mask | padding
    like = padding if attn_mask.dtype is bool_dtype else attn_mask
    return added(attn_mask, like) + added(padding, like)


def added(mask: Tensor, like: Tensor) -> Tensor:
    """Convert a mask to additive numbers with the dtype of `like`."""
    if mask.dtype is not bool_dtype:
        return mask
    return where(mask, -float("inf"), zeros((), dtype=like.dtype, device=like.device))


def projected(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None) -> Sequence[Tensor]:
    """Project query, key and value by the packed weight, with fewer products if some of them are the same tensor.

    Arguments:
        query: the queries.
        key: the keys.
        value: the values.
        weight: the packed projection, three parts in sequence.
        bias: the packed bias, or None.
    """
    width = query.shape[-1]
    if key is value:
        if query is key:
            return linear(query, weight, bias).chunk(3, -1)
        first, rest = (None, None) if bias is None else (bias[:width], bias[width:])
        return linear(query, weight[:width], first), *linear(key, weight[width:], rest).chunk(2, -1)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return [linear(*pair) for pair in zip((query, key, value), weight.chunk(3), biases, strict=True)]
