"""`Gamma`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.gamma"):
    from facula_distributions import Gamma

__all__ = ["Gamma"]
