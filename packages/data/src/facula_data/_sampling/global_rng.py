"""The global random generators of a process: of `random`, of `numpy.random`, and of other libraries.

Workers seed them in each epoch, and `seed_globals=True` seeds them before each sample. A library can register its own
generator, as `facula.utils.data` does for `facula.rand`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class SharedGenerator(NamedTuple):
    """A global random generator of the process; its functions must be picklable.

    Arguments:
        seed: seeds the generator with an integer from 0 to 2**64 - 1.
        state: returns the generator's state.
        restore: restores a state.
    """

    seed: Callable[[int], object]
    state: Callable[[], Any]
    restore: Callable[[Any], object]


def _seed_numpy(seed: int) -> None:
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])


# The random generators of libraries, which workers seed and whose states loaders save.
generators: list[SharedGenerator] = [
    SharedGenerator(random.seed, random.getstate, random.setstate),
    SharedGenerator(_seed_numpy, np.random.get_state, np.random.set_state),
]


STEP = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio: from one seed, `random` and NumPy would draw the same numbers


def seed_all(seed: int) -> None:
    """Seed all generators, each with a different seed derived from `seed`."""
    for place, generator in enumerate(generators):
        generator.seed((seed + place * STEP) % (1 << 64))


def states() -> list[Any]:
    """Return the states of all generators."""
    return [generator.state() for generator in generators]


def restore_all(former: list[Any]) -> None:
    """Restore the states that `states` returned."""
    for generator, state in zip(generators, former, strict=True):
        generator.restore(state)
