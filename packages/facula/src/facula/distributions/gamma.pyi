"""Names of PyTorch's torch.distributions.gamma, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Gamma as Gamma
