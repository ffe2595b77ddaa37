"""The workers of a loader: what was asked for, who they are, and one pass after the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import InvalidValueError, MissingPackageError

from . import _checks
from ._collate import convert_arrays
from ._datasets import IterableDataset
from ._growth import warn_of_growth
from ._jobs import Job, StreamJob
from ._parallel import ParallelPass, ParallelStream
from ._seeds import WORKERS, bits

if TYPE_CHECKING:
    from ._loader import DataLoader
    from ._parallel import Workers
    from ._passes import Progress
    from ._types import Batch

METHODS = ("process", "thread")
PREFETCH = 2  # batches of each worker


class Settings(NamedTuple):
    """The checked arguments of a loader that are about workers."""

    number: int
    timeout: float
    context: object
    prefetch: int | None
    keep: bool
    method: str


def checked_settings(
    num_workers: int,
    timeout: float,
    multiprocessing_context: object,
    prefetch_factor: int | None,
    persistent_workers: bool,
    worker_method: str,
) -> Settings:
    """These arguments of a loader, checked.

    Raises:
        ValueError: one is wrong, or says something about workers where there are none.
    """
    count = _checks.whole_number("DataLoader", "num_workers", num_workers, 0)
    if worker_method not in METHODS:
        raise InvalidValueError(f"DataLoader: expected worker_method to be one of {METHODS}; got {worker_method!r}")
    _checks.truth("DataLoader", "persistent_workers", persistent_workers)
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout < float("inf"):
        raise InvalidValueError(f"DataLoader: expected timeout to be seconds, 0 for any time; got timeout={timeout!r}")
    if prefetch_factor is not None:
        prefetch_factor = _checks.whole_number("DataLoader", "prefetch_factor", prefetch_factor, 1)
    if not count:
        for name, value, absent in (
            ("timeout", timeout, 0),
            ("prefetch_factor", prefetch_factor, None),
            ("persistent_workers", persistent_workers, False),
        ):
            if value != absent:
                raise InvalidValueError(f"DataLoader: {name} is about workers; got {name}={value!r} with num_workers=0")
        return Settings(0, 0.0, None, None, False, worker_method)
    if worker_method == "process":
        from ._processes import context_of  # here, as not everyone has workers

        context_of(multiprocessing_context)
    prefetch = PREFETCH if prefetch_factor is None else prefetch_factor
    return Settings(count, float(timeout), multiprocessing_context, prefetch, persistent_workers, worker_method)


class Crew:
    """The workers of one loader, from one pass to the next if they are to stay."""

    __slots__ = ("_kept", "_settings")

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept: Workers | None = None

    def __reduce__(self) -> tuple[type, tuple[Settings]]:
        return Crew, (self._settings,)  # a copy of a loader has workers of its own

    def begin(self, loader: DataLoader[Any, Any], progress: Progress) -> Iterator[Batch]:
        """The pass that begins where `progress` says."""
        settings = self._settings
        workers = self._kept
        if workers is None:
            workers = _start(_job_of(loader), settings)
        self._kept = workers if settings.keep else None
        workers.meter = loader.meter
        seed = loader._seeded().seed
        first = workers.begin(seed, int(bits(seed, progress.epoch, WORKERS).random_raw()), progress.epoch)
        ahead = settings.number * (settings.prefetch or PREFETCH)
        finish = _kept if loader.convert is None else partial(convert_arrays, convert=loader.convert)
        if isinstance(loader.dataset, IterableDataset):
            return ParallelStream(workers, finish, progress, ahead, settings.keep, first)
        replaces = loader.on_error != "raise"
        units, size = loader._units(progress)
        return ParallelPass(units, size, workers, finish, progress, ahead, settings.keep, first, replaces)


def _kept(batch: Batch) -> Batch:
    return batch


def _job_of(loader: DataLoader[Any, Any]) -> Job:
    given = (loader.dataset, loader.collate_fn, loader.convert, loader._batched)
    rest = (loader.num_workers, loader.worker_init_fn, loader.on_error, loader.seed_globals)
    if isinstance(loader.dataset, IterableDataset):
        return StreamJob(*given, *rest, batch_size=loader.batch_size, drop_last=loader.drop_last)
    return Job(*given, *rest)


def _start(job: Job, settings: Settings) -> Workers:
    if settings.method == "thread":
        from ._threads import Threads

        return Threads(job, settings.number, settings.timeout)
    try:
        from ._processes import Processes
    except ModuleNotFoundError as error:
        if error.name != "facula_multiprocessing":
            raise
        raise MissingPackageError(
            "DataLoader: worker processes need the package facula-multiprocessing; install facula-data[workers], or "
            'pass worker_method="thread" or num_workers=0'
        ) from None
    warn_of_growth(job.dataset)
    return Processes(job, settings.number, settings.context, settings.timeout)
