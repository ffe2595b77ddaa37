"""The work of a worker, thread or process: from a unit of work to a batch.

A job is sent to each worker once. `begin(worker)` returns the function that makes the batches there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from functools import partial

import numpy as np

from facula_errors import InvalidTypeError

from .._arrays import as_numpy
from .._batches.collate import default_collate, default_convert, stacked
from .._batches.fetch import BatchReader, SampleReader, collated
from .._batches.native_tensors import Native, native_of
from .._batches.reading import OnError, Reader
from .._datasets.streams import Groups, Numbered, Randoms, Start, dataset_state, has_state
from .._sampling.global_rng import generators, seed_all
from .._types import Batch, Collate, Convert, Sample, Source
from .worker_info import WorkerInfo, at_start, get_worker_info, set_worker_info

SMALL = 4096  # bytes of a sample
BEGIN = -1  # the ticket that starts an epoch; its unit contains the loader's seed, the epoch's seed and its number
END = "end"  # the reply of a stream that has no more batches
CUT = "cut"  # the same reply directly after an error of the iterator

Make = Callable[[object], Batch]


class Job:
    """The common part of all jobs: `dataset`, `collate` (of lists of samples, or of single ones), and initialization.

    Arguments:
        native: the tensors of a library that stacks its own, or None.
        batched: whether units are lists of indices instead of single indices.
        init: called with a worker's number when it starts, or None.
    """

    __slots__ = ("batched", "collate", "dataset", "generators", "init", "native", "num_workers", "on_error",
                 "seed_globals", "starters")  # fmt: skip

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
        self.generators, self.starters = tuple(generators), tuple(at_start)  # a new interpreter may lack them

    def begin(self, worker: int, order_seed: int, seed: int, epoch: int, *, first: bool, own_process: bool) -> Make:
        """Start an epoch as worker number `worker` and return `make(unit)`, which makes a batch of unconverted arrays.

        Arguments:
            worker: the worker's number, from 0 to `num_workers` - 1.
            order_seed: the loader's seed, which together with the epoch and an index determines a sample's random
                numbers.
            seed: the common seed of all workers in this epoch; each worker derives its own seed from it.
            epoch: the number of the epoch.
            first: whether this is the worker's first epoch.
            own_process: whether the worker is a process with its own global random generators.
        """
        seed = (seed + worker) % (1 << 64)
        set_worker_info(WorkerInfo(worker, self.num_workers, seed, self.dataset))
        if own_process:
            if first:
                generators[:] = self.generators
                for function in self.starters:
                    function()
            seed_all(seed)
        if first and self.init is not None:
            self.init(worker)
        return self._maker(order_seed, epoch)

    def _maker(self, seed: int, epoch: int) -> Make:
        read = Reader(self.dataset, self.on_error, self.seed_globals)
        read.seed, read.epoch = seed, epoch
        kind: type = BatchReader if self.batched else SampleReader
        return kind(read, self._collate(), None)

    def _collate(self) -> Collate:
        """Return the collation function, without another library's tensors if NumPy can access their memory."""
        if self.native is None or self.collate not in (default_collate, default_convert):
            return self.collate
        native = self.native
        return partial(self.collate, convert=Native(native.kind, _same, partial(_stack, native)))


class StreamJob(Job):
    """A job of a dataset that can only be iterated: the first unit is a Start, the others are None.

    A reply consists of the number of the first sample, the number of samples, the batch, and the dataset's state or
    None.
    """

    __slots__ = ("_of_threads", "batch_size", "drop_last")

    def __init__(self, *arguments: object, batch_size: int | None, drop_last: bool) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.batch_size, self.drop_last = batch_size, drop_last
        self._of_threads: dict[int, StreamJob] = {}

    def begin(self, worker: int, order_seed: int, seed: int, epoch: int, *, first: bool, own_process: bool) -> Make:
        """Start an epoch as `Job.begin` does; each thread gets a copy of a dataset that has a state."""
        job = self
        if not own_process and has_state(self.dataset):
            if first:
                self._of_threads[worker] = self._copied()
            job = self._of_threads[worker]
        return super(StreamJob, job).begin(worker, order_seed, seed, epoch, first=first, own_process=own_process)

    def _copied(self) -> StreamJob:
        job = copy(self)
        job._of_threads = {}
        try:
            job.dataset = deepcopy(self.dataset)
        except Exception as error:
            raise InvalidTypeError(
                f"DataLoader: expected a copy of {type(self.dataset).__name__} per thread, because it has a state; "
                f'{error}; define __deepcopy__, or pass worker_method="process"'
            ) from error
        return job

    def _maker(self, seed: int, epoch: int) -> Make:
        dataset, collate, alone = self.dataset, self._collate(), self.batch_size is None
        size = 1 if self.batch_size is None else self.batch_size
        start, stated = Start(), has_state(dataset)
        info = get_worker_info()
        randoms = Randoms(seed, epoch, *(info[:2] if info else ()))
        groups: Groups | None = None
        failed = False

        def make(unit: object) -> Batch:
            nonlocal start, groups, failed
            if isinstance(unit, Start):
                start = unit
            if groups is None:
                groups = Groups(Numbered(dataset, randoms, *start), size, self.drop_last)
            try:
                group = next(groups)
            except StopIteration:
                return CUT if failed else END
            except BaseException:
                failed = True
                raise
            failed = False
            samples = group[0][1] if alone else [sample for _, sample in group]
            batch = collated(collate, samples, [number for number, _ in group])
            return group[0][0], len(group), batch, dataset_state(dataset) if stated else None

        return make


def _same(array: np.ndarray) -> np.ndarray:
    return array


def _stack(native: Native, samples: Sequence[Sample]) -> Batch:
    """Stack small tensors by their own library, and large ones directly into the memory of the batch."""
    try:
        if getattr(samples[0], "nbytes", SMALL) < SMALL:
            return as_numpy(native.stack(samples))
        return stacked([as_numpy(sample) for sample in samples])
    except (BufferError, TypeError, RuntimeError):  # a dtype that NumPy lacks
        return native.stack(samples)
