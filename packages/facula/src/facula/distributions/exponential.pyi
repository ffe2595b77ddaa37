"""Names of PyTorch's torch.distributions.exponential, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Exponential as Exponential
