"""Names of PyTorch's torch.distributions.bernoulli, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Bernoulli as Bernoulli
