"""Names of PyTorch's torch.nn.modules.distance, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import CosineSimilarity as CosineSimilarity
from facula_nn import PairwiseDistance as PairwiseDistance
