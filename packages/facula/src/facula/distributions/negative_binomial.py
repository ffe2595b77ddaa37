"""`NegativeBinomial`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.negative_binomial"):
    from facula_distributions import NegativeBinomial

__all__ = ["NegativeBinomial"]
