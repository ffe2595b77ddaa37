"""Names of PyTorch's torch.optim.asgd, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import ASGD as ASGD
