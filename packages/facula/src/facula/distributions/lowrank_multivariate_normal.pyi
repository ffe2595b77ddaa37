"""Names of PyTorch's torch.distributions.lowrank_multivariate_normal, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import LowRankMultivariateNormal as LowRankMultivariateNormal
