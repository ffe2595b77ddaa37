"""`HalfNormal`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.half_normal"):
    from facula_distributions import HalfNormal

__all__ = ["HalfNormal"]
