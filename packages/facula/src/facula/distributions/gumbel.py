"""`Gumbel`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.gumbel"):
    from facula_distributions import Gumbel

__all__ = ["Gumbel"]
