"""Draws with gradients, for distributions, and the default generators.

- `gamma_share` is the gamma distribution function.
- `default_generators` contains the default generator of each device, by the device; its index is resolved.
"""

from .._creation.generator import default_generators
from ..ops.random.sampling import gamma_share, sample_dirichlet, standard_gamma

__all__ = [
    "default_generators",
    "gamma_share",
    "sample_dirichlet",
    "standard_gamma",
]
