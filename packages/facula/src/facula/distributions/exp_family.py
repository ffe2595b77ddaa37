"""`ExponentialFamily`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.exp_family"):
    from facula_distributions import ExponentialFamily

__all__ = ["ExponentialFamily"]
