"""Names of PyTorch's torch.nn.modules.fold, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Fold as Fold
from facula_nn import Unfold as Unfold
