"""One pass over a dataset: the units that are still to come, and how far it has got.

A unit is what makes one batch: its indices, or its samples where a dataset can only be iterated. A pass counts samples
as it delivers batches; (epoch, position) is all that is needed to go on elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from facula_errors import FaculaError, InvalidValueError, OperationError
from facula_errors.extend import trim_traceback

from ._fetch import SampleReader, as_list, collated, is_empty
from ._orders import indices_from
from ._overrides import quick_method
from ._samplers import order_of
from ._types import Batch, Collate, Index, Sample, Source

Batch_co = TypeVar("Batch_co", covariant=True)
Unit = TypeVar("Unit")


class Progress:
    """How far a loader has got in `epoch`: the samples before `position` were delivered, but for those of `skipped`.

    `skipped` holds pairs (begin, end) of positions, in order. `begun` while a pass is under way. `streams` are the
    samples that each worker gave of its own copy of an IterableDataset, and then the worker whose turn is next; empty
    where there are none.
    """

    __slots__ = ("begun", "epoch", "position", "skipped", "streams")

    begun: bool
    epoch: int
    position: int
    skipped: tuple[tuple[int, int], ...]
    streams: tuple[int, ...]

    def __init__(
        self,
        epoch: int,
        position: int,
        begun: bool = False,
        skipped: tuple[tuple[int, int], ...] = (),
        streams: tuple[int, ...] = (),
    ) -> None:
        self.epoch, self.position, self.begun, self.skipped, self.streams = epoch, position, begun, skipped, streams

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return Progress, (self.epoch, self.position, self.begun, self.skipped, self.streams)

    def deliver(self, begin: int, end: int) -> None:
        """Count the samples from `begin` to `end`; those between `position` and `begin` have failed and are skipped."""
        if begin > self.position:
            self.skipped += ((self.position, begin),)
        self.position = end

    def finish(self) -> None:
        """Go on to the next epoch."""
        self.epoch, self.position, self.begun, self.skipped, self.streams = self.epoch + 1, 0, False, (), ()


class Pass(Generic[Batch_co]):
    """An iterator over the batches of one epoch, from where `progress` says.

    Note [Failed batches]: a batch counts when it is delivered. After an error the state says that the batch is still to
    come, so a program that starts again from the state tries it again. The next `next()` of the same pass goes on with
    the batch after it; once that is delivered, the failed one is skipped, and the state says so. What the samplers or
    the iterator of a dataset raise is no batch's error: a stream that can go on goes on with the samples that it had
    given, and one that has ended leaves the state where it was.
    """

    __slots__ = ("_drawn", "_failed", "_finished", "_make", "_progress", "_size", "_units")

    def __init__(
        self, units: Iterator[Unit], make: Callable[[Unit], Batch_co], size: Callable[[Unit], int], progress: Progress
    ) -> None:
        self._units, self._make, self._size, self._progress = units, make, size, progress
        self._drawn = progress.position
        self._failed = self._finished = False

    def __iter__(self) -> Pass[Batch_co]:
        return self

    def __next__(self) -> Batch_co:
        try:
            try:
                unit = next(self._units)
            except StopIteration:
                if not (self._finished or self._failed):
                    self._finished = True
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
                if is_empty(batch):
                    return next(self)  # the next one says that this is skipped
            except StopIteration as error:
                # It would look like the end of the epoch, and the rest of the samples would be lost without a word.
                raise OperationError("DataLoader: the dataset, collate_fn or convert raised StopIteration") from error
            self._progress.deliver(begin, end)
            return batch
        except FaculaError as error:
            trim_traceback(error)
            raise


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


def streamed_pass(
    dataset: Source, batch_size: int, drop_last: bool, collate: Collate, progress: Progress
) -> Pass[Batch]:
    """Batches of a dataset that can only be iterated. To go on from the middle, what came before is read again."""

    def make(group: list[tuple[int, Sample]]) -> Batch:
        return collated(collate, [sample for _, sample in group], [number for number, _ in group])

    return Pass(_Groups(_Numbered(dataset, progress.position), batch_size, drop_last), make, len, progress)


def streamed_single_pass(dataset: Source, read: SampleReader, progress: Progress) -> Pass[Batch]:
    """Samples of a dataset that can only be iterated, one at a time."""
    return Pass(_Numbered(dataset, progress.position), lambda pair: read.finish(pair[1], pair[0]), one, progress)


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


class _Numbered:
    """(number, sample) of a dataset's iterator from `start` on; what it raises says the number.

    Not a generator, which would end with the first error: the iterator may be able to go on.
    """

    __slots__ = ("_name", "_number", "_samples", "_start")

    def __init__(self, dataset: Source, start: int) -> None:
        self._samples, self._name, self._start, self._number = iter(dataset), type(dataset).__name__, start, 0

    def __iter__(self) -> _Numbered:
        return self

    def __next__(self) -> tuple[int, Sample]:
        while True:
            number = self._number
            try:
                sample = next(self._samples)
            except StopIteration:
                if number < self._start:
                    raise InvalidValueError(
                        f"load_state_dict: expected an epoch of at least {self._start} samples; "
                        f"the dataset gave {number}"
                    ) from None
                raise
            except Exception as error:
                error.add_note(f"DataLoader: raised by the iterator of {self._name} at sample {number}")
                raise
            self._number = number + 1
            if number >= self._start:
                return number, sample


class _Groups:
    """Lists of `size` samples; those before an error of the iterator wait for the samples after it."""

    __slots__ = ("_drop_last", "_group", "_samples", "_size")

    def __init__(self, samples: Iterator[tuple[int, Sample]], size: int, drop_last: bool) -> None:
        self._samples, self._size, self._drop_last = samples, size, drop_last
        self._group: list[tuple[int, Sample]] = []

    def __iter__(self) -> _Groups:
        return self

    def __next__(self) -> list[tuple[int, Sample]]:
        group = self._group
        waiting = len(group)  # from before an error
        for sample in self._samples:
            group.append(sample)
            if len(group) == self._size:
                break
        if len(group) == waiting or (self._drop_last and len(group) < self._size):
            raise StopIteration  # the end; or the iterator ended with its error, and what waits is still to come
        self._group = []
        return group
