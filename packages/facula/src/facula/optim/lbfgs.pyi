"""Names of PyTorch's torch.optim.lbfgs, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import LBFGS as LBFGS
