"""Names of PyTorch's torch.nn.modules.sparse, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Embedding as Embedding
from facula_nn import EmbeddingBag as EmbeddingBag
