"""Names of PyTorch's torch.optim.adagrad, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import Adagrad as Adagrad
