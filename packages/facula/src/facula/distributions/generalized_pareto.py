"""`GeneralizedPareto`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.generalized_pareto"):
    from facula_distributions import GeneralizedPareto

__all__ = ["GeneralizedPareto"]
