"""Names of PyTorch's torch.distributions.multivariate_normal, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Distribution as Distribution
from facula_distributions import MultivariateNormal as MultivariateNormal
