"""Names of PyTorch's torch.nn.modules.flatten, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Flatten as Flatten
from facula_nn import Unflatten as Unflatten
