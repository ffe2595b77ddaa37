"""Names of PyTorch's torch.distributions.distribution, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Distribution as Distribution
