"""Attention whose scores and masks are functions of positions; the names of facula_nn.attention.flex_attention."""

# ruff: noqa: F403, F405
from ..._names import publish
from ..._siblings import needs

with needs("facula.nn.attention.flex_attention"):
    from facula_nn.attention.flex_attention import *

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention",
    "noop_mask", "or_masks",
]  # fmt: skip

publish(__name__)
