"""Random orders that depend only on (seed, epoch).

Note [Order]: the order of samples is a pure function of seed, epoch and position, and the same on every machine and
with every version of NumPy. NumPy guarantees that for the raw words of a bit generator, but not for
`Generator.permutation` or `integers`. Draws here therefore use raw words: a permutation is the order that sorts them.
Philox is counter-based (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011), so each epoch and each
purpose has its own part of the counter, streams never overlap, and any epoch can be computed without replaying earlier
ones.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable

    class _Seeded(Protocol):
        def initial_seed(self) -> int: ...

    # A seed, or an object that provides one.
    SeedLike: TypeAlias = int | np.integer | np.random.Generator | _Seeded | None

ORDER, SPLIT, WORKERS, SAMPLE, GLOBALS = (
    0,
    1,
    2,
    3,
    4,
)  # purposes: one seed may both split a dataset and shuffle the parts
WORDS = 4  # words per counter value

_source: Callable[[], int] | None = None


def set_seed_source(draw: Callable[[], int] | None) -> None:
    """Set the function that draws seeds for samplers and loaders without one; None restores the operating system.

    A seed is drawn on the first use of an order, so a program may set its global seed until then.

    >>> from facula_data import RandomSampler
    >>> set_seed_source(lambda: 7)
    >>> RandomSampler("abc").seed
    7
    >>> set_seed_source(None)
    """
    global _source
    _source = draw


def checked_seed(operation: str, seed: object) -> int:
    """Return `seed` as an int that fits one word of the generator's key."""
    number = int(seed)  # type: ignore[call-overload]  # what has been asked, or TypeError
    if not 0 <= number < 1 << 64:
        raise InvalidValueError(f"{operation}: expected a seed from 0 to 2**64 - 1; got {number}")
    return number


def check_generator(operation: str, generator: object) -> None:
    """Raise an error unless `seed_of` supports `generator`."""
    if isinstance(generator, (int, np.integer)) and not isinstance(generator, bool):
        checked_seed(operation, generator)
    elif not (generator is None or isinstance(generator, np.random.Generator) or hasattr(generator, "initial_seed")):
        raise InvalidTypeError(
            f"{operation}: expected generator to be None, a seed, a numpy.random.Generator or an object with "
            f"initial_seed(); got {generator!r}"
        )


def seed_of(operation: str, generator: object) -> int:
    """Return the seed of `generator`: the number itself, its `initial_seed()`, or a number drawn from it."""
    check_generator(operation, generator)
    if generator is None:
        return checked_seed(operation, _source() if _source else int.from_bytes(os.urandom(8), "little") >> 1)
    if isinstance(generator, np.random.Generator):
        return int(generator.integers(1 << 63))
    return checked_seed(operation, generator.initial_seed() if hasattr(generator, "initial_seed") else generator)


@boundary
class Seeded:
    """A mixin with `seed`, an int from 0 to 2**64 - 1, drawn on first use."""

    def __init__(self, generator: SeedLike = None) -> None:
        check_generator(type(self).__name__, generator)
        self.generator = generator
        self._seed: int | None = None

    @property
    def seed(self) -> int:
        if self._seed is None:
            self._seed = seed_of(type(self).__name__, self.generator)
        return self._seed

    @seed.setter
    def seed(self, value: int) -> None:
        self._seed = checked_seed(type(self).__name__, value)


def bits(seed: int, epoch: int, purpose: int = ORDER, start: int = 0) -> np.random.Philox:
    """Return the random words of one epoch for one purpose, from word `start` on."""
    high, low = divmod(start // WORDS, 1 << 64)
    words = np.random.Philox(key=seed, counter=np.array([low, high, purpose, epoch], dtype=np.uint64))
    words.random_raw(start % WORDS)
    return words


def permutation(words: np.random.Philox, count: int) -> np.ndarray:
    """Return the numbers 0 to count - 1 in random order, int64 (count,)."""
    return words.random_raw(count).argsort(kind="stable")


def uniform(words: np.random.Philox, count: int) -> np.ndarray:
    """Return random numbers in [0, 1), float64 (count,), from the upper 53 bits of each word."""
    return (words.random_raw(count) >> np.uint64(11)) * 2.0**-53
