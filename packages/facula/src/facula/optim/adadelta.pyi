"""Names of PyTorch's torch.optim.adadelta, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import Adadelta as Adadelta
