"""`Weibull`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.weibull"):
    from facula_distributions import Weibull

__all__ = ["Weibull"]
