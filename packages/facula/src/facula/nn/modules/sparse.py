"""Embeddings, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.sparse"):
    from facula_nn.layers.embedding import *

__all__ = ["Embedding"]
