"""Random generators for random transforms, keyed by the sample that a loader reads.

Note [Random transforms]: a transform with a parameter `rng` receives a numpy.random.Generator. A loader wraps the
reading of a sample in `with SampleRandom(seed, epoch, index):`. All transforms within that block, even in nested
datasets, share the generator of (seed, epoch, index), which is created on first use. Outside such a block the generator
belongs to the thread and process and is seeded by the operating system, so that forked processes differ.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from threading import local
from zlib import crc32

import numpy as np

from facula_errors import InvalidTypeError

from .._types import Index, Sample, Source
from .seeds import SAMPLE

WORD = (1 << 64) - 1


class _Here(local):
    sample: SampleRandom | None = None
    own: tuple[int, np.random.Generator] | None = None


here = _Here()  # the sample that this thread reads


class SampleRandom:
    """A context in which `sample_rng()` is the generator of one sample; assign `index` to advance to another sample.

    Arguments:
        seed: the seed of the order, from 0 to 2**64 - 1; or a function that returns it on demand.
        epoch: the number of the epoch, from 0.
        index: the sample's index in the dataset.

    >>> with SampleRandom(seed=1, epoch=0, index=5):
    ...     first = sample_rng().random()
    >>> with SampleRandom(seed=1, epoch=0, index=5):
    ...     sample_rng().random() == first
    True
    """

    __slots__ = ("_former", "epoch", "index", "rng", "seed")

    rng: np.random.Generator | None

    def __init__(self, seed: int | Callable[[], int], epoch: int, index: Index) -> None:
        self.seed, self.epoch, self.index, self.rng = seed, epoch, index, None

    def __enter__(self) -> SampleRandom:
        self._former, here.sample = here.sample, self
        return self

    def __exit__(self, *raised: object) -> None:
        here.sample = self._former

    def generator(self) -> np.random.Generator:
        """Return the generator, created on first use."""
        if self.rng is None:
            seed = self.seed if isinstance(self.seed, int) else self.seed()
            place = self.index if isinstance(self.index, int) else crc32(repr(self.index).encode())
            counter = np.array([0, place & WORD, SAMPLE, self.epoch & WORD], dtype=np.uint64)
            self.rng = np.random.Generator(np.random.Philox(key=seed, counter=counter))
        return self.rng


def sample_rng() -> np.random.Generator:
    """Return the generator of the current sample; outside of a sample, the generator of this thread and process."""
    if here.sample is not None:
        return here.sample.generator()
    if here.own is None or here.own[0] != os.getpid():
        here.own = (os.getpid(), np.random.default_rng())
    return here.own[1]


def item(dataset: Source, index: Index) -> Sample:
    """Return `dataset[index]`, passing `rng=sample_rng()` if its `__getitem__` accepts it."""
    if accepts_rng(type(dataset).__getitem__):
        return dataset.__getitem__(index, rng=sample_rng())
    return dataset[index]


def accepts_rng(function: Callable[..., object]) -> bool:
    """Return whether `function` accepts `rng` by keyword; `Compose` declares this in an attribute."""
    said = getattr(function, "wants_rng", None)
    if isinstance(said, bool):
        return said
    try:
        parameter = inspect.signature(function).parameters.get("rng")
    except (TypeError, ValueError):  # functions in C without a signature
        return False
    return parameter is not None and parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)


class Applied:
    """A function of a sample that passes `rng=` if the function accepts it."""

    __slots__ = ("function", "wants_rng")

    def __init__(self, operation: str, name: str, function: Callable[..., Sample]) -> None:
        if not callable(function):
            raise InvalidTypeError(f"{operation}: expected {name} to be callable; got {name}={function!r:.80}")
        self.function: Callable[..., Sample] = function
        self.wants_rng = accepts_rng(function)

    def __call__(self, sample: Sample) -> Sample:
        return self.function(sample, rng=sample_rng()) if self.wants_rng else self.function(sample)
