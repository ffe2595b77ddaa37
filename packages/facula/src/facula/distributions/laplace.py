"""`Laplace`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.laplace"):
    from facula_distributions import Laplace

__all__ = ["Laplace"]
