"""`Chi2`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.chi2"):
    from facula_distributions import Chi2

__all__ = ["Chi2"]
