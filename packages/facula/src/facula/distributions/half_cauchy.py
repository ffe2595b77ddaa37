"""`HalfCauchy`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.half_cauchy"):
    from facula_distributions import HalfCauchy

__all__ = ["HalfCauchy"]
