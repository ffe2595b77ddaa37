"""`Wishart`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.wishart"):
    from facula_distributions import Wishart

__all__ = ["Wishart"]
