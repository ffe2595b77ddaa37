"""`Normal`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.normal"):
    from facula_distributions import Normal

__all__ = ["Normal"]
