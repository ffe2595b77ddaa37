"""Tables of vectors, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.sparse"):
    from facula_nn.layers.embedding import *
    from facula_nn.layers.embedding_bag import *

__all__ = ["Embedding", "EmbeddingBag"]
