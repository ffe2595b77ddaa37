"""`OneHotCategorical`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.one_hot_categorical"):
    from facula_distributions import OneHotCategorical

__all__ = ["OneHotCategorical"]
