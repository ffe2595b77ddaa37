"""The workers of a loader: what was asked for, who they are, and one pass after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from os import getpid
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidValueError, MissingPackageError

from .. import _checks
from .._batches.collate import convert_arrays
from .._batches.passes import Making
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
PLURALS = {INLINE: "inline", PROCESS: "processes", THREAD: "threads", AUTO: "processes"}  # as meters call them
MOST = 8  # workers, where their number is not given
PREFETCH = 2  # batches of each worker


class WorkerSettings(NamedTuple):
    """The checked arguments of a loader that are about workers; `method` is "inline" where there are none."""

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
    if worker_method == AUTO and not count:
        count = min(MOST, available_processors())
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
    """The workers of one loader, from one pass to the next if they are to stay."""

    __slots__ = ("_kept", "_process", "_settings")

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings, self._process = settings, 0
        self._kept: Workers | None = None

    def close(self) -> None:
        """End the workers that stayed."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    def __reduce__(self) -> tuple[type, tuple[WorkerSettings]]:
        return Crew, (self._settings,)  # a copy of a loader has workers of its own

    def begin(
        self, job: Job, seed: int, progress: Progress, units: Units | None, convert: Convert, meter: Meter | None
    ) -> Making:
        """Who makes the batches of a pass that begins where `progress` says.

        Arguments:
            job: what workers do that begin now.
            seed: the loader's.
            progress: the epoch, and how far the pass has got.
            units: what is to be made and the samples of each; None where workers find out by iterating.
            convert: of each array, in this process.
            meter: that is told of the workers' times, or None.
        """
        settings = self._settings
        workers = self._kept if self._process == getpid() else None  # workers answer the process that began them
        if workers is None:
            workers, self._process = _start(job, settings), getpid()
        self._kept = workers if settings.keep else None
        workers.meter = meter
        first = workers.begin(seed, int(bits(seed, progress.epoch, WORKERS).random_raw()), progress.epoch)
        ahead = settings.number * (settings.prefetch or PREFETCH)
        finish = _kept if convert is None else partial(convert_arrays, convert=convert)
        if units is None:
            streams = Streams(workers, finish, progress, ahead, settings.keep, first)
            return Making(streams, streams.batch, samples_in)
        handed = HandedOut(*units, workers, finish, ahead, settings.keep, first, job.on_error != "raise")
        return Making(handed, handed.batch, samples_in)


def _kept(batch: Batch) -> Batch:
    return batch


def _start(job: Job, settings: WorkerSettings) -> Workers:
    if settings.method == THREAD:
        from .._workers.threads import Threads

        return Threads(job, settings.number, settings.timeout)
    warn_of_growth(job.dataset)
    return _processes().Processes(job, settings.number, settings.context, settings.timeout)


def _processes() -> ModuleType:
    """The module of worker processes, imported when first used: their package is an extra."""
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
