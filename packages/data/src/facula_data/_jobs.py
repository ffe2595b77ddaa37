"""What a worker does: from a unit of work to a batch, whatever kind of worker it is.

A job goes to each worker once. `begin(worker)` gives the function that makes the batches there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ._arrays import as_numpy
from ._collate import default_collate, default_convert, stacked
from ._fetch import BatchReader, SampleReader, collated
from ._native import Native, native_of
from ._reading import OnError, Reader
from ._types import Batch, Collate, Convert, Sample, Source
from ._worker_info import WorkerInfo, set_worker_info

SMALL = 4096  # bytes of a sample
BEGIN = -1  # the ticket of an epoch's beginning, whose unit is the loader's seed, the epoch's, and its number
END = "end"  # what a stream gives in place of a batch when it has no more

Make = Callable[[object], Batch]


class Job:
    """What all jobs say: `dataset`, `collate` (of lists of samples, or of single ones), and how workers begin.

    Arguments:
        native: tensors of a library that stacks its own, or None.
        batched: whether units are lists of indices and not single ones.
        init: called with a worker's number when it begins, or None.
    """

    __slots__ = ("batched", "collate", "dataset", "init", "native", "num_workers", "on_error", "seed_globals")

    def __init__(
        self,
        dataset: Source,
        collate: Collate,
        convert: Convert,
        batched: bool,
        num_workers: int,
        init: Callable[[int], None] | None,
        on_error: OnError = "raise",
        seed_globals: bool = False,
    ) -> None:
        self.on_error, self.seed_globals = on_error, seed_globals
        self.dataset, self.collate, self.batched = dataset, collate, batched
        self.native = native_of(convert)
        self.num_workers, self.init = num_workers, init

    def begin(self, worker: int, order_seed: int, seed: int, epoch: int, *, first: bool, own_process: bool) -> Make:
        """Be worker number `worker` in an epoch; gives `make(unit)`, a batch of a unit, its arrays not converted yet.

        Arguments:
            worker: from 0 to `num_workers` - 1.
            order_seed: the loader's seed, which with the epoch and an index decides a sample's random numbers.
            seed: of all workers in this epoch; each has its own, which follows from it.
            epoch: its number.
            first: whether this is the worker's first epoch.
            own_process: whether the worker is a process, whose random numbers are its own.
        """
        seed = (seed + worker) % (1 << 64)
        set_worker_info(WorkerInfo(worker, self.num_workers, seed, self.dataset))
        if own_process:
            random.seed(seed)
            np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
        if first and self.init is not None:
            self.init(worker)
        return self._maker(order_seed, epoch)

    def _maker(self, seed: int, epoch: int) -> Make:
        read = Reader(self.dataset, self.on_error, self.seed_globals)
        read.seed, read.epoch = seed, epoch
        kind: type = BatchReader if self.batched else SampleReader
        return kind(read, self._collate(), None)

    def _collate(self) -> Collate:
        """The collation, but without tensors of another library where NumPy sees their memory."""
        if self.native is None or self.collate not in (default_collate, default_convert):
            return self.collate
        native = self.native
        return partial(self.collate, convert=Native(native.kind, _same, partial(_stack, native)))


class StreamJob(Job):
    """A job of a dataset that can only be iterated: the unit is how many samples to leave out first."""

    __slots__ = ("batch_size", "drop_last")

    def __init__(self, *arguments: object, batch_size: int | None, drop_last: bool) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.batch_size, self.drop_last = batch_size, drop_last

    def _maker(self, seed: int, epoch: int) -> Make:
        samples = iter(self.dataset)
        collate = self._collate()
        size = 1 if self.batch_size is None else self.batch_size
        number = 0

        def make(unit: object) -> Batch:
            nonlocal number
            number += sum(1 for _ in _next_of(samples, unit)) if isinstance(unit, int) and unit else 0
            group = list(_next_of(samples, size))
            first, number = number, number + len(group)
            if not group or (self.drop_last and len(group) < size):
                return END
            data = group[0] if self.batch_size is None else group
            return len(group), collated(collate, data, list(range(first, number)))

        return make


def _next_of(samples: Iterator[Sample], count: int) -> Iterator[Sample]:
    for _, sample in zip(range(count), samples, strict=False):
        yield sample


def _same(array: np.ndarray) -> np.ndarray:
    return array


def _stack(native: Native, samples: list[Sample]) -> Batch:
    """Many small tensors are quicker stacked by their own library; large ones at once where the batch is to lie."""
    try:
        if getattr(samples[0], "nbytes", SMALL) < SMALL:
            return as_numpy(native.stack(samples))
        return stacked([as_numpy(sample) for sample in samples])
    except (BufferError, TypeError, RuntimeError):  # a dtype that NumPy has not
        return native.stack(samples)
