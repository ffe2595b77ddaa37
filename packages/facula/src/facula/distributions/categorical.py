"""`Categorical`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.categorical"):
    from facula_distributions import Categorical

__all__ = ["Categorical"]
