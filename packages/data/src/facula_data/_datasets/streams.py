"""Streams: numbered and grouped samples of a dataset that can only be iterated."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import islice
from reprlib import repr as shown
from typing import NamedTuple

from facula_errors import InvalidTypeError, InvalidValueError

from .._sampling.sample_rng import SampleRandom
from .._types import Sample, Source

INTERRUPTED = object()  # the value of StopIteration after an earlier error ended a stream: not the end of the epoch


class Start(NamedTuple):
    """The position at which a worker starts its stream.

    Arguments:
        given: the number of samples to skip because they were delivered.
        state: the pickled state of the worker's dataset after these samples; without it the samples are read again.
    """

    given: int = 0
    state: bytes | None = None


class Randoms(NamedTuple):
    """The seed, epoch and worker that determine a stream's random numbers, see Note [Random transforms].

    In place of an index, the generator of a sample is keyed by its number in the interleaved streams, `number * workers
    + worker`.

    Arguments:
        seed: the loader's seed, or a function that returns it.
        epoch: the number of the epoch.
        worker: the index of this worker.
        workers: the number of workers; each has different random numbers.
    """

    seed: int | Callable[[], int]
    epoch: int
    worker: int = 0
    workers: int = 1


def has_state(dataset: Source) -> bool:
    """Return whether a dataset has the methods to save and restore the progress of its iteration."""
    return all(callable(getattr(dataset, name, None)) for name in ("state_dict", "load_state_dict"))


def dataset_state(dataset: Source) -> bytes:
    """Return the pickled state of a dataset; later changes of the dataset do not affect it.

    Raises:
        TypeError: the state cannot be pickled.
    """
    state = dataset.state_dict()
    try:
        return pickle.dumps(state)
    except Exception as error:
        raise InvalidTypeError(
            f"DataLoader: expected {type(dataset).__name__}.state_dict() to return a value that pickle supports; "
            f"got {shown(state)}; {error}"
        ) from error


def checked_states(states: object, position: int, streams: int, dataset: Source) -> tuple[bytes | None, ...]:
    """Return the pickled states of a dataset, one for each of `streams`, or () if `states` is None.

    Raises:
        ValueError: the number of states differs from `streams`, the dataset has no state, or a state cannot be pickled.
    """
    if states is None:
        return ()
    if not has_state(dataset):
        raise InvalidValueError(
            "load_state_dict: the state has `datasets`, for a dataset with state_dict() and load_state_dict(); "
            f"{type(dataset).__name__} lacks them; use the dataset from which the state was saved"
        )
    if not isinstance(states, (list, tuple)) or len(states) != streams:
        raise InvalidValueError(
            f"load_state_dict: expected datasets to be a list of {streams}, the states of the dataset in this process "
            f"or each worker; got {shown(states)}"
        )
    if not position:
        return ()
    try:
        return tuple(None if state is None else pickle.dumps(state) for state in states)
    except Exception as error:
        raise InvalidValueError(
            f"load_state_dict: expected datasets to contain values that pickle supports; got {shown(states)}; {error}"
        ) from error


class Numbered:
    """An iterator over (number, sample) of a dataset from `start` on; errors are annotated with the number.

    Arguments:
        dataset: the dataset to iterate over.
        randoms: the keys of its random transforms.
        start: the number of samples to skip.
        state: the pickled state of the dataset after these samples; without it the samples are read again.

    This is a class because a generator would end with the first error, while the dataset's iterator may be able to
    continue.
    """

    __slots__ = ("_name", "_number", "_randoms", "_samples", "_start")

    def __init__(self, dataset: Source, randoms: Randoms, start: int = 0, state: bytes | None = None) -> None:
        self._name, self._randoms, self._start, self._number = type(dataset).__name__, randoms, start, 0
        if state is not None:
            dataset.load_state_dict(pickle.loads(state))
            self._number = start
        self._samples = iter(dataset)

    def __iter__(self) -> Numbered:
        return self

    def __next__(self) -> tuple[int, Sample]:
        if self._number < self._start:
            group: list[tuple[int, Sample]] = []
            self.extend(group, 1)
            if not group:
                raise StopIteration
            return group[0]
        number = self._number
        seed, epoch, worker, workers = self._randoms
        with SampleRandom(seed, epoch, number * workers + worker):
            try:
                sample = next(self._samples)
            except Exception as error:
                self._add_sample_note(error)
                raise
        self._number = number + 1
        return number, sample

    def extend(self, group: list[tuple[int, Sample]], count: int) -> None:
        """Append up to `count` more pairs to `group`."""
        start, number = self._start, self._number
        seed, epoch, worker, workers = self._randoms
        with SampleRandom(seed, epoch, number * workers + worker) as random:
            try:
                for sample in islice(self._samples, max(0, start - number) + count):
                    if number >= start:
                        group.append((number, sample))
                    number += 1
                    random.index += workers
                    random.rng = None
            except Exception as error:
                self._number = number
                self._add_sample_note(error)
                raise
            finally:
                self._number = number
        if number < start:
            raise InvalidValueError(
                f"load_state_dict: expected an epoch of at least {start} samples; the dataset gave {number}"
            )

    def _add_sample_note(self, error: Exception) -> None:
        if not isinstance(error, StopIteration):  # StopIteration is the end, not an error
            error.add_note(f"DataLoader: raised by the iterator of {self._name} at sample {self._number}")


class Groups:
    """Lists of `size` samples; samples read before an error of the iterator are kept for the next group."""

    __slots__ = ("_drop_last", "_group", "_samples", "_size")

    def __init__(self, samples: Numbered, size: int, drop_last: bool) -> None:
        self._samples, self._size, self._drop_last = samples, size, drop_last
        self._group: list[tuple[int, Sample]] = []

    def __iter__(self) -> Groups:
        return self

    def __next__(self) -> list[tuple[int, Sample]]:
        group = self._group
        waiting = len(group)  # read before an error
        self._samples.extend(group, self._size - waiting)
        if len(group) == waiting or (self._drop_last and len(group) < self._size):
            # the end of the stream; or an error ended the iterator, and the kept samples are not a full group
            raise StopIteration
        self._group = []
        return group
