"""DataLoader: what to read, in which order, how many at a time, and what becomes of it."""

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
    InlinePass,
    Making,
    Progress,
    SharedPass,
    batched_stream,
    index_batches,
    one,
    single_indices,
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
from .arguments import check_callable, check_dataset, check_exclusive, check_extras, checked_seeds, notice_pinning
from .automatic import Automatic, Choice, choice_for
from .crew import AUTO, INLINE, PLURALS, PROCESS, THREAD, Crew, checked_settings
from .private_names import PrivateNames
from .state import checked_state, loader_state

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # which every type checker brings

    from .._datasets.dataset import Samples
    from .._sampling.seeds import SeedLike

    Batch_co = TypeVar("Batch_co", covariant=True, default=Any)
else:
    from .._batches.passes import Batch_co

FIXED = frozenset({"batch_sampler", "batch_size", "dataset", "drop_last", "generator", "sampler"})


@boundary
class DataLoader(Seeded, PrivateNames, Generic[T_co, Batch_co]):
    """Batches of a dataset, made in this process or by workers.

    Arguments:
        dataset: anything with `__getitem__` and `__len__`, or an IterableDataset.
        batch_size: samples in a batch; None gives single samples, not collated.
        shuffle: another random order in each epoch.
        sampler: gives the indices; instead of `shuffle`.
        batch_sampler: gives lists of indices; instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
        num_workers: how many workers make batches; with 0 this process makes them itself.
        collate_fn: makes a batch of a list of samples (with `batch_size=None`: of one sample).
        pin_memory: no difference: there is no device to copy to.
        drop_last: leave out a last batch that is not full.
        timeout: seconds to wait for a worker's batch; 0 for any time.
        worker_init_fn: called with a worker's number when it begins, in it.
        multiprocessing_context: a start method ("fork", "forkserver", "spawn"), a context of multiprocessing, or None
            for Python's default.
        generator: a seed, a numpy.random.Generator (which gives one), an object with `initial_seed()`, or None. The
            order is a function of this seed, the epoch and the position alone.
        prefetch_factor: batches that each worker makes before they are asked for; 2.
        persistent_workers: whether the workers stay for the next epoch.
        pin_memory_device: no difference, as `pin_memory`.
        in_order: no difference: they always do.
        worker_method: "process"; "thread", for datasets that read files, decode images or call what else releases the
            GIL; "inline", without workers; or "auto": the first batches are made in each way, and the quickest goes on.
            Threads are tried with a dataset whose `thread_safe` is true, as many workers as processors where
            `num_workers` is 0, and none for an IterableDataset. `worker_choice` says what was found.
        seed: an int; another name for `generator`.
        shard: (rank, world): which of `world` programs that train together this is. Each gets its share of every
            `world * batch_size` samples of one common order, and positions count the samples of all.
        on_error: what becomes of samples that fail: "raise"; "skip", which leaves them out; "substitute", which takes
            another sample in their place, always the same; or a function of error and index that gives a sample. A
            process that ends, or is stuck for longer than `timeout`, is replaced then, too.
        seed_globals: seed `random` and `numpy.random` for each sample, by seed, epoch and index. For datasets that
            draw from them; better take an argument `rng` in `__getitem__`: it is given a numpy.random.Generator.
        meter: whether to measure where the time goes; `report()` says it.
        convert: applied to each NumPy array of a batch: `facula.from_numpy`, `jax.numpy.asarray`. Batches own their
            memory, so it need not copy.

    Each `iter(loader)` is the next epoch. `state_dict()` says in three integers where the newest has got to;
    after `load_state_dict()` the next `iter(loader)` goes on from there, in the middle of an epoch too. A batch that
    fails is not counted: the state says that it is to come. To go on with the batch after it, call `next()` of the
    same iterator; the state then says which samples were skipped.

    Raises:
        ValueError, TypeError: an argument is wrong, or two exclude each other.
        ImportError: there are to be worker processes, and facula-multiprocessing is not installed.

    >>> from facula_data import TensorDataset
    >>> data = TensorDataset(np.arange(10.0).reshape(5, 2), np.arange(5))
    >>> loader = DataLoader(data, batch_size=2, shuffle=True, generator=0)
    >>> for x, y in loader:
    ...     print(x.shape, y)
    (2, 2) [0 2]
    (2, 2) [1 4]
    (1, 2) [3]

    Source: torch.utils.data.DataLoader; the state after Grain's and MosaicML Streaming's.
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

    if not TYPE_CHECKING:  # which see two types: `DataLoader[Sample]` will do, the batch's is found out
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
        notice_pinning(pin_memory)
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
        return made

    def _making(self, progress: Progress) -> Making:
        """Who makes the batches of a pass that begins where `progress` says."""
        kind, streamed = self._settings.method, isinstance(self.dataset, IterableDataset)
        if streamed:
            if kind == INLINE:
                return self._stream(progress)
            return self._crews[kind].begin(self._job(), self._seeded().seed, progress, None, self.convert, self.meter)
        units, size = self._units(progress)

        def begin(kind: str, units: Iterator[Index]) -> Making:
            for other in self._crews.keys() - {kind}:
                self._crews[other].close()
            if self.meter is not None:
                self.meter.change(0 if kind == INLINE else self._settings.number, PLURALS[kind])
            if kind == INLINE:
                return Making(units, self._reads(progress), size)
            seed = self._seeded().seed
            return self._crews[kind].begin(self._job(), seed, progress, (units, size), self.convert, self.meter)

        if self.worker_choice is None:
            return begin(kind, units)
        stays = self.persistent_workers or not _checks.has_length(self)
        automatic = Automatic(units, begin, self.worker_choice, 0 if stays else len(self), self.meter)
        return Making(automatic, automatic.make, automatic.size)

    def _reads(self, progress: Progress) -> Callable[[Index], Batch]:
        """What makes a batch of a unit in this process."""
        kind: Any = BatchReader if self._batched else SampleReader
        read = kind(self._reader(progress.epoch), self._collate, self.convert)
        return restoring_globals(read) if self.seed_globals else read

    def _stream(self, progress: Progress) -> Making:
        """The same for a dataset that can only be iterated."""
        reader = self._reader(progress.epoch)
        if self.batch_size is None:
            read = SampleReader(reader, self._collate, self.convert)
            return single_stream(self.dataset, read, progress, reader.seed)
        collate = finishing(self._collate, self.convert)
        return batched_stream(self.dataset, self.batch_size, self.drop_last, collate, progress, reader.seed)

    def _job(self) -> Job:
        """What the workers do."""
        given = (self.dataset, self._collate, self.convert, self._batched, self.num_workers, self.worker_init_fn)
        if isinstance(self.dataset, IterableDataset):
            return StreamJob(*given, batch_size=self.batch_size, drop_last=self.drop_last)
        return Job(*given, self.on_error, self.seed_globals)

    def _units(self, progress: Progress) -> tuple[Iterator[Index], Callable[[Index], int]]:
        """What is made of indices, from where `progress` says: lists or single ones, and the samples of each."""
        if self._batched:
            return index_batches(self.batch_sampler, progress), self._samples_of
        if self.shard is None:
            return single_indices(self.sampler, progress), one
        batches, world = index_batches(self.batch_sampler, progress), self.shard[1]  # of one sample
        return (index for batch in batches for index in as_list(batch)), lambda index: world

    def _samples_of(self, unit: Index) -> int:
        """The samples of a batch, those of other programs included."""
        return len(unit) if self.shard is None else len(unit) * self.shard[1]

    def _reader(self, epoch: int) -> Reader:
        """What reads single samples in this process."""
        read = Reader(self.dataset, self.on_error, self.seed_globals)
        read.epoch = epoch
        read.seed = lambda: self._seeded().seed  # drawn where it is asked for
        return read

    def __len__(self) -> int:
        """Batches in a whole epoch."""
        if isinstance(self.dataset, IterableDataset):
            if not _checks.has_length(self.dataset):
                raise InvalidTypeError(f"DataLoader: len() needs {type(self.dataset).__name__} to have __len__")
            count, size = len(self.dataset), self.batch_size or 1  # type: ignore[arg-type]
            return count // size if self.drop_last else -(-count // size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)

    def report(self) -> LoaderReport:
        """Where the time of each epoch went, what held it up, and which settings would help; for `meter=True`.

        Raises:
            RuntimeError: there is no meter.

        >>> loader = DataLoader(range(6), batch_size=2, meter=True)
        >>> batches = list(loader)
        >>> len(loader.report().epochs)
        1
        """
        if self.meter is None:
            raise OperationError("DataLoader: nothing was measured; make the loader with meter=True")
        return self.meter.report()

    def _seeded(self) -> Seeded:
        """Whose seed the order is a function of: a sampler's, or this loader's own."""
        for owner in (self.sampler, self.batch_sampler, getattr(self.batch_sampler, "sampler", None)):
            if isinstance(owner, Seeded):
                return owner
        return self

    def state_dict(self) -> dict[str, Any]:
        """Where the newest pass has got to: `seed`, `epoch`, and `position`, the samples delivered in that epoch.

        It does not depend on the batch size, so a loader with another one goes on with the same samples.

        Where batches failed and the pass went on after them, `skipped` lists them as pairs [begin, end] of positions:
        the samples before `position` were delivered, but for these. `sampler.order(epoch)[begin:end]` are their indices
        in the dataset. A loader that goes on from the state does not try them again.

        Of an IterableDataset in workers, `streams` are the samples that each gave, and whose turn it is. Where the
        dataset has `state_dict()` and `load_state_dict()`, `datasets` are its states in each worker, or in this
        process, after the last batch that was delivered.

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
        if self.shard is not None:  # the last batch may have been filled up
            position = min(position, self._epoch_length() or 0)
        return loader_state(progress, self._seeded().seed, position)

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Let the next `iter(loader)` go on from where `state_dict()` was taken; passes under way are not moved.

        A sampler of your own must give the same order again: let it have `order(epoch)`, or iterate it alike. An
        IterableDataset goes on by its own `load_state_dict()`, which is called before the pass iterates it; without
        one it is read again from its beginning, up to the position. With workers, only as many can go on.

        Raises:
            ValueError: the keys are not those of `state_dict()`, a value is no integer of its range, or the position
                lies beyond the epoch's samples. Nothing has changed then.
        """
        seed, progress = checked_state(state_dict, self._epoch_length(), self.dataset, self.num_workers)
        self._seeded().seed, self._progress = seed, progress

    def _epoch_length(self) -> int | None:
        """Samples of an epoch before `drop_last`, or None where that is not known beforehand."""
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
