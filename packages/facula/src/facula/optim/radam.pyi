"""Names of PyTorch's torch.optim.radam, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import RAdam as RAdam
