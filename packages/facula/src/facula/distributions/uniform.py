"""`Uniform`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.uniform"):
    from facula_distributions import Uniform

__all__ = ["Uniform"]
