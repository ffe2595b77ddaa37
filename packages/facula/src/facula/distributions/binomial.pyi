"""Names of PyTorch's torch.distributions.binomial, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Binomial as Binomial
