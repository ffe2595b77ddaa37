"""Batches made by workers, several units in advance, delivered in order.

Units are submitted to the workers in turn, and a pass waits for the batch that is next in order. The batches and their
order are therefore the same for any number and kind of workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from facula_errors.extend import warn

from .._batches.current_sample import Lost
from .._batches.fetch import EMPTY, is_empty
from .._batches.passes import Batch_co, Progress
from .._datasets.streams import INTERRUPTED, Start
from .._types import Batch
from .jobs import CUT
from .worker_errors import WorkerError, WorkerTimeoutError, index_at
from .workers import LEFT_OUT, Workers

Unit = TypeVar("Unit")


class _Handed(NamedTuple):
    """A unit submitted to a worker, or an error that the sampler raised in its place."""

    size: int
    ticket: int
    error: BaseException | None


def samples_in(unit: _Handed | _Reply) -> int:
    """Return the number of samples of a submitted unit."""
    return unit.size


class HandedOut(Generic[Unit, Batch_co]):
    """The units submitted to workers, in order; `batch` waits for the batch of one unit.

    The pass refers to this object and not vice versa, so that no cycle keeps workers alive.

    Arguments:
        units: the units of work, in order.
        size: returns the number of samples of a unit.
        workers: the workers that make the batches.
        finish: applied to each batch in this process.
        ahead: the number of units submitted in advance.
        keep: whether to keep the workers when the pass ends.
        first: the ticket of the first unit.
        replaces: whether to replace a worker that ended.
    """

    __slots__ = ("_ahead", "_count", "_ended", "_finish", "_first", "_keep", "_pending", "_replaces", "_size",
                 "_ticket", "_units", "_workers")  # fmt: skip

    def __init__(
        self,
        units: Iterator[Unit],
        size: Callable[[Unit], int],
        workers: Workers,
        finish: Callable[[Batch], Batch_co],
        ahead: int,
        keep: bool,
        first: int,
        replaces: bool,
    ) -> None:
        self._units, self._size, self._workers, self._finish = units, size, workers, finish
        self._ahead, self._keep, self._replaces = ahead, keep, replaces
        self._pending: deque[_Handed] = deque()
        self._first, self._count = first, len(workers)
        self._ticket = first
        self._ended = False

    def __iter__(self) -> HandedOut[Unit, Batch_co]:
        return self

    def __next__(self) -> _Handed:
        while not self._ended and len(self._pending) < self._ahead:
            if not self._hand_out():
                break
        if not self._pending:
            if not self._keep:
                self._workers.close()
            raise StopIteration
        handed = self._pending.popleft()
        if handed.error is None:
            return handed
        try:
            raise handed.error
        finally:
            del handed  # avoids a cycle: the error's traceback refers to this frame

    def _hand_out(self) -> bool:
        """Submit the next unit to the next worker; return False if there is none."""
        ticket = self._ticket
        try:
            unit = next(self._units)
        except StopIteration:
            self._ended = True
            return False
        except BaseException as error:  # raised by the sampler; re-raised when its turn comes
            self._pending.append(_Handed(0, ticket, error))
            return False
        size = self._size(unit)
        self._workers.submit(self._worker(ticket), ticket, unit)
        self._ticket += 1
        self._pending.append(_Handed(size, ticket, None))
        return True

    def _worker(self, ticket: int) -> int:
        return (ticket - self._first) % self._count

    def batch(self, handed: _Handed) -> Batch:
        """Return the batch of a submitted unit.

        If a process ends or hangs and may be replaced, a new process retries the unit. If that fails too, it leaves out
        the sample that caused the failure; the result is EMPTY if the sample is unknown.
        """
        worker = self._worker(handed.ticket)
        again = False
        while True:
            try:
                batch = self._workers.result(worker, handed.ticket)
            except (WorkerError, WorkerTimeoutError) as error:
                if not self._replaces or error.pid is None:  # a thread
                    raise
                what = str(error).partition(";")[0]
                unit = _without(error, what) if again else error.unit
                warn(f"{what}; it is replaced{', its batch left out' if unit is LEFT_OUT else ''}")
                self._workers.restart(worker, unit)
                if unit is LEFT_OUT:
                    return EMPTY
                again = True
            else:
                return batch if is_empty(batch) else self._finish(batch)


def _without(error: WorkerError | WorkerTimeoutError, what: str) -> object:
    """Return the unit with the sample that ended its process marked as lost, or LEFT_OUT if the sample is unknown."""
    if isinstance(error.unit, Lost):
        return LEFT_OUT
    if not hasattr(error.unit, "__iter__"):
        return Lost(error.unit, what)
    index = index_at(error.unit, error.position)
    if index is None or isinstance(index, Lost):
        return LEFT_OUT
    unit = list(error.unit)  # type: ignore[call-overload]
    unit[error.position] = Lost(index, what)  # type: ignore[index]
    return unit


class _Reply:
    """A worker's reply from its stream: a batch, EMPTY for the samples of a failed batch, or an error.

    Arguments:
        worker: the number of the worker.
        size: the number of samples.
        batch: the batch, converted for the program.
        state: the state of the worker's dataset after the batch, or None.
        error: an error instead of a batch. The worker's next reply reveals the number of its samples.
    """

    __slots__ = ("batch", "error", "size", "state", "worker")

    def __init__(
        self, worker: int, size: int, batch: Batch, state: bytes | None = None, error: Exception | None = None
    ) -> None:
        self.worker, self.size, self.batch, self.state, self.error = worker, size, batch, state, error


class Streams:
    """The replies of workers that each iterate over a copy of a dataset, in turn, until each stream ends.

    `progress` records the delivered samples of each stream. The other arguments are those of `HandedOut`.
    """

    __slots__ = ("_ahead", "_cut", "_finish", "_given", "_held", "_keep", "_live", "_pending", "_progress", "_read",
                 "_starts", "_states", "_ticket", "_workers")  # fmt: skip

    def __init__(
        self,
        workers: Workers,
        finish: Callable[[Batch], Batch],
        progress: Progress,
        ahead: int,
        keep: bool,
        first: int,
    ) -> None:
        self._workers, self._finish, self._progress, self._keep = workers, finish, progress, keep
        count = len(workers)
        *given, turn = progress.streams or [0] * (count + 1)
        self._given = given  # samples of each worker up to its last delivered batch
        self._read = list(given)  # samples up to its last reply
        self._states = list(progress.datasets) or [None] * count
        self._starts = {worker: Start(*at) for worker, at in enumerate(zip(given, self._states, strict=True))}
        self._live = [(turn + i) % count for i in range(count)]  # in the order of their turns
        self._pending: deque[tuple[int, int]] = deque()
        self._ticket, self._ahead = first, ahead
        self._held: _Reply | None = None
        self._cut = False

    def __iter__(self) -> Streams:
        return self

    def __next__(self) -> _Reply:
        if self._held is not None:
            held, self._held = self._held, None
            return held
        while True:
            self._hand_out()
            if not self._pending:
                if not self._keep:
                    self._workers.close()
                raise StopIteration(INTERRUPTED if self._cut else None)
            worker, ticket = self._pending.popleft()
            if worker not in self._live:
                continue  # ignore replies after the end of a stream
            try:
                made = self._workers.result(worker, ticket)
                if not isinstance(made, str):
                    begin, size, batch, state = made
                    reply = _Reply(worker, size, self._finish(batch), state)
                    break
            except Exception as error:
                if isinstance(error, WorkerError):
                    self._end(worker, cut=True)
                return _Reply(worker, 0, None, error=error)
            self._end(worker, cut=made == CUT)
        failed, self._read[worker] = begin - self._read[worker], begin + size
        if not failed:
            return reply
        self._held = reply
        return _Reply(worker, failed, EMPTY)

    def _end(self, worker: int, cut: bool) -> None:
        self._cut |= cut
        self._live.remove(worker)

    def _hand_out(self) -> None:
        while self._live and len(self._pending) < self._ahead:
            worker = self._live.pop(0)
            self._live.append(worker)
            self._workers.submit(worker, self._ticket, self._starts.pop(worker, None))
            self._pending.append((worker, self._ticket))
            self._ticket += 1

    def batch(self, reply: _Reply) -> Batch:
        """Return the batch of a reply and count it as delivered; raise the worker's error."""
        if reply.error is not None:
            error, reply.error = reply.error, None
            try:
                raise error
            finally:
                del error  # avoids a cycle: the error's traceback refers to this frame
        if reply.batch is EMPTY:
            return EMPTY
        worker = reply.worker
        self._given[worker], self._states[worker] = self._read[worker], reply.state
        progress = self._progress
        progress.streams = (*self._given, (worker + 1) % len(self._given))
        if reply.state is not None:
            progress.datasets = tuple(self._states)
        return reply.batch
