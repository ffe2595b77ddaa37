"""Reading of single samples: their random generators, and the policy for samples that fail.

A dataset whose `__getitem__` accepts `rng`, and random transforms within a dataset, receive a NumPy generator that
depends only on seed, epoch and index: Note [Random transforms] in `_sampling/sample_rng.py`. A sample is therefore the
same in any worker or process, and after resuming.
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
MAX_SUBSTITUTES = 16  # substitutes to try for one sample


LEFT_OUT = object()  # returned in place of a sample


class Reader:
    """A callable that returns one sample of a dataset.

    Arguments:
        dataset: a dataset with `__getitem__`.
        on_error: "raise", "skip", "substitute", or a function of error and index that returns a sample or raises.
        seed_globals: whether to seed the global generators before each sample.
    """

    __slots__ = ("_globals", "_policy", "_rng", "dataset", "epoch", "seed")

    def __init__(self, dataset: Source, on_error: OnError = "raise", seed_globals: bool = False) -> None:
        self.dataset, self._policy, self._globals = dataset, on_error, seed_globals
        self._rng = accepts_rng(getattr(type(dataset), "__getitem__", len))
        self.seed: int | Callable[[], int] = 0
        self.epoch = 0

    @property
    def is_plain(self) -> bool:
        """Whether a sample is exactly `dataset[index]`, so that samples may be read in one call."""
        return not (self._rng or self._globals) and self._policy == "raise"

    def __call__(self, index: Index) -> Sample:
        if self._policy == "raise":
            return self._read(index)
        if type(index) is Lost:
            return self._substitute(OperationError(index.what), index.index)
        try:
            return self._read(index)
        except Exception as error:
            return self._substitute(error, index)

    def _read(self, index: Index) -> Sample:
        try:
            if self._globals:
                seed_all(int(self._words(index).random_raw()))
            with SampleRandom(self.seed, self.epoch, index):
                if self._rng:
                    return self.dataset.__getitem__(index, rng=sample_rng())
                return self.dataset[index]
        except Exception as error:
            add_sample_note(error, self.dataset, index)
            raise

    def _words(self, index: Index) -> np.random.Philox:
        seed = self.seed if isinstance(self.seed, int) else self.seed()
        return bits(seed, self.epoch, GLOBALS, start=(int(index) & 0xFFFFFFFFFFFFFFFF) << 32)

    def _substitute(self, error: Exception, index: Index) -> Sample:
        if callable(self._policy):
            return self._policy(error, index)
        if self._policy == "skip":
            return LEFT_OUT
        count = len(self.dataset)
        for other in self._words(index).random_raw(MAX_SUBSTITUTES) % np.uint64(count):
            try:
                return self._read(int(other))
            except Exception:  # try the next substitute
                continue
        raise OperationError(
            f"DataLoader: sample {index!r} failed, and so did {MAX_SUBSTITUTES} others in its place; the dataset seems "
            'to be broken; see the cause, or pass on_error="raise"'
        ) from error


def checked_policy(on_error: object) -> OnError:
    """Return `on_error` after checking that it is a known policy or callable."""
    if callable(on_error) or on_error in POLICIES:
        return on_error  # type: ignore[return-value]
    raise InvalidValueError(f"DataLoader: expected on_error to be one of {POLICIES} or callable; got {on_error!r}")


def add_sample_note(error: Exception, dataset: Source, index: Index) -> None:
    """Add a note to an error that names the sample."""
    name = type(dataset).__name__
    error.add_note(f"DataLoader: raised by {name}.__getitem__({index!r}){range_remark(dataset, index)}")


def range_remark(dataset: Source, index: Index) -> str:
    """Return a remark for messages if the sampler's index is out of the dataset's range, otherwise ""."""
    if isinstance(index, int) and _checks.has_length(dataset) and not -len(dataset) <= index < len(dataset):
        return f"; the sampler gave an index beyond the dataset's {len(dataset)} samples"
    return ""


def restoring_globals(make: Callable[[Index], Batch]) -> Callable[[Index], Batch]:
    """Wrap `make` so that it restores the states of the global generators after each call."""

    def restored(unit: Index) -> Batch:
        former = states()
        try:
            return make(unit)
        finally:
            restore_all(former)

    return restored
