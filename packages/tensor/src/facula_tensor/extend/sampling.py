"""Draws with gradients, for distributions, and the default generators.

- `gamma_share` is the gamma distribution function.
- `default_generators` contains the default generator of each device, by the device; its index is resolved.
- `default_states` returns the states of those in use by their devices, and `restore_default_states` restores them;
  `restart_default_generators` restarts all from a seed and an offset.
- `state_pair` returns a generator's state as numbers: (seed, numbers drawn).
- `derived_seed` makes a seed from the bytes of a state.
"""

from .._creation.generator import (
    default_generators,
    default_states,
    derived_seed,
    restart_default_generators,
    restore_default_states,
    state_pair,
)
from ..ops.random.sampling import gamma_share, sample_dirichlet, standard_gamma

__all__ = [
    "default_generators",
    "default_states",
    "derived_seed",
    "gamma_share",
    "restart_default_generators",
    "restore_default_states",
    "sample_dirichlet",
    "standard_gamma",
    "state_pair",
]
