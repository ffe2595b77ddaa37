"""`Dirichlet`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.dirichlet"):
    from facula_distributions import Dirichlet

__all__ = ["Dirichlet"]
