"""What workers of all kinds have in common: units go to each in order, and their batches come back in that order."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Protocol, TypeAlias

from facula_errors import OperationError

from .._types import Batch
from .jobs import BEGIN
from .worker_errors import WorkerTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._meter.meter import Meter

#: A ticket, its batch, or what was raised instead, and the seconds of making it and of collation.
Result: TypeAlias = tuple[int, Batch, BaseException | None, tuple[float, float]]

LEFT_OUT = object()  # in place of a unit


class Worker(Protocol):
    """One worker, and what is between it and us."""

    @property
    def pid(self) -> int | None:
        """The number of its process, if it has one of its own."""

    def send(self, ticket: int, unit: object) -> None:
        """Hand it a unit. Nothing is said where it has ended: `receive` does."""

    def receive(self, until: float | None, unit: object) -> Result | None:
        """Its next result, waited for until that time of `monotonic()`; None where there is none by then.

        Raises:
            WorkerError: it has ended; `unit` is what it had to do.
        """

    def stacks(self) -> str:
        """Where it is stuck, if it can say so."""

    def position(self) -> int | None:
        """Which of the samples of its unit it is reading, if that is known."""


class Workers:
    """The workers of a loader.

    Arguments:
        workers: they themselves.
        timeout: seconds to wait for a batch; 0 for any time.
        finish: what ends them.
    """

    __slots__ = ("__weakref__", "_finish", "_next", "_open", "_timeout", "_workers", "meter")

    meter: Meter | None

    def __init__(self, workers: Sequence[Worker], timeout: float, finish: Callable[[], object]) -> None:
        self._workers, self._timeout, self._finish = workers, timeout, finish
        self._next = 0
        self._open: dict[int, tuple[int, object]] = {}  # what was handed out, and to whom, by ticket
        self.meter = None

    def __len__(self) -> int:
        return len(self._workers)

    def begin(self, order_seed: int, seed: int, epoch: int) -> int:
        """Let an epoch begin; what was handed out before is not waited for. Gives the first ticket."""
        self._open.clear()
        for worker in self._workers:
            worker.send(BEGIN, (order_seed, seed, epoch))
        return self._next

    def submit(self, worker: int, ticket: int, unit: object) -> None:
        """Hand a unit to a worker; tickets count up."""
        self._next = ticket + 1
        self._open[ticket] = worker, unit
        self._workers[worker].send(ticket, unit)

    def result(self, worker: int, ticket: int) -> Batch:
        """The batch for a ticket; of processes its arrays are over shared memory.

        Raises:
            WorkerError: the worker ended. WorkerTimeoutError: it took too long. Or what its code raised.
        """
        if ticket not in self._open:
            raise OperationError("DataLoader: this pass ended when the next one began, which has its workers")
        one, unit = self._workers[worker], self._open[ticket][1]
        until = monotonic() + self._timeout if self._timeout else None
        found = None
        while found != ticket:  # others are of a pass that was given up
            result = one.receive(until, unit)
            if result is None:
                raise WorkerTimeoutError(worker, one.pid, unit, self._timeout, one.stacks(), one.position())
            found, batch, error, times = result
            self._open.pop(found, None)
        if self.meter is not None:
            self.meter.worker(worker, *times)
        if error is not None:
            try:
                if not isinstance(error, Exception):  # SystemExit: of a sample, not of the program
                    raise OperationError(
                        f"DataLoader: expected samples, or errors; worker {worker} raised {type(error).__name__}"
                        f"({str(error)!r}); raise an Exception in the dataset, or see on_error"
                    ) from error
                raise error
            finally:
                del error, result  # the error's traceback would keep it, and with it the workers
        return batch

    def restart(self, worker: int, unit: object) -> None:
        """Replace a worker that has ended or is stuck by one that does what it had still to do.

        Arguments:
            worker: its number.
            unit: in place of the one that it was at; LEFT_OUT for none.
        """

    def close(self) -> None:
        """End the workers."""
        self._finish()
