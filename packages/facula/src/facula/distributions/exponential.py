"""`Exponential`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.exponential"):
    from facula_distributions import Exponential

__all__ = ["Exponential"]
