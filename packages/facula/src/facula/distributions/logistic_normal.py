"""`LogisticNormal`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.logistic_normal"):
    from facula_distributions import LogisticNormal

__all__ = ["LogisticNormal"]
