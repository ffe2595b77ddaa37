"""Names of PyTorch's torch.optim.adam, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import Adam as Adam
