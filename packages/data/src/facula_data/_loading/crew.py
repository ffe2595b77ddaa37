"""The workers of a loader: their settings, their start, and their reuse by later passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from os import getpid
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidValueError, MissingPackageError

from .. import _checks
from .._batches.collate import convert_arrays
from .._batches.passes import BatchSource
from .._meter.meter import available_processors
from .._sampling.seeds import WORKERS, bits
from .._shared.growth import warn_of_growth
from .._workers.parallel import HandedOut, Streams, samples_in

if TYPE_CHECKING:
    from types import ModuleType

    from .._batches.passes import Progress
    from .._meter.meter import Meter
    from .._types import Batch, Convert, Index
    from .._workers.jobs import Job
    from .._workers.workers import Workers

    Units = tuple[Iterator[Index], Callable[[Index], int]]

AUTO, INLINE, PROCESS, THREAD = "auto", "inline", "process", "thread"
METHODS = (PROCESS, THREAD, INLINE, AUTO)
PLURALS = {INLINE: "inline", PROCESS: "processes", THREAD: "threads", AUTO: "processes"}  # the names in meters
MAX_WORKERS = 8  # default limit of workers
PREFETCH = 2  # batches per worker


class WorkerSettings(NamedTuple):
    """The checked arguments of a loader that concern workers; `method` is "inline" if there are no workers."""

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
) -> WorkerSettings:
    """Check the loader's arguments about workers.

    Raises:
        ValueError: an argument is invalid, or concerns workers although there are none.
    """
    count = _checks.whole_number("DataLoader", "num_workers", num_workers, 0)
    if worker_method not in METHODS:
        raise InvalidValueError(f"DataLoader: expected worker_method to be one of {METHODS}; got {worker_method!r}")
    _checks.truth("DataLoader", "persistent_workers", persistent_workers)
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout < float("inf"):
        raise InvalidValueError(f"DataLoader: expected timeout to be seconds, 0 for any time; got timeout={timeout!r}")
    if prefetch_factor is not None:
        prefetch_factor = _checks.whole_number("DataLoader", "prefetch_factor", prefetch_factor, 1)
    if worker_method == AUTO and not count:
        count = min(MAX_WORKERS, available_processors())
    if not count:
        for name, value, absent in (
            ("timeout", timeout, 0),
            ("prefetch_factor", prefetch_factor, None),
            ("persistent_workers", persistent_workers, False),
        ):
            if value != absent:
                raise InvalidValueError(f"DataLoader: {name} is about workers; got {name}={value!r} with num_workers=0")
    if not count or worker_method == INLINE:
        return WorkerSettings(0, 0.0, None, None, False, INLINE)
    if worker_method != THREAD:
        _processes().context_of(multiprocessing_context)
    prefetch = PREFETCH if prefetch_factor is None else prefetch_factor
    return WorkerSettings(count, float(timeout), multiprocessing_context, prefetch, persistent_workers, worker_method)


class Crew:
    """The workers of one loader, kept between passes if they are persistent."""

    __slots__ = ("_kept", "_process", "_settings")

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings, self._process = settings, 0
        self._kept: Workers | None = None

    def close(self) -> None:
        """Stop the persistent workers."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    def __reduce__(self) -> tuple[type, tuple[WorkerSettings]]:
        return Crew, (self._settings,)  # a copy of a loader starts its own workers

    def begin(
        self, job: Job, seed: int, progress: Progress, units: Units | None, convert: Convert, meter: Meter | None
    ) -> BatchSource:
        """Return the source of batches for a pass that starts at `progress`.

        Arguments:
            job: the work of newly started workers.
            seed: the loader's seed.
            progress: the epoch and the start of the pass.
            units: the units of work and a function of their sizes; None if workers iterate over the dataset.
            convert: applied to each array in this process.
            meter: records the workers' times, or None.
        """
        settings = self._settings
        # workers reply only to the process that started them
        workers = self._kept if self._process == getpid() else None
        if workers is None or not workers.is_open:
            workers, self._process = _start_workers(job, settings), getpid()
        self._kept = workers if settings.keep else None
        workers.meter = meter
        first = workers.begin(seed, int(bits(seed, progress.epoch, WORKERS).random_raw()), progress.epoch)
        ahead = settings.number * (settings.prefetch or PREFETCH)
        finish = _kept if convert is None else partial(convert_arrays, convert=convert)
        if units is None:
            streams = Streams(workers, finish, progress, ahead, settings.keep, first)
            return BatchSource(streams, streams.batch, samples_in)
        handed = HandedOut(*units, workers, finish, ahead, settings.keep, first, job.on_error != "raise")
        return BatchSource(handed, handed.batch, samples_in)


def _kept(batch: Batch) -> Batch:
    return batch


def _start_workers(job: Job, settings: WorkerSettings) -> Workers:
    if settings.method == THREAD:
        from .._workers.threads import Threads

        return Threads(job, settings.number, settings.timeout)
    warn_of_growth(job.dataset)
    return _processes().Processes(job, settings.number, settings.context, settings.timeout)


def _processes() -> ModuleType:
    """Import the module of worker processes on first use: its dependency is an extra."""
    try:
        from .._workers import processes
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "facula_multiprocessing":
            raise
        raise MissingPackageError(
            "DataLoader: worker processes need the package facula-multiprocessing; install facula-data[workers], or "
            'pass worker_method="thread" or num_workers=0'
        ) from None
    return processes
