"""Random numbers for random transforms: those of a sample, where a loader says which it is making.

Note [Random transforms]: a transform that has a parameter `rng` is given a numpy.random.Generator by it. A loader says
`with SampleRandom(seed, epoch, index):` around the reading of a sample, and all transforms below, however nested the
datasets, share the generator of (seed, epoch, index), which is made where one first asks for it. Elsewhere it is a
generator of this thread and process, seeded by the operating system, so that forked processes differ.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from threading import local

import numpy as np

from facula_errors import InvalidTypeError

from ._types import Sample

TRANSFORM = 2  # the purpose of these words among those of `_seeds.py`
WORD = (1 << 64) - 1


class _Here(local):
    key: tuple[int, int, int] | None = None
    rng: np.random.Generator | None = None
    own: tuple[int, np.random.Generator] | None = None


_here = _Here()


class SampleRandom:
    """A context in which `sample_rng()` is the generator of one sample.

    Arguments:
        seed: of the order, from 0 to 2**64 - 1.
        epoch: from 0 on.
        index: the sample's place in the dataset.

    >>> with SampleRandom(seed=1, epoch=0, index=5):
    ...     first = sample_rng().random()
    >>> with SampleRandom(seed=1, epoch=0, index=5):
    ...     sample_rng().random() == first
    True
    """

    __slots__ = ("_former", "_key")

    def __init__(self, seed: int, epoch: int, index: int) -> None:
        self._key = (seed, epoch, index)

    def __enter__(self) -> None:
        self._former = (_here.key, _here.rng)
        _here.key, _here.rng = self._key, None

    def __exit__(self, *raised: object) -> None:
        _here.key, _here.rng = self._former


def sample_rng() -> np.random.Generator:
    """The generator of the sample that is being made; elsewhere one of this thread and process."""
    if _here.key is not None:
        if _here.rng is None:
            seed, epoch, index = _here.key
            counter = np.array([0, index & WORD, TRANSFORM, epoch & WORD], dtype=np.uint64)
            _here.rng = np.random.Generator(np.random.Philox(key=seed, counter=counter))
        return _here.rng
    if _here.own is None or _here.own[0] != os.getpid():
        _here.own = (os.getpid(), np.random.default_rng())
    return _here.own[1]


def accepts_rng(function: Callable[..., object]) -> bool:
    """Whether `function` has a parameter `rng`, which may be given by name; `Compose` says itself if it needs one."""
    said = getattr(function, "wants_rng", None)
    if isinstance(said, bool):
        return said
    try:
        parameter = inspect.signature(function).parameters.get("rng")
    except (TypeError, ValueError):  # functions in C that do not say
        return False
    return parameter is not None and parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)


class Applied:
    """`Applied(function)(sample)`: the function of a sample, given `rng=` where it accepts that."""

    __slots__ = ("function", "wants_rng")

    def __init__(self, operation: str, name: str, function: Callable[..., Sample]) -> None:
        if not callable(function):
            raise InvalidTypeError(f"{operation}: expected {name} to be callable; got {name}={function!r:.80}")
        self.function: Callable[..., Sample] = function
        self.wants_rng = accepts_rng(function)

    def __call__(self, sample: Sample) -> Sample:
        return self.function(sample, rng=sample_rng()) if self.wants_rng else self.function(sample)
