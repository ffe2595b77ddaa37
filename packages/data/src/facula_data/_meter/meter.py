"""A meter of a loader: where the time of each epoch went, batch by batch.

`Meter` is what a loader tells; it costs two clock readings and four numbers a batch. `_meter/epoch_report.py` says
what the numbers mean.
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

FIRST = 256  # batches before the arrays grow
KINDS = ("inline", "processes", "threads")


class Columns:
    """Rows of numbers, appended to arrays that double when they are full.

    Arguments:
        names: one for each number of a row.
    """

    __slots__ = ("_arrays", "count", "names")

    def __init__(self, *names: str) -> None:
        self.names, self.count = names, 0
        self._arrays = [np.empty(FIRST, np.float64) for _ in names]

    def append(self, *row: float) -> None:
        """Add a row: a number for each name."""
        if self.count == len(self._arrays[0]):
            self._arrays = [np.concatenate([one, np.empty_like(one)]) for one in self._arrays]
        for array, value in zip(self._arrays, row, strict=True):
            array[self.count] = value
        self.count += 1

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[self.names.index(name)][: self.count]

    def clear(self) -> None:
        """Forget the rows, and keep the memory."""
        self.count = 0


@boundary
class Meter:
    """Figures of a loader at work. The loader calls all methods but `report`, `reset` and `epochs`.

    For each batch `waited` and then `delivered`, and `worker` for each batch that a worker made, in any order; at the
    end of an epoch `epoch_ended`. The time of the program is that between one batch and the moment when it asks for the
    next. Figures of single batches are kept until the epoch ends, then a summary of them.

    Arguments:
        workers: how many workers there are; 0 for the calling process.
        kind: "inline", "processes" or "threads"; None for inline without workers, else processes.
        prefetch_factor: how many batches are asked for ahead, for each worker; None if that is not known.
        clock: nanoseconds that go on; another clock for tests.

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
        self._since: int | None = None  # when the program got its last batch

    def change(self, workers: int, kind: str) -> None:
        """From now on so many workers of this kind make batches."""
        self.settings = replace(self.settings, workers=workers, kind=kind)

    def waited(self, seconds: float) -> None:
        """The program waited for so long for the batch that is delivered next."""
        self._waited += _seconds("waited", "seconds", seconds)

    def delivered(self, samples: int, nbytes: int) -> None:
        """The program gets a batch of so many samples and bytes now."""
        now = self._clock()
        between = 0.0 if self._since is None else max(0.0, (now - self._since) / 1e9 - self._waited)
        self._batches.append(self._waited, between, samples, nbytes)
        self._waited, self._since = 0.0, now

    def worker(self, worker: int, busy_seconds: float, collate_seconds: float) -> None:
        """A worker made a batch.

        Arguments:
            worker: its number, from 0; 0 also for the calling process.
            busy_seconds: from when it began with the batch until it was done, collation included.
            collate_seconds: the part of that for collation.
        """
        worker = _checks.whole_number("worker", "worker", worker, 0)
        if worker >= (self.settings.workers or 1):
            raise InvalidValueError(f"worker: expected worker to be below {self.settings.workers or 1}; got {worker}")
        busy = _seconds("worker", "busy_seconds", busy_seconds)
        self._made.append(worker, busy, min(busy, _seconds("worker", "collate_seconds", collate_seconds)))

    def epoch_ended(self) -> None:
        """The program has had the last batch of the epoch, or gave it up. The time until now is the program's."""
        if self._since is not None:
            self._program_until_now()
            self.epochs.append(self._epoch(True))
        self._batches.clear()
        self._made.clear()
        self._waited, self._since = 0.0, None

    def _program_until_now(self) -> None:
        """Count the time since the last batch, but for the wait that found the end, as another interval."""
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
            batches=batches.count - ended,  # the last interval has none
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
        """What the figures mean, for each epoch; the one under way last, as far as it has got."""
        running = (self._epoch(False),) if self._batches.count else ()
        return LoaderReport((*self.epochs, *running))

    def reset(self) -> None:
        """Forget all figures, those of the epoch under way, too."""
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
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1
