"""`ContinuousBernoulli`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.continuous_bernoulli"):
    from facula_distributions import ContinuousBernoulli

__all__ = ["ContinuousBernoulli"]
