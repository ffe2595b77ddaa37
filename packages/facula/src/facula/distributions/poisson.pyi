"""Names of PyTorch's torch.distributions.poisson, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Poisson as Poisson
