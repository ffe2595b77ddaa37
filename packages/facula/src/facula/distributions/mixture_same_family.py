"""`MixtureSameFamily`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.mixture_same_family"):
    from facula_distributions import MixtureSameFamily

__all__ = ["MixtureSameFamily"]
