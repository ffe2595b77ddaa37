"""`Beta`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.beta"):
    from facula_distributions import Beta

__all__ = ["Beta"]
