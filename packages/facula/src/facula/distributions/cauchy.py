"""`Cauchy`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.cauchy"):
    from facula_distributions import Cauchy

__all__ = ["Cauchy"]
