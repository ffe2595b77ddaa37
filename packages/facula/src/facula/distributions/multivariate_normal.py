"""`MultivariateNormal`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.multivariate_normal"):
    from facula_distributions import MultivariateNormal

__all__ = ["MultivariateNormal"]
