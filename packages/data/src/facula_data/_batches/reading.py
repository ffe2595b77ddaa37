"""Single samples of a dataset: which random numbers they see, and what becomes of those that fail.

A dataset whose `__getitem__` takes `rng`, and random transforms within one, are given a NumPy generator that is a
function of seed, epoch and index alone: Note [Random transforms] in `_sampling/sample_rng.py`. So a sample is the same
in any worker, in any process, and after any resume.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from facula_errors import InvalidValueError, OperationError

from .. import _checks
from .._sampling.global_rng import restore_all, seed_all, states
from .._sampling.sample_rng import SampleRandom, accepts_rng, sample_rng
from .._sampling.seeds import GLOBALS, bits
from .._types import Batch, Index, Sample, Source
from .current_sample import Lost

OnError: TypeAlias = str | Callable[[Exception, Index], Sample]
POLICIES = ("raise", "skip", "substitute")
ATTEMPTS = 16  # substitutes that are tried for one sample


LEFT_OUT = object()  # in place of a sample


class Reader:
    """`reader(index)` is one sample of a dataset.

    Arguments:
        dataset: with `__getitem__`.
        on_error: "raise", "skip", "substitute", or a function of error and index that gives a sample or raises.
        seed_globals: whether the generators that all code shares are seeded for each sample.
    """

    __slots__ = ("_globals", "_policy", "_rng", "dataset", "epoch", "seed")

    def __init__(self, dataset: Source, on_error: OnError = "raise", seed_globals: bool = False) -> None:
        self.dataset, self._policy, self._globals = dataset, on_error, seed_globals
        self._rng = accepts_rng(getattr(type(dataset), "__getitem__", len))
        self.seed: int | Callable[[], int] = 0
        self.epoch = 0

    @property
    def is_plain(self) -> bool:
        """Whether a sample is `dataset[index]` and nothing more, so that many may be read at once."""
        return not (self._rng or self._globals) and self._policy == "raise"

    def __call__(self, index: Index) -> Sample:
        if self._policy == "raise":
            return self._read(index)
        if type(index) is Lost:
            return self._instead(OperationError(index.what), index.index)
        try:
            return self._read(index)
        except Exception as error:
            return self._instead(error, index)

    def _read(self, index: Index) -> Sample:
        try:
            if self._globals:
                seed_all(int(self._words(index).random_raw()))
            with SampleRandom(self.seed, self.epoch, index):
                if self._rng:
                    return self.dataset.__getitem__(index, rng=sample_rng())
                return self.dataset[index]
        except Exception as error:
            add_place(error, self.dataset, index)
            raise

    def _words(self, index: Index) -> np.random.Philox:
        seed = self.seed if isinstance(self.seed, int) else self.seed()
        return bits(seed, self.epoch, GLOBALS, start=(int(index) & 0xFFFFFFFFFFFFFFFF) << 32)

    def _instead(self, error: Exception, index: Index) -> Sample:
        if callable(self._policy):
            return self._policy(error, index)
        if self._policy == "skip":
            return LEFT_OUT
        count = len(self.dataset)
        for other in self._words(index).random_raw(ATTEMPTS) % np.uint64(count):
            try:
                return self._read(int(other))
            except Exception:  # the next one
                continue
        raise OperationError(
            f"DataLoader: sample {index!r} failed, and so did {ATTEMPTS} others in its place; the dataset seems to be "
            'broken; see the cause, or pass on_error="raise"'
        ) from error


def checked_policy(on_error: object) -> OnError:
    """`on_error`, which must be one of the policies or callable."""
    if callable(on_error) or on_error in POLICIES:
        return on_error  # type: ignore[return-value]
    raise InvalidValueError(f"DataLoader: expected on_error to be one of {POLICIES} or callable; got {on_error!r}")


def add_place(error: Exception, dataset: Source, index: Index) -> None:
    """Let an error say which sample it is about."""
    name = type(dataset).__name__
    error.add_note(f"DataLoader: raised by {name}.__getitem__({index!r}){beyond(dataset, index)}")


def beyond(dataset: Source, index: Index) -> str:
    """What to add where the sampler's index is not one of the dataset's."""
    if isinstance(index, int) and _checks.has_length(dataset) and not -len(dataset) <= index < len(dataset):
        return f"; the sampler gave an index beyond the dataset's {len(dataset)} samples"
    return ""


def restoring_globals(make: Callable[[Index], Batch]) -> Callable[[Index], Batch]:
    """`make`, after which the generators that all code shares have the states that they had before."""

    def restored(unit: Index) -> Batch:
        former = states()
        try:
            return make(unit)
        finally:
            restore_all(former)

    return restored
