"""Names of PyTorch's torch.optim.nadam, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import NAdam as NAdam
