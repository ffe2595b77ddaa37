"""Passes whose batches are made by workers, some units ahead; they are delivered in order.

A unit is handed to the worker whose turn it is, and its batch waited for when it is the next one to deliver. So which
batches there are, and in which order, is the same for any number of workers of any kind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from os import getpid
from threading import RLock
from typing import Generic, NamedTuple, Protocol, TypeVar

from facula_errors import OperationError

from ._errors import WorkerError, WorkerTimeoutError
from ._fetch import EMPTY, is_empty
from ._jobs import CUT
from ._meter import Meter
from ._passes import Batch_co, Pass, Progress
from ._streams import INTERRUPTED, Start
from ._types import Batch

Unit = TypeVar("Unit")


class Workers(Protocol):
    """Workers of any kind."""

    meter: Meter | None

    def __len__(self) -> int: ...
    def begin(self, order_seed: int, seed: int, epoch: int) -> int: ...
    def submit(self, worker: int, ticket: int, unit: object) -> None: ...
    def result(self, worker: int, ticket: int) -> Batch: ...
    def restart(self, worker: int, again: bool) -> None: ...
    def close(self) -> None: ...


class _ByWorkers(Pass[Batch_co]):
    """A pass that several threads may ask: one at a time, as each waits for a certain batch of a worker.

    A process that was forked meanwhile may not: the workers answer its parent.
    """

    __slots__ = ("_lock", "_process")

    def __init__(
        self, units: Iterator[Unit], make: Callable[[Unit], Batch_co], size: Callable[[Unit], int], progress: Progress
    ) -> None:
        super().__init__(units, make, size, progress)
        self._lock, self._process = RLock(), getpid()

    def __next__(self) -> Batch_co:
        if getpid() != self._process:
            raise OperationError(
                f"DataLoader: the workers of this pass answer process {self._process}, which began it; got a call in "
                f"process {getpid()}, forked from that; begin a pass in it by iter(loader)"
            )
        with self._lock:
            return super().__next__()


class ParallelPass(_ByWorkers[Batch_co]):
    """The batches of one epoch, made by workers.

    Arguments:
        units: what is to be made, in order.
        size: the samples of a unit.
        workers: who makes the batches.
        finish: what becomes of a batch in this process.
        progress: where the pass begins, and how far it has got.
        ahead: units that are handed out before their batches are asked for.
        keep: whether the workers stay when the pass ends.
        first: the ticket of the first unit.
        replaces: whether a process that ended or is stuck is replaced.
    """

    __slots__ = ()

    def __init__(
        self,
        units: Iterator[Unit],
        size: Callable[[Unit], int],
        workers: Workers,
        finish: Callable[[Batch], Batch_co],
        progress: Progress,
        ahead: int,
        keep: bool,
        first: int,
        replaces: bool,
    ) -> None:
        handed = _HandedOut(units, size, workers, finish, ahead, keep, first, replaces)
        super().__init__(handed, handed.batch, _size, progress)


class _Handed(NamedTuple):
    """A unit that a worker has; or what the sampler raised in its place."""

    size: int
    ticket: int
    error: BaseException | None


def _size(unit: _Handed | _Reply) -> int:
    return unit.size


class _HandedOut(Generic[Unit, Batch_co]):
    """The units that workers have, in order. It and the pass know each other one way: no cycle keeps workers alive."""

    __slots__ = ("_ahead", "_ended", "_finish", "_first", "_keep", "_pending", "_replaces", "_size", "_ticket",
                 "_units", "_workers")  # fmt: skip

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
        self._first = self._ticket = first
        self._ended = False

    def __iter__(self) -> _HandedOut[Unit, Batch_co]:
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
            del handed  # which the error's traceback would keep, and that the error

    def _hand_out(self) -> bool:
        """Give the next unit to the worker whose turn it is; False where there is none."""
        ticket = self._ticket
        try:
            unit = next(self._units)
        except StopIteration:
            self._ended = True
            return False
        except BaseException as error:  # of the sampler: raised when its turn comes
            self._pending.append(_Handed(0, ticket, error))
            return False
        size = self._size(unit)
        self._workers.submit(self._worker(ticket), ticket, unit)
        self._ticket += 1
        self._pending.append(_Handed(size, ticket, None))
        return True

    def _worker(self, ticket: int) -> int:
        return (ticket - self._first) % len(self._workers)

    def batch(self, handed: _Handed) -> Batch:
        """The batch; once more from a new process where one ended or is stuck and may be replaced, else EMPTY."""
        worker = self._worker(handed.ticket)
        for attempt in range(2):
            try:
                batch = self._workers.result(worker, handed.ticket)
            except (WorkerError, WorkerTimeoutError) as error:
                if not self._replaces or error.pid is None:  # a thread
                    raise
                self._workers.restart(worker, again=not attempt)
            else:
                return batch if is_empty(batch) else self._finish(batch)
        return EMPTY


class ParallelStream(_ByWorkers[Batch_co]):
    """The same for a dataset that can only be iterated: each worker iterates its own copy, and ends by itself."""

    __slots__ = ()

    def __init__(
        self,
        workers: Workers,
        finish: Callable[[Batch], Batch_co],
        progress: Progress,
        ahead: int,
        keep: bool,
        first: int,
    ) -> None:
        streams = _Streams(workers, finish, progress, ahead, keep, first)
        super().__init__(streams, streams.batch, _size, progress)


class _Reply:
    """What a worker gave of its stream: a batch, or EMPTY for samples of one that failed; or an error.

    Arguments:
        worker: whose it is.
        size: its samples.
        batch: ready for the program.
        state: of the worker's dataset after it, or None.
        error: instead of a batch. How many samples that had, the worker's next answer says.
    """

    __slots__ = ("batch", "error", "size", "state", "worker")

    def __init__(
        self, worker: int, size: int, batch: Batch, state: bytes | None = None, error: Exception | None = None
    ) -> None:
        self.worker, self.size, self.batch, self.state, self.error = worker, size, batch, state, error


class _Streams:
    """The workers' answers in order of their turns. `progress` knows how far each has got with what was delivered."""

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
        self._given = given  # samples of each worker up to its last batch that was delivered
        self._read = list(given)  # and up to its last answer
        self._states = list(progress.datasets) or [None] * count
        self._starts = {worker: Start(*at) for worker, at in enumerate(zip(given, self._states, strict=True))}
        self._live = [(turn + i) % count for i in range(count)]  # in the order of their turns
        self._pending: deque[tuple[int, int]] = deque()
        self._ticket, self._ahead = first, ahead
        self._held: _Reply | None = None
        self._cut = False

    def __iter__(self) -> _Streams:
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
                continue  # what it answers after its end
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
        """The batch of an answer, which is delivered now; raises what the worker raised."""
        if reply.error is not None:
            error, reply.error = reply.error, None
            try:
                raise error
            finally:
                del error  # whose traceback would keep itself
        if reply.batch is EMPTY:
            return EMPTY
        worker = reply.worker
        self._given[worker], self._states[worker] = self._read[worker], reply.state
        progress = self._progress
        progress.streams = (*self._given, (worker + 1) % len(self._given))
        if reply.state is not None:
            progress.datasets = tuple(self._states)
        return reply.batch
