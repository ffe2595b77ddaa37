"""One pass over a dataset: the remaining units of work and the progress.

A unit produces one batch: it contains the batch's indices, or its samples if the dataset can only be iterated. A pass
counts samples when it delivers batches; (epoch, position) is sufficient to resume in another process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import getpid
from threading import RLock
from time import perf_counter_ns
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from facula_errors import FaculaError, InvalidValueError, OperationError
from facula_errors.extend import trim_traceback

from .._datasets.streams import INTERRUPTED, Groups, Numbered, Randoms, dataset_state, has_state
from .._observer import current_observer
from .._quick_methods import quick_method
from .._sampling.orders import indices_from
from .._sampling.samplers import order_of
from .._types import Batch, Collate, Index, Sample, Source
from .fetch import SampleReader, as_list, collated, is_empty

Batch_co = TypeVar("Batch_co", covariant=True)
Unit = TypeVar("Unit")
Seed: TypeAlias = int | Callable[[], int]  # or a function that draws the seed on first use


class Progress:
    """The progress of a loader in `epoch`: all samples before `position` were delivered, except those in `skipped`.

    `skipped` contains ordered pairs (begin, end) of positions. `begun` is true during a pass. `streams` contains the
    number of samples that each worker delivered from its copy of an IterableDataset, followed by the index of the next
    worker; it is empty for other datasets. `datasets` contains the pickled states of an IterableDataset with
    `state_dict`, one for each worker or one for this process; it is empty for other datasets.
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
        """Count the samples from `begin` to `end`; samples between `position` and `begin` failed and are skipped."""
        if begin > self.position:
            self.skipped += ((self.position, begin),)
        self.position = end

    def finish(self) -> None:
        """Advance to the next epoch."""
        self.epoch, self.position, self.begun = self.epoch + 1, 0, False
        self.skipped, self.streams, self.datasets = (), (), ()


class BatchSource(NamedTuple):
    """The source of a pass's batches: this process or workers.

    Arguments:
        units: the units of work; with workers, those that were submitted, in order.
        make: returns the batch of a unit, or EMPTY.
        size: returns the number of samples of a unit.
    """

    units: Iterator[Sample]
    make: Callable[[Sample], Batch]
    size: Callable[[Sample], int]


class Pass(Generic[Batch_co]):
    """An iterator over the batches of one epoch, starting at `progress`.

    Arguments:
        making: the source of the batches.
        progress: the start of the pass, updated on each delivery.

    Note [Failed batches]: a batch counts when it is delivered. After an error the state does not count the failed
    batch, so a program that restarts from the state retries it. The next `next()` on the same pass continues with the
    batch after it; when that batch is delivered, the failed one is recorded as skipped. Errors of samplers and of
    dataset iterators do not belong to a batch: a stream that can continue does so with the samples that it had already
    read, and a stream that has ended leaves the state unchanged.
    """

    __slots__ = ("_drawn", "_failed", "_make", "_progress", "_size", "_units")

    def __init__(self, making: BatchSource, progress: Progress) -> None:
        (self._units, self._make, self._size), self._progress = making, progress
        self._drawn = progress.position
        self._failed = False

    def __iter__(self) -> Pass[Batch_co]:
        return self

    def __next__(self) -> Batch_co:
        observer = current_observer[0]
        requested = 0 if observer is None else perf_counter_ns()
        try:
            while True:
                try:
                    unit = next(self._units)
                except StopIteration as stop:
                    if self._progress.begun and not (self._failed or stop.value is INTERRUPTED):
                        self._progress.finish()
                    raise
                except BaseException:
                    # a StopIteration that follows comes from the broken iterator; it does not end the epoch
                    self._failed = True
                    raise
                self._failed = False
                begin = self._drawn
                self._drawn = end = begin + self._size(unit)
                try:
                    batch = self._make(unit)
                except StopIteration as error:
                    # StopIteration would end the epoch here and silently drop the remaining samples.
                    message = "DataLoader: the dataset, collate_fn or convert raised StopIteration; raise another error"
                    raise OperationError(message) from error
                if not is_empty(batch):
                    self._progress.deliver(begin, end)
                    if observer is not None:
                        observer.waited(requested, perf_counter_ns(), end - begin)
                    return batch  # an EMPTY batch is counted as skipped by the next delivery
        except FaculaError as error:
            trim_traceback(error)
            raise


class InlinePass(Pass[Batch_co]):
    """A pass whose batches the calling thread makes on demand."""

    __slots__ = ()


class SharedPass(Pass[Batch_co]):
    """A pass with workers. A lock serializes its threads, because each call waits for a certain batch of one worker.

    A process forked during the pass may not use it: the workers reply to its parent.
    """

    __slots__ = ("_lock", "_process")

    def __init__(self, making: BatchSource, progress: Progress) -> None:
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
    """Iterate over the lists of indices of an epoch, starting at `progress`."""
    batches = quick_method(batch_sampler, "batches", "__iter__")
    if batches is not None:
        return batches(progress.epoch, progress.position)
    groups = (group if isinstance(group, Sequence) else as_list(group) for group in batch_sampler)
    return _skip_groups(groups, progress.position)


def single_indices(sampler: object, progress: Progress) -> Iterator[Index]:
    """Iterate over the single indices of an epoch, starting at `progress`."""
    order = order_of(sampler, progress.epoch)
    return indices_from(sampler if order is None else order, progress.position)


def batched_stream(
    dataset: Source, batch_size: int, drop_last: bool, collate: Collate, progress: Progress, seed: Seed
) -> BatchSource:
    """Batch a dataset that can only be iterated.

    Resuming in mid-epoch reads the earlier samples again, unless the dataset has a state.

    Arguments:
        dataset: the dataset to iterate over.
        batch_size: samples per batch.
        drop_last: leave out an incomplete last batch.
        collate: makes a batch from a list of samples.
        progress: the start of the pass, updated on each delivery.
        seed: the seed of random transforms.
    """

    stated = has_state(dataset)

    def make(group: list[tuple[int, Sample]]) -> Batch:
        batch = collated(collate, [sample for _, sample in group], [number for number, _ in group])
        if stated:  # the dataset has read exactly the samples delivered so far
            progress.datasets = (dataset_state(dataset),)
        return batch

    return BatchSource(Groups(_numbered(dataset, progress, seed), batch_size, drop_last), make, len)


def single_stream(dataset: Source, read: SampleReader, progress: Progress, seed: Seed) -> BatchSource:
    """Read single samples of a dataset that can only be iterated."""

    stated = has_state(dataset)

    def make(pair: tuple[int, Sample]) -> Batch:
        sample = read.finish(pair[1], pair[0])
        if stated:
            progress.datasets = (dataset_state(dataset),)
        return sample

    return BatchSource(_numbered(dataset, progress, seed), make, single_size)


def _numbered(dataset: Source, progress: Progress, seed: Seed) -> Numbered:
    randoms = Randoms(seed, progress.epoch)
    return Numbered(dataset, randoms, progress.position, progress.datasets[0] if progress.datasets else None)


def single_size(unit: object) -> int:
    """Return the size of a unit that is a single sample."""
    return 1


def _skip_groups(groups: Iterator[Sequence[Index]], start: int) -> Iterator[Sequence[Index]]:
    """Skip the first `start` samples of a batch sampler that cannot start at a position."""
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
