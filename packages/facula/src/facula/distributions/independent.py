"""`Independent`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.independent"):
    from facula_distributions import Independent

__all__ = ["Independent"]
