"""`OneHotCategorical` and `OneHotCategoricalStraightThrough`, where programs for PyTorch look for them."""

from .._siblings import needs

with needs("facula.distributions.one_hot_categorical"):
    from facula_distributions import OneHotCategorical, OneHotCategoricalStraightThrough

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]
