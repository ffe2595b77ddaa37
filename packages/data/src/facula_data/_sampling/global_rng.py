"""The random generators that all code of a process shares: of `random`, of `numpy.random`, and of other libraries.

Workers seed them in each epoch, and `seed_globals=True` before each sample. A library adds its own, as
`facula.utils.data` does that of `facula.rand`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class SharedGenerator(NamedTuple):
    """A random generator that all code of a process shares; the functions must be such that pickle can send them.

    Arguments:
        seed: begins it anew, with a whole number from 0 to 2**64 - 1.
        state: gives its state.
        restore: lets it go on from such a state.
    """

    seed: Callable[[int], object]
    state: Callable[[], Any]
    restore: Callable[[Any], object]


def _seed_numpy(seed: int) -> None:
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])


generators: list[SharedGenerator] = [
    SharedGenerator(random.seed, random.getstate, random.setstate),
    SharedGenerator(_seed_numpy, np.random.get_state, np.random.set_state),
]


STEP = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio: `random` and NumPy would draw alike from one seed


def seed_all(seed: int) -> None:
    """Begin all of them anew, each with a seed of its own that follows from `seed`."""
    for place, generator in enumerate(generators):
        generator.seed((seed + place * STEP) % (1 << 64))


def states() -> list[Any]:
    """The states of all of them."""
    return [generator.state() for generator in generators]


def restore_all(former: list[Any]) -> None:
    """Let all of them go on from what `states` gave."""
    for generator, state in zip(generators, former, strict=True):
        generator.restore(state)
