"""Names of PyTorch's torch.optim.rmsprop, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.optim import RMSprop as RMSprop
