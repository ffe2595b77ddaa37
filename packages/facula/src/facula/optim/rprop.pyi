"""Names of PyTorch's torch.optim.rprop, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import Rprop as Rprop
