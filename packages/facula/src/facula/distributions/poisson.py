"""`Poisson`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.poisson"):
    from facula_distributions import Poisson

__all__ = ["Poisson"]
