"""Draws with gradients, for distributions: `gamma_share` is the gamma distribution function."""

from ..ops.random.sampling import gamma_share, sample_dirichlet, standard_gamma

__all__ = [
    "gamma_share",
    "sample_dirichlet",
    "standard_gamma",
]
