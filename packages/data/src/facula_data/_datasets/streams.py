"""Samples of a dataset that can only be iterated, counted and in groups."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import islice
from reprlib import repr as shown
from typing import NamedTuple

from facula_errors import InvalidTypeError, InvalidValueError

from .._sampling.sample_rng import SampleRandom
from .._types import Sample, Source

INTERRUPTED = object()  # StopIteration's value where an error had ended a stream before: not the end of the epoch


class Start(NamedTuple):
    """Where a worker begins with its stream.

    Arguments:
        given: the samples that it leaves out, as they were delivered.
        state: of its dataset after these, pickled; without it they are read again.
    """

    given: int = 0
    state: bytes | None = None


class Randoms(NamedTuple):
    """What decides the random numbers of a stream's samples, as Note [Random transforms] says. For the index stands the
    sample's number where workers take turns: `number * workers + worker`.

    Arguments:
        seed: the loader's, or a function that gives it.
        epoch: its number.
        worker: which of the workers this is.
        workers: how many there are; each has other random numbers.
    """

    seed: int | Callable[[], int]
    epoch: int
    worker: int = 0
    workers: int = 1


def has_state(dataset: Source) -> bool:
    """Whether a dataset knows how far it was iterated, and can go on from there."""
    return all(callable(getattr(dataset, name, None)) for name in ("state_dict", "load_state_dict"))


def dataset_state(dataset: Source) -> bytes:
    """The state of a dataset as it is now, pickled: what it changes later does not change this.

    Raises:
        TypeError: pickle cannot bear it.
    """
    state = dataset.state_dict()
    try:
        return pickle.dumps(state)
    except Exception as error:
        raise InvalidTypeError(
            f"DataLoader: expected {type(dataset).__name__}.state_dict() to give what pickle can send and keep; "
            f"got {shown(state)}; {error}"
        ) from error


def checked_states(states: object, position: int, streams: int, dataset: Source) -> tuple[bytes | None, ...]:
    """The states of a dataset in each of `streams`, pickled; () where there are none.

    Raises:
        ValueError: they are of another number of streams, the dataset takes none, or pickle cannot bear them.
    """
    if states is None:
        return ()
    if not has_state(dataset):
        raise InvalidValueError(
            "load_state_dict: the state has `datasets`, for a dataset with state_dict() and load_state_dict(); "
            f"{type(dataset).__name__} has not both; use the dataset that the state was taken with"
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
            f"load_state_dict: expected datasets to be what pickle bears; got {shown(states)}; {error}"
        ) from error


class Numbered:
    """(number, sample) of a dataset's iterator from `start` on; what it raises says the number.

    Arguments:
        dataset: which is iterated.
        randoms: of its random transforms.
        start: the samples before it are left out.
        state: the dataset's after these, pickled; without it they are read again.

    Not a generator, which would end with the first error: the iterator may be able to go on.
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
                self._add_place(error)
                raise
        self._number = number + 1
        return number, sample

    def extend(self, group: list[tuple[int, Sample]], count: int) -> None:
        """Append up to `count` more to a list."""
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
                self._add_place(error)
                raise
            finally:
                self._number = number
        if number < start:
            raise InvalidValueError(
                f"load_state_dict: expected an epoch of at least {start} samples; the dataset gave {number}"
            )

    def _add_place(self, error: Exception) -> None:
        if not isinstance(error, StopIteration):  # the end
            error.add_note(f"DataLoader: raised by the iterator of {self._name} at sample {self._number}")


class Groups:
    """Lists of `size` samples; those before an error of the iterator wait for the samples after it."""

    __slots__ = ("_drop_last", "_group", "_samples", "_size")

    def __init__(self, samples: Numbered, size: int, drop_last: bool) -> None:
        self._samples, self._size, self._drop_last = samples, size, drop_last
        self._group: list[tuple[int, Sample]] = []

    def __iter__(self) -> Groups:
        return self

    def __next__(self) -> list[tuple[int, Sample]]:
        group = self._group
        waiting = len(group)  # from before an error
        self._samples.extend(group, self._size - waiting)
        if len(group) == waiting or (self._drop_last and len(group) < self._size):
            raise StopIteration  # the end; or the iterator ended with its error, and what waits is still to come
        self._group = []
        return group
