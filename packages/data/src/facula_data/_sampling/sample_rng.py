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
from zlib import crc32

import numpy as np

from facula_errors import InvalidTypeError

from .._types import Index, Sample, Source
from .seeds import SAMPLE

WORD = (1 << 64) - 1


class _Here(local):
    sample: SampleRandom | None = None
    own: tuple[int, np.random.Generator] | None = None


here = _Here()  # the sample that this thread makes


class SampleRandom:
    """A context in which `sample_rng()` is the generator of one sample; of one after the other, where `index` is set.

    Arguments:
        seed: of the order, from 0 to 2**64 - 1; or a function that gives it where it is asked for.
        epoch: from 0 on.
        index: the sample's place in the dataset.

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
        """The generator, made where it is first asked for."""
        if self.rng is None:
            seed = self.seed if isinstance(self.seed, int) else self.seed()
            place = self.index if isinstance(self.index, int) else crc32(repr(self.index).encode())
            counter = np.array([0, place & WORD, SAMPLE, self.epoch & WORD], dtype=np.uint64)
            self.rng = np.random.Generator(np.random.Philox(key=seed, counter=counter))
        return self.rng


def sample_rng() -> np.random.Generator:
    """The generator of the sample that is being made; elsewhere one of this thread and process."""
    if here.sample is not None:
        return here.sample.generator()
    if here.own is None or here.own[0] != os.getpid():
        here.own = (os.getpid(), np.random.default_rng())
    return here.own[1]


def item(dataset: Source, index: Index) -> Sample:
    """`dataset[index]`, with `rng=sample_rng()` where its `__getitem__` accepts that."""
    if accepts_rng(type(dataset).__getitem__):
        return dataset.__getitem__(index, rng=sample_rng())
    return dataset[index]


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
