"""Passes whose batches are made by workers, some units ahead; they are delivered in order.

A unit is handed to the worker whose turn it is, and its batch waited for when it is the next one to deliver. So which
batches there are, and in which order, is the same for any number of workers of any kind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from facula_errors import FaculaError, OperationError
from facula_errors.extend import trim_traceback

from ._errors import WorkerError
from ._fetch import EMPTY, is_empty
from ._jobs import END
from ._passes import Batch_co, Progress
from ._types import Batch
from ._workers import Workers

Unit = TypeVar("Unit")


class ParallelPass(Generic[Batch_co]):
    """An iterator over the batches of one epoch: `Pass`, with workers.

    Arguments:
        units: what is to be made, in order.
        size: the samples of a unit.
        workers: who makes the batches.
        finish: what becomes of a batch in this process.
        progress: where the pass begins, and how far it has got.
        ahead: units that are handed out before their batches are asked for.
        keep: whether the workers stay when the pass ends.
        first: the ticket of the first unit.
        replaces: whether a worker that ended is replaced.
    """

    __slots__ = ("_ahead", "_drawn", "_ended", "_failed", "_finish", "_first", "_keep", "_pending", "_progress",
                 "_replaces", "_size", "_ticket", "_units", "_workers")  # fmt: skip

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
        self._replaces = replaces
        self._units, self._size, self._workers, self._finish = units, size, workers, finish
        self._progress, self._ahead, self._keep = progress, ahead, keep
        self._pending: deque[tuple[int, int, int, BaseException | None]] = deque()
        self._drawn, self._first, self._ticket = progress.position, first, first
        self._ended = self._failed = False

    def __iter__(self) -> ParallelPass[Batch_co]:
        return self

    def __next__(self) -> Batch_co:
        try:
            self._hand_out()
            if not self._pending:
                self._end()
                raise StopIteration
            begin, end, ticket, error = self._pending.popleft()
            if error is not None:
                self._failed = True
                raise error
            self._failed = False
            try:
                batch = self._result(self._worker(ticket), ticket)
                if is_empty(batch):
                    return next(self)  # the next one says that this is skipped
                batch = self._finish(batch)
            except StopIteration as stop:
                raise OperationError("DataLoader: the dataset, collate_fn or convert raised StopIteration") from stop
            self._progress.deliver(begin, end)
            return batch
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _result(self, worker: int, ticket: int) -> Batch:
        """The batch; once more from a new worker where one ended and may be replaced, EMPTY if that ends too."""
        for attempt in range(2):
            try:
                return self._workers.result(worker, ticket)
            except WorkerError:
                if not self._replaces:
                    raise
                self._workers.restart(worker, again=not attempt)
        return EMPTY

    def _worker(self, ticket: int) -> int:
        return (ticket - self._first) % len(self._workers)

    def _hand_out(self) -> None:
        while not self._ended and len(self._pending) < self._ahead:
            ticket = self._ticket
            try:
                unit = next(self._units)
            except StopIteration:
                self._ended = True
                return
            except BaseException as error:  # of the sampler: raised when its turn comes
                self._pending.append((self._drawn, self._drawn, ticket, error))
                return
            begin = self._drawn
            self._drawn = begin + self._size(unit)
            self._workers.submit(self._worker(ticket), ticket, unit)
            self._ticket += 1
            self._pending.append((begin, self._drawn, ticket, None))

    def _end(self) -> None:
        if not self._failed and self._progress.begun:
            self._progress.finish()
        if not self._keep:
            self._workers.close()


class ParallelStream(Generic[Batch_co]):
    """The same for a dataset that can only be iterated: each worker iterates its own copy, and ends by itself."""

    __slots__ = (
        "_ahead",
        "_finish",
        "_given",
        "_keep",
        "_left_out",
        "_live",
        "_pending",
        "_progress",
        "_ticket",
        "_workers",
    )

    def __init__(
        self,
        workers: Workers,
        finish: Callable[[Batch], Batch_co],
        progress: Progress,
        ahead: int,
        keep: bool,
        first: int,
    ) -> None:
        self._workers, self._finish, self._progress, self._keep = workers, finish, progress, keep
        count = len(workers)
        *self._given, turn = progress.streams or [0] * (count + 1)
        self._left_out = dict(enumerate(self._given))  # what each worker leaves out at first
        self._live = [(turn + i) % count for i in range(count)]  # in the order of their turns
        self._pending: deque[tuple[int, int]] = deque()
        self._ticket, self._ahead = first, ahead

    def __iter__(self) -> ParallelStream[Batch_co]:
        return self

    def __next__(self) -> Batch_co:
        try:
            while True:
                self._hand_out()
                if not self._pending:
                    if self._progress.begun:
                        self._progress.finish()
                    if not self._keep:
                        self._workers.close()
                    raise StopIteration
                worker, ticket = self._pending.popleft()
                made = self._workers.result(worker, ticket)
                if isinstance(made, str) and made == END:
                    self._live = [one for one in self._live if one != worker]
                    continue
                if worker not in self._live:
                    continue
                count, batch = made
                batch = self._finish(batch)
                self._progress.deliver(self._progress.position, self._progress.position + count)
                self._given[worker] += count
                self._progress.streams = (*self._given, (worker + 1) % len(self._given))
                return batch
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _hand_out(self) -> None:
        while self._live and len(self._pending) < self._ahead:
            worker = self._live.pop(0)
            self._live.append(worker)
            self._workers.submit(worker, self._ticket, self._left_out.pop(worker, 0))
            self._pending.append((worker, self._ticket))
            self._ticket += 1
