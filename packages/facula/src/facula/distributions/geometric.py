"""`Geometric`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.geometric"):
    from facula_distributions import Geometric

__all__ = ["Geometric"]
