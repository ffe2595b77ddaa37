"""`InverseGamma`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.inverse_gamma"):
    from facula_distributions import InverseGamma

__all__ = ["InverseGamma"]
