"""Names of PyTorch's torch.optim.adamax, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import Adamax as Adamax
