"""`LogNormal`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.log_normal"):
    from facula_distributions import LogNormal

__all__ = ["LogNormal"]
