"""`LowRankMultivariateNormal`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.lowrank_multivariate_normal"):
    from facula_distributions import LowRankMultivariateNormal

__all__ = ["LowRankMultivariateNormal"]
