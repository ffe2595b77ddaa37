"""`Distribution`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.distribution"):
    from facula_distributions import Distribution

__all__ = ["Distribution"]
