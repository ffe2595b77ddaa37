"""Draws with gradients, for distributions, and the default generators.

- `gamma_share` is the gamma distribution function.
- `default_generators` contains the default generator of each device, by the device; its index is resolved.
- `default_states` returns the states of those in use by their devices, and `restore_default_states` restores them;
  `restart_default_generators` restarts all from a seed and an offset.
"""

from .._creation.generator import (
    default_generators,
    default_states,
    restart_default_generators,
    restore_default_states,
)
from ..ops.random.sampling import gamma_share, sample_dirichlet, standard_gamma

__all__ = [
    "default_generators",
    "default_states",
    "gamma_share",
    "restart_default_generators",
    "restore_default_states",
    "sample_dirichlet",
    "standard_gamma",
]
