"""Arguments and results of collective operations: reductions, and work in progress."""

from __future__ import annotations

import time
from enum import Enum
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, ClassVar

from facula_errors import InvalidTypeError
from facula_tensor.extend import current_recorder

from .._errors import DistTimeoutError
from .._observer import current_observer
from .._stores.store import as_seconds
from .._turns import turns
from .futures import Future

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from .._board.totals import Costs
    from .._observer import Exchange


class RedOpType(Enum):
    """The reductions of several processes' values."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


class ReduceOp:
    """A reduction of several processes' values: `ReduceOp.SUM` and others, equal to `ReduceOp(ReduceOp.SUM)`."""

    RedOpType: ClassVar = RedOpType
    SUM: ClassVar = RedOpType.SUM
    AVG: ClassVar = RedOpType.AVG
    PRODUCT: ClassVar = RedOpType.PRODUCT
    MIN: ClassVar = RedOpType.MIN
    MAX: ClassVar = RedOpType.MAX
    BAND: ClassVar = RedOpType.BAND
    BOR: ClassVar = RedOpType.BOR
    BXOR: ClassVar = RedOpType.BXOR
    PREMUL_SUM: ClassVar = RedOpType.PREMUL_SUM

    def __init__(self, op: Enum) -> None:
        if not isinstance(op, RedOpType):
            raise InvalidTypeError(f"ReduceOp: expected ReduceOp.SUM or another of its names; got {op!r}")
        self.op = op

    def __eq__(self, other: object) -> bool:
        return self.op == (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self) -> int:
        return hash(self.op)


class Work:
    """An operation in progress.

    Arguments:
        results: the tensors that the operation changes.
        costs: what `dist.report()` counts.
        exchange: a description of the operation for the observer; None without one.
    """

    def __init__(
        self, results: Sequence[Any] = (), costs: Costs | None = None, exchange: Exchange | None = None
    ) -> None:
        self._results, self._costs, self._exchange = list(results), costs, exchange
        self._ended = Event()
        self._error: BaseException | None = None

    def _end(self, error: BaseException | None = None) -> None:
        self._error = error
        self._ended.set()

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait for completion and return True.

        Raises:
            DistTimeoutError: it takes longer than `timeout`.
            DistBackendError: the errors of the operation, such as MismatchError.
        """
        seconds = None if timeout is None else as_seconds("Work.wait", timeout)
        if not (self._ended.is_set() or self._await(seconds)):
            raise DistTimeoutError(f"Work.wait: the operation did not end within {seconds:g} s; wait again")
        if self._error is not None:
            raise self._error
        return True

    def _await(self, seconds: float | None) -> bool:
        begin = perf_counter_ns()
        try:
            return self._ended.wait(seconds)
        finally:
            end, observer = perf_counter_ns(), current_observer[0]
            if self._costs is not None:
                self._costs.totals.blocked += (end - begin) / 1e9
            if observer is not None and self._exchange is not None:
                observer.awaited(self._exchange, begin, end)

    def synchronize(self) -> None:
        """Wait for completion."""
        self.wait()

    def is_completed(self) -> bool:
        """Return whether the operation has ended."""
        return self._ended.is_set()

    def is_success(self) -> bool:
        """Return whether the operation has ended without an error."""
        return self.is_completed() and self._error is None

    def exception(self) -> BaseException | None:
        """Return the operation's exception, or None."""
        return self._error

    def result(self) -> list[Any]:
        """Return the tensors that the operation changes."""
        return self._results

    def get_future(self) -> Future:
        """Return a `Future` of the list of tensors that the operation changes."""

        def results() -> list[Any]:
            self.wait()
            return self._results

        return Future.of(results, self.is_completed)


def completed(results: Sequence[Any] = ()) -> Work:
    """Return work that has ended."""
    work = Work(results)
    work._end()
    return work


def _error_of(operation: Callable[[], object]) -> BaseException | None:
    """Run an operation, and return its error, if any."""
    try:
        operation()
    except BaseException as error:
        return error
    return None


class Worker:
    """The operations of one group, in the order of their calls. A thread runs those in the background."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[Callable[[], object], Work] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._running, self._changing = Lock(), Lock()
        self._pending = 0
        self._latest: Costs | None = None  # of the operation in the background that was submitted last

    def submit(
        self,
        operation: Callable[[], object],
        async_op: bool,
        results: Sequence[Any],
        costs: Costs | None = None,
        exchange: Exchange | None = None,
    ) -> Work | None:
        """Run an operation, after those that were submitted before; return its Work if `async_op`."""
        is_recorded = current_recorder() is not None
        if is_recorded and self._pending:
            self._enqueue(int, Work()).wait()
        if is_recorded or turns() is not None:  # in the background, it would run while another rank has its turn
            work = Work(results)
            work._end(_error_of(operation))
            return work if async_op or not work.wait() else None
        if not async_op and not self._pending:
            with self._running:
                operation()
            return None
        work = self._enqueue(operation, Work(results, costs if async_op else None, exchange))
        if async_op:
            self._latest = costs
            return work
        begun, before = time.monotonic(), 0.0 if costs is None else costs.totals.seconds
        work.wait()
        if costs is not None and self._latest is not None:  # whose operation had to end before
            self._latest.totals.blocked += time.monotonic() - begun - (costs.totals.seconds - before)
        return None

    def _enqueue(self, operation: Callable[[], object], work: Work) -> Work:
        with self._changing:
            self._pending += 1
            if self._thread is None:
                self._thread = Thread(target=self._work, daemon=True, name="facula: collectives")
                self._thread.start()
        self._queue.put((operation, work))
        return work

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            operation, work = task
            with self._running:
                error = _error_of(operation)
            with self._changing:
                self._pending -= 1
            work._end(error)
            del task, operation, work, error

    def close(self) -> None:
        """End the thread after the last operation."""
        self._queue.put(None)
