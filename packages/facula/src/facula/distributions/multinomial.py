"""`Multinomial`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.multinomial"):
    from facula_distributions import Multinomial

__all__ = ["Multinomial"]
