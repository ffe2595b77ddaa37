"""Attention with functions of positions, its masks and their blocks, computed by any library in float64."""

from __future__ import annotations

from importlib import import_module

import numpy as np

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 4, 12, 10, 4


def answers(lib) -> dict[str, list]:
    """Return results, logarithms of sums, and blocks of masks, as nested lists."""
    flex = import_module(f"{lib.__name__}.nn.attention.flex_attention")
    rng = np.random.default_rng(0)

    def draw(*shape):
        return lib.tensor(rng.standard_normal(shape))

    query, key, value = draw(BATCH, HEADS, QUERIES, WIDTH), draw(BATCH, HEADS, KEYS, WIDTH), draw(BATCH, HEADS, KEYS, 2)
    few, few_values = draw(BATCH, 2, KEYS, WIDTH), draw(BATCH, 2, KEYS, 2)
    bias, slopes = draw(HEADS, QUERIES, KEYS), draw(HEADS)
    documents = lib.tensor(rng.integers(0, 3, QUERIES))

    def causal(b, h, q, k):
        return q >= k

    masks = {
        "causal": (causal, None, None),
        "window": (flex.and_masks(causal, lambda b, h, q, k: q - k < 3), BATCH, HEADS),
        "prefix": (flex.or_masks(causal, lambda b, h, q, k: k < 5), BATCH, None),
        "documents": (lambda b, h, q, k: documents[q] == documents[k], None, None),
        "heads": (lambda b, h, q, k: (k % HEADS == h) & (q > 5), None, HEADS),
        "nothing": (flex.noop_mask, None, None),
    }
    scores = {
        "slopes": lambda score, b, h, q, k: score + slopes[h] * (k - q),
        "bias": lambda score, b, h, q, k: score + bias[h, q, k],
        "capped": lambda score, b, h, q, k: lib.tanh(score / 2) * 2,
        "causal": lambda score, b, h, q, k: lib.where(q >= k, score, -float("inf")),
        "by batch": lambda score, b, h, q, k: score * (1 + b),
    }
    found = {}
    for name, (mask, batch, heads) in masks.items():
        made = flex.create_block_mask(mask, batch, heads, QUERIES, KEYS, device="cpu", BLOCK_SIZE=4)
        out, lse = flex.flex_attention(query, key, value, block_mask=made, return_lse=True)
        found[f"mask {name}"] = out.reshape(-1).tolist()
        found[f"mask {name}: lse"] = lse.reshape(-1).nan_to_num(neginf=-1e9).tolist()
        blocks = made.kv_num_blocks, made.kv_indices, made.full_kv_num_blocks, made.full_kv_indices
        columns = made.q_num_blocks, made.q_indices, made.full_q_num_blocks, made.full_q_indices
        found[f"mask {name}: blocks"] = [one.tolist() for one in (*blocks, *columns, made.to_dense())]
        found[f"mask {name}: sparsity"] = [made.sparsity(), *map(float, made.shape)]
        mask = flex.create_mask(mask, batch, heads, QUERIES, KEYS, device="cpu")
        found[f"mask {name}: whole"] = mask.int().tolist()
        grouped = flex.flex_attention(query, few, few_values, block_mask=made, enable_gqa=True)
        found[f"mask {name}: groups of heads"] = grouped.reshape(-1).tolist()
    for name, score in scores.items():
        found[f"score {name}"] = flex.flex_attention(query, key, value, score).reshape(-1).tolist()
        made = flex.create_block_mask(causal, None, None, QUERIES, KEYS, device="cpu")
        both = flex.flex_attention(query, few, few_values, score, made, scale=0.3, enable_gqa=True)
        found[f"score {name} and a mask"] = both.reshape(-1).tolist()
    return found
