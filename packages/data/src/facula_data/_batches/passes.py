"""One pass over a dataset: the units that are still to come, and how far it has got.

A unit is what makes one batch: its indices, or its samples where a dataset can only be iterated. A pass counts samples
as it delivers batches; (epoch, position) is all that is needed to go on elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import getpid
from threading import RLock
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from facula_errors import FaculaError, InvalidValueError, OperationError
from facula_errors.extend import trim_traceback

from .._datasets.streams import INTERRUPTED, Groups, Numbered, Randoms, dataset_state, has_state
from .._quick_methods import quick_method
from .._sampling.orders import indices_from
from .._sampling.samplers import order_of
from .._types import Batch, Collate, Index, Sample, Source
from .fetch import SampleReader, as_list, collated, is_empty

Batch_co = TypeVar("Batch_co", covariant=True)
Unit = TypeVar("Unit")
Seed: TypeAlias = int | Callable[[], int]  # or what draws it where it is asked for


class Progress:
    """How far a loader has got in `epoch`: the samples before `position` were delivered, but for those of `skipped`.

    `skipped` holds pairs (begin, end) of positions, in order. `begun` while a pass is under way. `streams` are the
    samples that each worker gave of its own copy of an IterableDataset, and then the worker whose turn is next; empty
    where there are none. `datasets` are the pickled states of an IterableDataset that has one: in each worker, or in
    this process; empty where there are none.
    """

    __slots__ = ("begun", "datasets", "epoch", "position", "skipped", "streams")

    def __init__(
        self,
        epoch: int,
        position: int,
        begun: bool = False,
        skipped: tuple[tuple[int, int], ...] = (),
        streams: tuple[int, ...] = (),
        datasets: tuple[bytes | None, ...] = (),
    ) -> None:
        self.epoch, self.position, self.begun = epoch, position, begun
        self.skipped, self.streams, self.datasets = skipped, streams, datasets

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return Progress, (self.epoch, self.position, self.begun, self.skipped, self.streams, self.datasets)

    def deliver(self, begin: int, end: int) -> None:
        """Count the samples from `begin` to `end`; those between `position` and `begin` have failed and are skipped."""
        if begin > self.position:
            self.skipped += ((self.position, begin),)
        self.position = end

    def finish(self) -> None:
        """Go on to the next epoch."""
        self.epoch, self.position, self.begun = self.epoch + 1, 0, False
        self.skipped, self.streams, self.datasets = (), (), ()


class Making(NamedTuple):
    """Who makes the batches of a pass.

    Arguments:
        units: what makes a batch each; with workers, those that were handed out, in their order.
        make: gives the batch of a unit, or EMPTY.
        size: the samples of a unit.
    """

    units: Iterator[Sample]
    make: Callable[[Sample], Batch]
    size: Callable[[Sample], int]


class Pass(Generic[Batch_co]):
    """An iterator over the batches of one epoch, from where `progress` says, whoever makes them.

    Arguments:
        making: who makes them.
        progress: where the pass begins, and how far it has got.

    Note [Failed batches]: a batch counts when it is delivered. After an error the state says that the batch is still to
    come, so a program that starts again from the state tries it again. The next `next()` of the same pass goes on with
    the batch after it; once that is delivered, the failed one is skipped, and the state says so. What the samplers or
    the iterator of a dataset raise is no batch's error: a stream that can go on goes on with the samples that it had
    given, and one that has ended leaves the state where it was.
    """

    __slots__ = ("_drawn", "_failed", "_make", "_progress", "_size", "_units")

    def __init__(self, making: Making, progress: Progress) -> None:
        (self._units, self._make, self._size), self._progress = making, progress
        self._drawn = progress.position
        self._failed = False

    def __iter__(self) -> Pass[Batch_co]:
        return self

    def __next__(self) -> Batch_co:
        try:
            while True:
                try:
                    unit = next(self._units)
                except StopIteration as stop:
                    if self._progress.begun and not (self._failed or stop.value is INTERRUPTED):
                        self._progress.finish()
                    raise
                except BaseException:
                    self._failed = True  # what follows at once would be the end of a broken iterator, not of the epoch
                    raise
                self._failed = False
                begin = self._drawn
                self._drawn = end = begin + self._size(unit)
                try:
                    batch = self._make(unit)
                except StopIteration as error:
                    # It would look like the end of the epoch, and the other samples would be lost without a word.
                    message = "DataLoader: the dataset, collate_fn or convert raised StopIteration"
                    raise OperationError(message) from error
                if not is_empty(batch):
                    self._progress.deliver(begin, end)
                    return batch  # after EMPTY, the next one says that this is skipped
        except FaculaError as error:
            trim_traceback(error)
            raise


class InlinePass(Pass[Batch_co]):
    """A pass whose batches this thread makes when they are asked for."""

    __slots__ = ()


class SharedPass(Pass[Batch_co]):
    """A pass with workers. Several threads may ask it, one at a time, as each waits for a certain batch of a worker.

    A process that was forked meanwhile may not: the workers answer its parent.
    """

    __slots__ = ("_lock", "_process")

    def __init__(self, making: Making, progress: Progress) -> None:
        super().__init__(making, progress)
        self._lock, self._process = RLock(), getpid()

    def __next__(self) -> Batch_co:
        if getpid() != self._process:
            raise OperationError(
                f"DataLoader: the workers of this pass answer process {self._process}, which began it; got a call in "
                f"process {getpid()}, forked from that; begin a pass in it by iter(loader)"
            )
        with self._lock:
            return super().__next__()


def index_batches(batch_sampler: Source, progress: Progress) -> Iterator[Sequence[Index]]:
    """The lists of indices of an epoch, from where `progress` says."""
    batches = quick_method(batch_sampler, "batches", "__iter__")
    if batches is not None:
        return batches(progress.epoch, progress.position)
    groups = (group if isinstance(group, Sequence) else as_list(group) for group in batch_sampler)
    return _skip_groups(groups, progress.position)


def single_indices(sampler: object, progress: Progress) -> Iterator[Index]:
    """The indices of an epoch one by one, from where `progress` says."""
    order = order_of(sampler, progress.epoch)
    return indices_from(sampler if order is None else order, progress.position)


def batched_stream(
    dataset: Source, batch_size: int, drop_last: bool, collate: Collate, progress: Progress, seed: Seed
) -> Making:
    """Batches of a dataset that can only be iterated. To go on from the middle, what came before is read again, unless
    there is a state of the dataset.

    Arguments:
        dataset: which is iterated.
        batch_size: samples in a batch.
        drop_last: leave out a last batch that is not full.
        collate: makes a batch of a list of samples.
        progress: where the pass begins, and how far it has got.
        seed: gives that of random transforms.
    """

    stated = has_state(dataset)

    def make(group: list[tuple[int, Sample]]) -> Batch:
        batch = collated(collate, [sample for _, sample in group], [number for number, _ in group])
        if stated:  # nothing more has been read than what is delivered now
            progress.datasets = (dataset_state(dataset),)
        return batch

    return Making(Groups(_numbered(dataset, progress, seed), batch_size, drop_last), make, len)


def single_stream(dataset: Source, read: SampleReader, progress: Progress, seed: Seed) -> Making:
    """Samples of a dataset that can only be iterated, one at a time."""

    stated = has_state(dataset)

    def make(pair: tuple[int, Sample]) -> Batch:
        sample = read.finish(pair[1], pair[0])
        if stated:
            progress.datasets = (dataset_state(dataset),)
        return sample

    return Making(_numbered(dataset, progress, seed), make, one)


def _numbered(dataset: Source, progress: Progress, seed: Seed) -> Numbered:
    randoms = Randoms(seed, progress.epoch)
    return Numbered(dataset, randoms, progress.position, progress.datasets[0] if progress.datasets else None)


def one(unit: object) -> int:
    """The samples of a unit that is a single one."""
    return 1


def _skip_groups(groups: Iterator[Sequence[Index]], start: int) -> Iterator[Sequence[Index]]:
    """The groups that follow the first `start` samples, for a batch sampler of which nothing more is known."""
    passed = 0
    for group in groups:
        if passed >= start:
            yield group
            continue
        passed += len(group)
        if passed > start:
            raise InvalidValueError(
                f"load_state_dict: expected a batch that begins at sample {start}; batch_sampler has one that ends at "
                f"sample {passed}: the state is of another batch_sampler, or its order is not the same in each pass"
            )
    if passed < start:
        raise InvalidValueError(
            f"load_state_dict: expected an epoch of at least {start} samples; batch_sampler gave {passed}"
        )
