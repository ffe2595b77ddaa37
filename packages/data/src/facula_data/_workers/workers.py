"""The common interface of all workers: units are submitted in order, and batches return in the same order."""

from __future__ import annotations

import sys
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from weakref import WeakSet

from facula_errors import OperationError

from .._observer import current_observer
from .._types import Batch
from .jobs import BEGIN
from .worker_errors import WorkerTimeoutError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from weakref import finalize

    from .._meter.meter import Meter

#: When a worker began and ended a batch, in ns of `perf_counter_ns`, and the seconds of collation in between.
Times: TypeAlias = tuple[int, int, float]
UNKNOWN_TIMES: Times = (0, 0, 0.0)
#: A ticket, its batch, the exception raised instead, and the times.
Result: TypeAlias = tuple[int, Batch, BaseException | None, Times]

LEFT_OUT = object()  # replaces a unit
REPLACED = "DataLoader: this pass ended when the next one began, which has its workers; use one pass at a time"
INTERRUPTED = "DataLoader: the workers of this pass ended when a cell was interrupted; iterate over the loader again"
_numbers = count()


class Worker(Protocol):
    """One worker and its connection to the loader."""

    @property
    def pid(self) -> int | None:
        """The ID of its process, or None if it has none of its own."""

    def send(self, ticket: int, unit: object) -> None:
        """Send it a unit. If the worker has ended, `receive` raises the error."""

    def receive(self, until: float | None, unit: object) -> Result | None:
        """Return the next result, or None if none arrives until that time of `monotonic()`.

        Raises:
            WorkerError: the worker has ended; `unit` is its current unit of work.
        """

    def stacks(self) -> str:
        """Return its stacks if it can report them, otherwise ""."""

    def position(self) -> int | None:
        """Return the position in its unit of the sample that it is reading, or None if unknown."""


class Workers:
    """The workers of a loader.

    Arguments:
        workers: the workers.
        timeout: seconds to wait for a batch; 0 waits without limit.
        finish: stops the workers, once.
    """

    __slots__ = ("__weakref__", "_finish", "_next", "_number", "_open", "_timeout", "_workers", "meter")

    meter: Meter | None

    def __init__(self, workers: Sequence[Worker], timeout: float, finish: finalize[..., Any]) -> None:
        self._workers, self._timeout, self._finish = workers, timeout, finish
        self._next, self._number = 0, next(_numbers)
        self._open: dict[int, tuple[int, object]] = {}  # submitted units with their worker, by ticket
        self.meter = None
        close_after_interrupts(self)

    @property
    def is_open(self) -> bool:
        """Whether the workers have not been stopped."""
        return self._finish.alive

    def __len__(self) -> int:
        return len(self._workers)

    def begin(self, order_seed: int, seed: int, epoch: int) -> int:
        """Start an epoch, discarding earlier units, and return the first ticket."""
        self._open.clear()
        for worker in self._workers:
            worker.send(BEGIN, (order_seed, seed, epoch))
        return self._next

    def submit(self, worker: int, ticket: int, unit: object) -> None:
        """Submit a unit to a worker; tickets must increase."""
        if not self.is_open:
            raise OperationError(INTERRUPTED)
        self._next = ticket + 1
        self._open[ticket] = worker, unit
        self._workers[worker].send(ticket, unit)

    def result(self, worker: int, ticket: int) -> Batch:
        """Return the batch for a ticket; in batches from processes, arrays use shared memory.

        Raises:
            WorkerError: the worker ended.
            WorkerTimeoutError: the worker exceeded the timeout.
            Exception: the error that the worker's code raised.
        """
        if ticket not in self._open:
            raise OperationError(REPLACED if self.is_open else INTERRUPTED)
        process, unit = self._workers[worker], self._open[ticket][1]
        until = monotonic() + self._timeout if self._timeout else None
        found = None
        while found != ticket:  # other tickets belong to an abandoned pass
            result = process.receive(until, unit)
            if result is None:
                raise WorkerTimeoutError(worker, process.pid, unit, self._timeout, process.stacks(), process.position())
            found, batch, error, times = result
            self._open.pop(found, None)
        begun, ended, collating = times
        if self.meter is not None:
            self.meter.worker(worker, (ended - begun) / 1e9, collating)
        observer = current_observer[0]
        if observer is not None and error is None:
            observer.made(self._number, worker, process.pid, begun, ended)
        if error is not None:
            try:
                if not isinstance(error, Exception):  # SystemExit ends the sample, not the program
                    raise OperationError(
                        f"DataLoader: expected samples, or errors; worker {worker} raised {type(error).__name__}"
                        f"({str(error)!r}); raise an Exception in the dataset, or see on_error"
                    ) from error
                raise error
            finally:
                del error, result  # the error's traceback would keep itself and the workers alive
        return batch

    def restart(self, worker: int, unit: object) -> None:
        """Replace a worker that has ended or hangs by one that continues its work.

        Arguments:
            worker: the worker's number.
            unit: replaces the unit in progress; LEFT_OUT drops it.
        """

    def close(self) -> None:
        """Stop the workers; their unfinished units are lost."""
        self._open.clear()
        self._finish()


# Note [Interrupted cells]: IPython keeps the traceback of an error, and with it the frames of the pass that owns the
# workers. Variables of the notebook may refer to the pass, too. Workers would therefore outlive an interrupted cell.
_alive: WeakSet[Workers] = WeakSet()


def close_after_interrupts(workers: Workers) -> None:
    """In IPython, stop the workers when a cell ends by KeyboardInterrupt; see Note [Interrupted cells]."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if shell:
        _alive.add(workers)
        shell.events.register("post_run_cell", _end_of_cell)  # only once, even if it is registered again


def _end_of_cell(result: Any) -> None:
    if isinstance(result.error_in_exec, KeyboardInterrupt):
        for workers in [*_alive]:
            workers.close()
