"""A meter of a loader: records the time of each stage, batch by batch.

The loader reports to `Meter`, at the cost of two clock readings and four numbers per batch. `_meter/epoch_report.py`
interprets the numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter_ns

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .. import _checks
from .epoch_report import EpochReport, Settings
from .loader_report import LoaderReport

INITIAL_CAPACITY = 256  # initial capacity of the arrays in rows
KINDS = ("inline", "processes", "threads")


class Columns:
    """Rows of numbers in arrays whose capacity doubles when they are full.

    Arguments:
        names: the name of each column.
    """

    __slots__ = ("_arrays", "count", "names")

    def __init__(self, *names: str) -> None:
        self.names, self.count = names, 0
        self._arrays = [np.empty(INITIAL_CAPACITY, np.float64) for _ in names]

    def append(self, *row: float) -> None:
        """Append a row: one number for each name."""
        if self.count == len(self._arrays[0]):
            self._arrays = [np.concatenate([array, np.empty_like(array)]) for array in self._arrays]
        for array, value in zip(self._arrays, row, strict=True):
            array[self.count] = value
        self.count += 1

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[self.names.index(name)][: self.count]

    def clear(self) -> None:
        """Remove the rows and keep the memory."""
        self.count = 0


@boundary
class Meter:
    """Measurements of a running loader. The loader calls all methods except `report`, `reset` and `epochs`.

    It calls `waited` and then `delivered` for each batch, `worker` for each batch that a worker made, in any order, and
    `epoch_ended` at the end of an epoch. The program's time is the interval from the delivery of a batch to the request
    for the next one. Figures of single batches are kept until the epoch ends, and a summary of them afterwards.

    Arguments:
        workers: the number of workers; 0 for the calling process.
        kind: "inline", "processes" or "threads"; None selects "inline" without workers and "processes" otherwise.
        prefetch_factor: the number of batches requested in advance from each worker; None if unknown.
        clock: a monotonic clock in nanoseconds; tests pass another one.

    >>> meter = Meter()
    >>> for _ in range(3):
    ...     meter.waited(0.09)
    ...     meter.worker(0, 0.09, 0.01)
    ...     meter.delivered(32, 4096)
    >>> meter.epoch_ended()
    >>> meter.report().epochs[0].bottleneck
    'reading'
    """

    def __init__(
        self,
        workers: int = 0,
        kind: str | None = None,
        prefetch_factor: int | None = None,
        clock: Callable[[], int] = perf_counter_ns,
    ) -> None:
        workers = _checks.whole_number("Meter", "workers", workers, 0)
        if kind is None:
            kind = "processes" if workers else "inline"
        if kind not in KINDS or (kind == "inline") != (workers == 0):
            raise InvalidValueError(
                f"Meter: expected kind 'inline' without workers, else 'processes' or 'threads'; got {kind!r} with "
                f"workers={workers}"
            )
        if prefetch_factor is not None:
            prefetch_factor = _checks.whole_number("Meter", "prefetch_factor", prefetch_factor, 1)
        self.settings: Settings = Settings(workers, kind, prefetch_factor, available_processors())
        self._clock = clock
        self._batches = Columns("waited", "between", "samples", "nbytes")
        self._made = Columns("worker", "busy", "collate")
        self.epochs: list[EpochReport] = []
        self._waited = 0.0
        self._since: int | None = None  # the time of the last delivery

    def change(self, workers: int, kind: str) -> None:
        """Record that from now on `workers` workers of this kind make batches."""
        self.settings = replace(self.settings, workers=workers, kind=kind)

    def waited(self, seconds: float) -> None:
        """Record how long the program waited for the next batch that is delivered."""
        self._waited += _seconds("waited", "seconds", seconds)

    def delivered(self, samples: int, nbytes: int) -> None:
        """Record the delivery of a batch with this number of samples and bytes."""
        now = self._clock()
        between = 0.0 if self._since is None else max(0.0, (now - self._since) / 1e9 - self._waited)
        self._batches.append(self._waited, between, samples, nbytes)
        self._waited, self._since = 0.0, now

    def worker(self, worker: int, busy_seconds: float, collate_seconds: float) -> None:
        """Record that a worker made a batch.

        Arguments:
            worker: the worker's number, from 0; 0 also for the calling process.
            busy_seconds: the time that the worker spent on the batch, including collation.
            collate_seconds: the part of that time for collation.
        """
        worker = _checks.whole_number("worker", "worker", worker, 0)
        if worker >= (self.settings.workers or 1):
            raise InvalidValueError(f"worker: expected worker to be below {self.settings.workers or 1}; got {worker}")
        busy = _seconds("worker", "busy_seconds", busy_seconds)
        self._made.append(worker, busy, min(busy, _seconds("worker", "collate_seconds", collate_seconds)))

    def epoch_ended(self) -> None:
        """Record the end of the epoch: its last batch, or an early exit. The time until now belongs to the program."""
        if self._since is not None:
            self._program_until_now()
            self.epochs.append(self._epoch(True))
        self._batches.clear()
        self._made.clear()
        self._waited, self._since = 0.0, None

    def _program_until_now(self) -> None:
        """Record the time since the last batch as another interval, without the wait that found the end."""
        between = max(0.0, (self._clock() - (self._since or 0)) / 1e9 - self._waited)
        self._batches.append(self._waited, between, 0, 0)

    def _epoch(self, ended: bool) -> EpochReport:
        made = self._made
        workers = self.settings.workers or 1
        number = made["worker"].astype(np.int64)
        batches, waits = self._batches, self._batches["waited"]
        return EpochReport(
            epoch=len(self.epochs),
            ended=ended,
            settings=self.settings,
            batches=batches.count - ended,  # the last interval has no batch
            samples=int(batches["samples"].sum()),
            nbytes=int(batches["nbytes"].sum()),
            waited=float(waits.sum()),
            first_wait=float(waits[0]) if len(waits) else 0.0,
            program=float(batches["between"].sum()),
            busy=tuple(np.bincount(number, made["busy"], workers).tolist()),
            collate=tuple(np.bincount(number, made["collate"], workers).tolist()),
            batch_seconds=float(made["busy"].mean()) if made.count else 0.0,
            batch_deviation=float(made["busy"].std()) if made.count else 0.0,
        )

    def report(self) -> LoaderReport:
        """Return a report for each epoch; the last may be a partial report of the running epoch."""
        running = (self._epoch(False),) if self._batches.count else ()
        return LoaderReport((*self.epochs, *running))

    def reset(self) -> None:
        """Remove all figures, including those of the running epoch."""
        self.epochs.clear()
        self._batches.clear()
        self._made.clear()
        self._waited, self._since = 0.0, None


def _seconds(operation: str, name: str, value: float) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise InvalidTypeError(f"{operation}: expected {name} to be a number; got {name}={value!r:.60}") from None
    if not seconds >= 0:
        raise InvalidValueError(f"{operation}: expected {name} of 0 or more; got {name}={value!r}")
    return seconds


def available_processors() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # outside Linux
        return os.cpu_count() or 1
