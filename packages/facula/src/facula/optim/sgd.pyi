"""Names of PyTorch's torch.optim.sgd, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import SGD as SGD
