"""Worker threads, for datasets that mostly call functions that release the GIL: files, images, NumPy."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, perf_counter_ns
from typing import TYPE_CHECKING, Any
from weakref import finalize

from .jobs import BEGIN
from .workers import UNKNOWN_TIMES, Result, Workers

if TYPE_CHECKING:
    from .jobs import Job, Make

    Task = tuple[int, Any]  # a ticket and its unit


class Threads(Workers):
    """Worker threads that share the dataset, which must be thread-safe.

    Arguments:
        job: the work.
        count: the number of threads.
        timeout: seconds to wait for a batch; 0 waits without limit.
    """

    __slots__ = ()

    def __init__(self, job: Job, count: int, timeout: float) -> None:
        threads = [_Thread(number, job) for number in range(count)]
        super().__init__(threads, timeout, finalize(self, _end_threads, threads))


class _Thread:
    """One thread; on request it ends after its current batch."""

    __slots__ = ("_results", "tasks")

    pid: int | None = None

    def __init__(self, number: int, job: Job) -> None:
        self.tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._results: SimpleQueue[Result] = SimpleQueue()
        queues = self.tasks, self._results
        Thread(target=_work, args=(number, job, *queues), daemon=True, name=f"facula worker {number}").start()

    def send(self, ticket: int, unit: object) -> None:
        self.tasks.put((ticket, unit))

    def receive(self, until: float | None, unit: object) -> Result | None:
        try:
            return self._results.get(timeout=None if until is None else max(0.0, until - monotonic()))
        except Empty:
            return None

    def stacks(self) -> str:
        return ""

    def position(self) -> None:
        return None


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
            results.put((ticket, None, failure, UNKNOWN_TIMES))
        else:
            begun = perf_counter_ns()
            try:
                batch = make(unit)
            except BaseException as error:
                results.put((ticket, None, error, UNKNOWN_TIMES))
            else:
                times = begun, perf_counter_ns(), getattr(make, "collating", 0.0)
                results.put((ticket, batch, None, times))
                del batch


def _end_threads(threads: list[_Thread]) -> None:
    for thread in threads:
        thread.tasks.put(None)
