"""One pass over a dataset: the units that are still to come, and how far it has got.

A unit is what makes one batch: its indices, or its samples where a dataset can only be iterated. A pass counts samples
as it delivers batches; (epoch, position) is all that is needed to go on elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from ._fetch import BatchReader, SampleReader, as_list, collated
from ._overrides import quick_method
from ._samplers import order_of


class Progress:
    """How far a loader has got: `position` samples of `epoch` were delivered. `begun` while a pass is under way."""

    __slots__ = ("begun", "epoch", "position")

    def __init__(self, epoch: int, position: int, begun: bool = False) -> None:
        self.epoch, self.position, self.begun = epoch, position, begun

    def __reduce__(self) -> tuple[Any, ...]:
        return Progress, (self.epoch, self.position, self.begun)


class Pass:
    """An iterator over the batches of one epoch, from where `progress` says.

    A batch counts when it is delivered: after an error the state still says that it is to come, while the next
    `next()` goes on with the one after it.
    """

    __slots__ = ("_drawn", "_ended", "_make", "_progress", "_size", "_units")

    def __init__(
        self, units: Iterator[Any], make: Callable[[Any], Any], size: Callable[[Any], int], progress: Progress
    ) -> None:
        self._units, self._make, self._size, self._progress = units, make, size, progress
        self._drawn = progress.position
        self._ended = False

    def __iter__(self) -> Pass:
        return self

    def __next__(self) -> Any:
        progress = self._progress
        try:
            unit = next(self._units)
        except StopIteration:
            if not self._ended:
                self._ended = True
                progress.epoch, progress.position, progress.begun = progress.epoch + 1, 0, False
            raise
        except Exception:
            self._ended = True  # by an error, which is not the end of the epoch
            raise
        self._drawn += self._size(unit)
        try:
            batch = self._make(unit)
        except StopIteration as error:
            # It would look like the end of the epoch, and the rest of the samples would be lost without a word.
            raise RuntimeError("DataLoader: the dataset, collate_fn or convert raised StopIteration") from error
        progress.position = self._drawn
        return batch


def batched_pass(batch_sampler: Any, read: BatchReader, progress: Progress) -> Pass:
    """Batches of a dataset with samples by index."""
    batches = quick_method(batch_sampler, "batches", "__iter__")
    if batches is not None:
        return Pass(batches(progress.epoch, progress.position), read, len, progress)
    groups = (group if isinstance(group, Sequence) else as_list(group) for group in batch_sampler)
    return Pass(_skip_groups(groups, progress.position), read, len, progress)


def single_pass(sampler: Any, read: SampleReader, progress: Progress) -> Pass:
    """Samples by index, one at a time."""
    order = order_of(sampler, progress.epoch)
    start = progress.position
    indices = islice(iter(sampler), start, None) if order is None else iter(as_list(order[start:]))
    return Pass(indices, read, _one, progress)


def streamed_pass(
    dataset: Any, batch_size: int, drop_last: bool, collate: Callable[[list[Any]], Any], progress: Progress
) -> Pass:
    """Batches of a dataset that can only be iterated. To go on from the middle, what came before is read again."""
    numbered = _numbered(dataset, progress.position)
    groups = iter(lambda: list(islice(numbered, batch_size)), [])
    full = (group for group in groups if len(group) == batch_size or not drop_last)

    def make(group: list[tuple[int, Any]]) -> Any:
        return collated(collate, [sample for _, sample in group], [number for number, _ in group])

    return Pass(full, make, len, progress)


def streamed_single_pass(dataset: Any, read: SampleReader, progress: Progress) -> Pass:
    """Samples of a dataset that can only be iterated, one at a time."""
    return Pass(_numbered(dataset, progress.position), lambda pair: read.finish(pair[1], pair[0]), _one, progress)


def _one(unit: Any) -> int:
    return 1


def _skip_groups(groups: Iterator[Any], start: int) -> Iterator[Any]:
    """The groups that follow the first `start` samples, for a batch sampler of which nothing more is known."""
    passed = 0
    for group in groups:
        if passed >= start:
            yield group
            continue
        passed += len(group)
        if passed > start:
            raise ValueError(
                f"load_state_dict: expected a batch that begins at sample {start}; batch_sampler has one that ends at "
                f"sample {passed}: the state is of another batch_sampler, or its order is not the same in each pass"
            )
    if passed < start:
        raise ValueError(f"load_state_dict: expected an epoch of at least {start} samples; batch_sampler gave {passed}")


def _numbered(dataset: Any, start: int) -> Iterator[tuple[int, Any]]:
    """(number, sample) from `start` on; what the dataset raises says the number."""
    samples = iter(dataset)
    number = 0
    while True:
        try:
            sample = next(samples)
        except StopIteration:
            break
        except Exception as error:
            error.add_note(f"DataLoader: raised by the iterator of {type(dataset).__name__} at sample {number}")
            raise
        if number >= start:
            yield number, sample
        number += 1
    if number < start:
        raise ValueError(f"load_state_dict: expected an epoch of at least {start} samples; the dataset gave {number}")
