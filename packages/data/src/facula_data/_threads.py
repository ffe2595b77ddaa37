"""Worker threads, for datasets that spend their time in functions that release the GIL: files, images, NumPy."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import finalize

from facula_errors import OperationError

from ._errors import WorkerTimeoutError
from ._jobs import BEGIN

if TYPE_CHECKING:
    from ._jobs import Job, Make
    from ._meter import Meter

    Task = tuple[int, Any]  # a ticket and its unit
    Result = tuple[int, Any, BaseException | None, tuple[float, float]]  # a ticket, its batch or error, and times


class Threads:
    """Worker threads under the names of `Processes`. They share the dataset, which must bear that.

    Arguments:
        job: what they do.
        count: how many.
        timeout: seconds to wait for a batch; 0 for any time.
    """

    __slots__ = ("__weakref__", "_finish", "_next", "_results", "_tasks", "_timeout", "_units", "meter")

    def __init__(self, job: Job, count: int, timeout: float) -> None:
        self._timeout, self._next = timeout, 0
        self.meter: Meter | None = None
        self._tasks: list[SimpleQueue[Task | None]] = [SimpleQueue() for _ in range(count)]
        self._results: list[SimpleQueue[Result]] = [SimpleQueue() for _ in range(count)]
        self._units: dict[int, object] = {}
        for number, queues in enumerate(zip(self._tasks, self._results, strict=True)):
            Thread(target=_work, args=(number, job, *queues), daemon=True, name=f"facula worker {number}").start()
        self._finish = finalize(self, _end_all, self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def begin(self, order_seed: int, seed: int, epoch: int) -> int:
        """Let an epoch begin; what was handed out before is not waited for. Gives the first ticket."""
        self._units.clear()
        for tasks in self._tasks:
            tasks.put((BEGIN, (order_seed, seed, epoch)))
        return self._next

    def submit(self, worker: int, ticket: int, unit: object) -> None:
        """Hand a unit to a worker; tickets count up."""
        self._next = ticket + 1
        self._units[ticket] = unit
        self._tasks[worker].put((ticket, unit))

    def result(self, worker: int, ticket: int) -> object:
        """The batch for a ticket.

        Raises:
            WorkerTimeoutError: it took too long. Or what the worker's code raised.
        """
        if ticket not in self._units:
            raise OperationError("DataLoader: this pass ended when the next one began, which has its workers")
        while True:
            try:
                found, batch, error, times = self._results[worker].get(timeout=self._timeout or None)
            except Empty:
                raise WorkerTimeoutError(worker, None, self._units.get(ticket), self._timeout, "") from None
            self._units.pop(found, None)
            if found == ticket:
                break
        if self.meter is not None:
            self.meter.worker(worker, *times)
        if error is not None:
            try:
                raise error
            finally:
                del error  # whose traceback would keep it, and with it the workers
        return batch

    def restart(self, worker: int, again: bool) -> None:
        """Nothing: a thread does not end by itself."""

    def close(self) -> None:
        """End the workers, each after the batch that it is making."""
        self._finish()


def _work(number: int, job: Job, tasks: SimpleQueue[Task | None], results: SimpleQueue[Result]) -> None:
    make: Make | None = None
    failure: BaseException | None = None
    first = True
    while (task := tasks.get()) is not None:
        ticket, unit = task
        if ticket == BEGIN:
            try:
                make, failure = job.begin(number, *unit, first=first, own_process=False), None
            except BaseException as error:
                make, failure = None, error
            first = False
        elif make is None:
            results.put((ticket, None, failure, (0.0, 0.0)))
        else:
            begun = perf_counter()
            try:
                batch = make(unit)
            except BaseException as error:
                results.put((ticket, None, error, (0.0, 0.0)))
            else:
                results.put((ticket, batch, None, (perf_counter() - begun, getattr(make, "collating", 0.0))))
                del batch


def _end_all(tasks: list[SimpleQueue[Task | None]]) -> None:
    for queue in tasks:
        queue.put(None)
