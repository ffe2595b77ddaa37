"""`Binomial`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.binomial"):
    from facula_distributions import Binomial

__all__ = ["Binomial"]
