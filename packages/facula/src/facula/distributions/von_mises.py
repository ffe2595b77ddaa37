"""`VonMises`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.von_mises"):
    from facula_distributions import VonMises

__all__ = ["VonMises"]
