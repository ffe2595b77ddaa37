"""`Bernoulli`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.bernoulli"):
    from facula_distributions import Bernoulli

__all__ = ["Bernoulli"]
