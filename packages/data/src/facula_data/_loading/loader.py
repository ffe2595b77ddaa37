"""DataLoader: the dataset, the order of its samples, and the assembly of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from facula_errors import InvalidTypeError, MissingAttributeError, OperationError
from facula_errors.extend import boundary

from .. import _checks
from .._batches.collate import default_collate, default_convert, finishing
from .._batches.fetch import BatchReader, SampleReader, as_list
from .._batches.passes import (
    BatchSource,
    InlinePass,
    Progress,
    SharedPass,
    batched_stream,
    index_batches,
    single_indices,
    single_size,
    single_stream,
)
from .._batches.reading import OnError, Reader, checked_policy, restoring_globals
from .._datasets.dataset import Dataset, IterableDataset, T_co
from .._meter.loader_report import LoaderReport
from .._meter.meter import Meter
from .._meter.metered_pass import MeteredPass
from .._sampling.distributed import Shard, checked_shard
from .._sampling.samplers import BatchSampler, RandomSampler, SequentialSampler, default_sampler
from .._sampling.seeds import Seeded
from .._types import Batch, Collate, Index, Source
from .._workers.jobs import Job, StreamJob
from .arguments import check_callable, check_dataset, check_exclusive, check_extras, checked_seeds, warn_of_pinning
from .automatic import Automatic, Choice, choice_for
from .crew import AUTO, INLINE, PLURALS, PROCESS, THREAD, Crew, checked_settings
from .private_names import PrivateNames
from .state import checked_state, loader_state

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # bundled with every type checker

    from .._datasets.dataset import Samples
    from .._sampling.seeds import SeedLike

    Batch_co = TypeVar("Batch_co", covariant=True, default=Any)
else:
    from .._batches.passes import Batch_co

FIXED = frozenset({"batch_sampler", "batch_size", "dataset", "drop_last", "generator", "sampler"})


@boundary
class DataLoader(Seeded, PrivateNames, Generic[T_co, Batch_co]):
    """An iterable over the batches of a dataset, made in this process or by workers.

    Arguments:
        dataset: anything with `__getitem__` and `__len__`, or an IterableDataset.
        batch_size: samples per batch; None yields single samples, not collated.
        shuffle: whether to draw a new random order in each epoch.
        sampler: an iterable of indices; excludes `shuffle`.
        batch_sampler: an iterable of lists of indices; excludes `batch_size`, `shuffle`, `sampler` and `drop_last`.
        num_workers: the number of workers that make batches; with 0 this process makes them.
        collate_fn: makes a batch from a list of samples (with `batch_size=None`: from one sample).
        pin_memory: without effect, because NumPy arrays are not copied to devices; a subclass with tensors may use it.
        drop_last: leave out an incomplete last batch.
        timeout: seconds to wait for a worker's batch; 0 waits without limit.
        worker_init_fn: called in each worker with the worker's number when it starts.
        multiprocessing_context: a start method ("fork", "forkserver", "spawn"), a context of multiprocessing, or None
            for Python's default.
        generator: a seed, a numpy.random.Generator (which draws a seed), an object with `initial_seed()`, or None. The
            order depends only on this seed, the epoch and the position.
        prefetch_factor: the number of batches that each worker prefetches; 2 by default.
        persistent_workers: whether to keep the workers for the next epoch.
        pin_memory_device: accepted without effect, like `pin_memory`.
        in_order: accepted without effect: batches always arrive in order.
        worker_method: "process"; "thread", for datasets that release the GIL, for example while reading files or
            decoding images; "inline", without workers; or "auto", which makes the first batches with each method and
            continues with the simplest method that no other beats by more than 10 percent. "auto" tries threads if the
            dataset's `thread_safe` is true, starts one worker per processor (at most eight) if `num_workers` is 0, and
            uses no workers for an IterableDataset. `worker_choice` reports its
            measurements.
        seed: an int; another name for `generator`.
        shard: (rank, world), the number of this program among `world` programs that train together. Each receives its
            share of every `world * batch_size` samples of a common order, and positions count the samples of all
            programs.
        on_error: the policy for samples that fail: "raise"; "skip", which leaves them out; "substitute", which reads
            another sample in their place, always the same; or a function of error and index that returns a sample. With
            the last three, a worker process that ends, or exceeds `timeout`, is also replaced.
        seed_globals: seed `random` and `numpy.random` for each sample, from seed, epoch and index. This is for datasets
            that draw from the global generators; prefer a parameter `rng` of `__getitem__`, which receives a
            numpy.random.Generator.
        meter: whether to measure the time of each stage for `report()`.
        convert: applied to each NumPy array of a batch, for example `facula.from_numpy` or `jax.numpy.asarray`. Batches
            own their memory, so `convert` need not copy.

    Each `iter(loader)` starts the next epoch. `state_dict()` records the position of the newest pass in three integers;
    after `load_state_dict()` the next `iter(loader)` resumes there, also in mid-epoch. The state does not count a batch
    that failed, so it is tried again after resuming. To continue with the batch after it, call `next()` on the same
    iterator; the state then lists the skipped samples.

    Raises:
        ValueError, TypeError: an argument is invalid, or two arguments exclude each other.
        ImportError: worker processes are requested, and facula-multiprocessing is not installed.

    >>> from facula_data import TensorDataset
    >>> data = TensorDataset(np.arange(10.0).reshape(5, 2), np.arange(5))
    >>> loader = DataLoader(data, batch_size=2, shuffle=True, generator=0)
    >>> for x, y in loader:
    ...     print(x.shape, y)
    (2, 2) [0 2]
    (2, 2) [1 4]
    (1, 2) [3]

    Source: torch.utils.data.DataLoader; the state follows Grain and MosaicML Streaming.
    """

    num_workers: int
    pin_memory: bool
    in_order: bool
    prefetch_factor: int | None
    batch_size: int | None
    drop_last: bool
    on_error: OnError
    seed_globals: bool
    shard: tuple[int, int] | None
    meter: Meter | None
    worker_choice: Choice | None

    # type checkers use two parameters: `DataLoader[Sample]` suffices, the type of batches is inferred
    if not TYPE_CHECKING:
        __class_getitem__ = classmethod(GenericAlias)

    def __init__(
        self,
        dataset: Dataset[T_co] | Samples[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[object] | None = None,
        batch_sampler: Iterable[Sequence[object]] | None = None,
        num_workers: int = 0,
        collate_fn: Collate | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: object = None,
        generator: SeedLike = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        worker_method: str = "process",
        seed: int | None = None,
        shard: tuple[int, int] | None = None,
        on_error: OnError = "raise",
        seed_globals: bool = False,
        meter: bool = False,
        convert: Callable[[np.ndarray], object] | None = None,
    ) -> None:
        super().__init__(checked_seeds(generator, seed))
        settings = checked_settings(
            num_workers, timeout, multiprocessing_context, prefetch_factor, persistent_workers, worker_method
        )
        self._pin = self._pinning() if pin_memory else None
        self.pin_memory_device, self.in_order = pin_memory_device, _checks.truth("DataLoader", "in_order", in_order)
        self.on_error = checked_policy(on_error)
        self.seed_globals = _checks.truth("DataLoader", "seed_globals", seed_globals)
        check_extras(dataset, batch_sampler, settings, on_error, seed_globals, shard)
        self.shard = None if shard is None else checked_shard("DataLoader", shard)
        check_dataset(dataset, sampler, batch_sampler)
        check_exclusive(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last)
        check_callable(collate_fn=collate_fn, convert=convert, worker_init_fn=worker_init_fn)
        self.num_workers, self.pin_memory, self.timeout = settings.number, bool(pin_memory), timeout
        self.worker_init_fn, self.multiprocessing_context = worker_init_fn, multiprocessing_context
        self.prefetch_factor, self.persistent_workers = settings.prefetch, persistent_workers
        self.worker_method = worker_method
        if settings.method == AUTO and isinstance(dataset, IterableDataset):
            settings = settings._replace(number=0, method=INLINE)
        self.worker_choice = choice_for(dataset, settings.method, seed_globals) if worker_method == AUTO else None
        self._settings = settings
        self._crews = {kind: Crew(settings._replace(method=kind)) for kind in (PROCESS, THREAD)}
        measured = _checks.truth("DataLoader", "meter", meter)
        self.meter = Meter(settings.number, PLURALS[settings.method], settings.prefetch) if measured else None
        self.dataset: Source = dataset
        self.sampler: Source = sampler
        self.batch_sampler: Source = batch_sampler
        self.batch_size, self.drop_last = (batch_size, drop_last) if batch_sampler is None else (None, False)
        if not isinstance(dataset, IterableDataset) and batch_sampler is None:
            self.sampler = default_sampler(dataset, bool(shuffle), self.generator) if sampler is None else sampler
            if self.shard is not None:
                self.batch_sampler = Shard(self.sampler, batch_size or 1, drop_last, *self.shard)
            elif batch_size is not None:
                self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self._batched = batch_size is not None or batch_sampler is not None
        self._collate: Collate = collate_fn or (default_collate if self._batched else default_convert)
        self.convert = convert
        self._progress = Progress(0, 0)
        self._built = True

    collate_fn = property(lambda self: self._collate, lambda self, function: setattr(self, "_collate", function))

    def __setattr__(self, name: str, value: object) -> None:
        if name in FIXED and getattr(self, "_built", False):
            raise MissingAttributeError(f"DataLoader: {name} cannot be changed after construction; make another loader")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Batch_co]:
        previous = self._progress
        if previous.begun:
            progress = Progress(previous.epoch + 1, 0, True)
        else:
            resumed = previous.skipped, previous.streams, previous.datasets
            progress = Progress(previous.epoch, previous.position, True, *resumed)
        kind = InlinePass if self._settings.method == INLINE else SharedPass
        made: Iterator[Batch_co] = kind(self._making(progress), progress)
        if self.meter is not None:
            made = MeteredPass(made, progress, self.meter, self._settings.method == INLINE)
        self._progress = progress
        return made if self._pin is None else map(self._pin, made)

    def _pinning(self) -> Callable[[Batch], Batch] | None:
        """Return the function that copies a batch to pinned memory; None, with a warning, if no device reads it.

        Subclasses whose batches contain tensors override it.
        """
        warn_of_pinning()
        return None

    def _making(self, progress: Progress) -> BatchSource:
        """Return the source of batches for a pass that starts at `progress`."""
        kind, streamed = self._settings.method, isinstance(self.dataset, IterableDataset)
        if streamed:
            if kind == INLINE:
                return self._stream(progress)
            return self._crews[kind].begin(self._job(), self._seeded().seed, progress, None, self.convert, self.meter)
        units, size = self._units(progress)

        def begin(kind: str, units: Iterator[Index]) -> BatchSource:
            for other in self._crews.keys() - {kind}:
                self._crews[other].close()
            if self.meter is not None:
                self.meter.change(0 if kind == INLINE else self._settings.number, PLURALS[kind])
            if kind == INLINE:
                return BatchSource(units, self._reads(progress), size)
            seed = self._seeded().seed
            return self._crews[kind].begin(self._job(), seed, progress, (units, size), self.convert, self.meter)

        if self.worker_choice is None:
            return begin(kind, units)
        stays = self.persistent_workers or not _checks.has_length(self)
        automatic = Automatic(units, begin, self.worker_choice, 0 if stays else len(self), self.meter)
        return BatchSource(automatic, automatic.make, automatic.size)

    def _reads(self, progress: Progress) -> Callable[[Index], Batch]:
        """Return the function that makes the batch of a unit in this process."""
        kind: Any = BatchReader if self._batched else SampleReader
        read = kind(self._reader(progress.epoch), self._collate, self.convert)
        return restoring_globals(read) if self.seed_globals else read

    def _stream(self, progress: Progress) -> BatchSource:
        """Return the source of batches for a dataset that can only be iterated."""
        reader = self._reader(progress.epoch)
        if self.batch_size is None:
            read = SampleReader(reader, self._collate, self.convert)
            return single_stream(self.dataset, read, progress, reader.seed)
        collate = finishing(self._collate, self.convert)
        return batched_stream(self.dataset, self.batch_size, self.drop_last, collate, progress, reader.seed)

    def _job(self) -> Job:
        """Return the work that each worker does."""
        given = (self.dataset, self._collate, self.convert, self._batched, self.num_workers, self.worker_init_fn)
        if isinstance(self.dataset, IterableDataset):
            return StreamJob(*given, batch_size=self.batch_size, drop_last=self.drop_last)
        return Job(*given, self.on_error, self.seed_globals)

    def _units(self, progress: Progress) -> tuple[Iterator[Index], Callable[[Index], int]]:
        """Return the units from `progress` on (lists of indices or single ones), and a function of their sizes."""
        if self._batched:
            return index_batches(self.batch_sampler, progress), self._samples_of
        if self.shard is None:
            return single_indices(self.sampler, progress), single_size
        batches, world = index_batches(self.batch_sampler, progress), self.shard[1]  # batches of one sample
        return (index for batch in batches for index in as_list(batch)), lambda index: world

    def _samples_of(self, unit: Index) -> int:
        """Return the number of samples of a batch, including those of other programs."""
        return len(unit) if self.shard is None else len(unit) * self.shard[1]

    def _reader(self, epoch: int) -> Reader:
        """Return the reader of single samples in this process."""
        read = Reader(self.dataset, self.on_error, self.seed_globals)
        read.epoch = epoch
        read.seed = lambda: self._seeded().seed  # drawn on first use
        return read

    def __len__(self) -> int:
        """Return the number of batches in a whole epoch."""
        if isinstance(self.dataset, IterableDataset):
            if not _checks.has_length(self.dataset):
                raise InvalidTypeError(f"DataLoader: {type(self.dataset).__name__} has no length; define __len__ in it")
            count, size = len(self.dataset), self.batch_size or 1  # type: ignore[arg-type]
            return count // size if self.drop_last else -(-count // size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)

    def report(self) -> LoaderReport:
        """Report the time of each stage per epoch, the bottleneck, and settings that would help; requires `meter=True`.

        Raises:
            RuntimeError: the loader has no meter.

        >>> loader = DataLoader(range(6), batch_size=2, meter=True)
        >>> batches = list(loader)
        >>> len(loader.report().epochs)
        1
        """
        if self.meter is None:
            raise OperationError("DataLoader: nothing was measured; make the loader with meter=True")
        return self.meter.report()

    def _seeded(self) -> Seeded:
        """Return the owner of the order's seed: a sampler or this loader."""
        for owner in (self.sampler, self.batch_sampler, getattr(self.batch_sampler, "sampler", None)):
            if isinstance(owner, Seeded):
                return owner
        return self

    def state_dict(self) -> dict[str, Any]:
        """Return the progress of the newest pass: `seed`, `epoch`, and `position`, the samples delivered in that epoch.

        The state does not depend on the batch size: a loader with another one continues with the same samples.

        If batches failed and the pass continued after them, `skipped` lists them as pairs [begin, end] of positions:
        all other samples before `position` were delivered. `sampler.order(epoch)[begin:end]` are their indices in the
        dataset. A loader that resumes from the state does not retry them.

        For an IterableDataset with workers, `streams` lists the number of samples that each delivered, followed by the
        next worker's index. If the dataset has `state_dict()` and `load_state_dict()`, `datasets` lists its states in
        each worker, or in this process, after the last delivered batch.

        >>> loader = DataLoader(range(6), batch_size=2, shuffle=True, generator=3)
        >>> batches = iter(loader)
        >>> first = next(batches)
        >>> loader.state_dict()
        {'seed': 3, 'epoch': 0, 'position': 2}
        >>> rest = [batch.tolist() for batch in batches]
        >>> again = DataLoader(range(6), batch_size=2, shuffle=True)
        >>> again.load_state_dict({'seed': 3, 'epoch': 0, 'position': 2})
        >>> [batch.tolist() for batch in again] == rest
        True
        """
        progress = self._progress
        position = progress.position
        if self.shard is not None:  # the last batch may contain repeated samples
            position = min(position, self._epoch_length() or 0)
        return loader_state(progress, self._seeded().seed, position)

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Let the next `iter(loader)` resume from a state of `state_dict()`; running passes are not affected.

        A custom sampler must return the same order again: define `order(epoch)`, or make its iteration deterministic.
        An IterableDataset resumes by its own `load_state_dict()`, which is called before the pass iterates over it;
        without that method it is read again from its beginning up to the position. With workers, their number must be
        the same.

        Raises:
            ValueError: the keys are not those of `state_dict()`, a value is not an integer in its range, or the
                position exceeds the samples of an epoch. The loader is then unchanged.
        """
        seed, progress = checked_state(state_dict, self._epoch_length(), self.dataset, self.num_workers)
        self._seeded().seed, self._progress = seed, progress

    def _epoch_length(self) -> int | None:
        """Return the number of samples of an epoch before `drop_last`, or None if it is not known in advance."""
        if self.sampler is not None:
            source = self.sampler
        elif isinstance(self.batch_sampler, (BatchSampler, Shard)):
            source = self.batch_sampler.sampler
        else:
            return None
        return len(source) if _checks.has_length(source) else None

    def __repr__(self) -> str:
        what = "samples" if self.batch_size is None and self.batch_sampler is None else "batches"
        count = f", {len(self)} {what}" if _checks.has_length(self) else ""
        parts = [repr(self.dataset), f"batch_size={self.batch_size}"]
        if self.batch_sampler is not None and self.batch_size is None:
            parts[1] = f"batch_sampler={self.batch_sampler!r}"
        elif isinstance(self.sampler, RandomSampler):
            parts.append("shuffle=True")
        elif self.sampler is not None and not isinstance(self.sampler, SequentialSampler):
            parts.append(f"sampler={self.sampler!r}")
        if self.drop_last:
            parts.append("drop_last=True")
        return f"DataLoader({', '.join(parts)}{count})"
