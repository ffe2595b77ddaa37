"""The loader's side of worker processes: it hands out units, waits for batches, and notices what happens to workers."""

from __future__ import annotations

import multiprocessing
import os
from contextlib import suppress
from multiprocessing.connection import wait
from pickle import PicklingError
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import finalize

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import warn
from facula_multiprocessing.extend import (
    Arena,
    Leases,
    Stacks,
    capacity_for,
    decode,
    keep_from_children,
    no_longer_kept,
    starting_workers,
)

from ._errors import WorkerError, WorkerTimeoutError
from ._jobs import BEGIN
from ._worker_process import Failure, work

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from ._jobs import Job
    from ._meter import Meter

SHARE = 0.25  # of the memory that is left, for the arenas of all workers
UNGUARDED = (
    "; it could not begin, as it says on standard error: a program's own code has to stand under `if __name__ == "
    "'__main__':`, since a worker imports its main module, and a notebook's classes in a module of their own"
)
GRACE = 2.0  # seconds in which a worker may end by itself
ANSWER = 1.0  # seconds in which a stuck worker may say where it is


class Processes:
    """Worker processes. Worker i's results come in the order in which its units were handed out.

    Arguments:
        job: what they do; must be picklable unless they are forked.
        count: how many.
        context: a start method's name, a context of multiprocessing, or None for Python's default.
        timeout: seconds to wait for a batch; 0 for any time.
    """

    __slots__ = ("__weakref__", "_context", "_epoch", "_finish", "_job", "_next", "_timeout", "_workers", "meter")

    def __init__(self, job: Job, count: int, context: object, timeout: float) -> None:
        self._job, self._timeout = job, timeout
        self._epoch, self._next = (0, 0, 0), 0
        self.meter: Meter | None = None
        self._context = context_of(context)
        self._workers: list[_Worker] = []
        self._finish = finalize(self, _end_all, self._workers, os.getpid())
        for number in range(count):
            self._workers.append(_Worker(number, job, self._context, SHARE / count))

    def __len__(self) -> int:
        return len(self._workers)

    def begin(self, order_seed: int, seed: int, epoch: int) -> int:
        """Let an epoch begin; what was handed out before is not waited for. Gives the first ticket."""
        self._epoch = order_seed, seed, epoch
        for worker in self._workers:
            worker.begin(order_seed, seed, epoch)
        return self._next

    def submit(self, worker: int, ticket: int, unit: object) -> None:
        """Hand a unit to a worker; tickets count up."""
        self._next = ticket + 1
        self._workers[worker].submit(ticket, unit)

    def result(self, worker: int, ticket: int) -> object:
        """The batch for a ticket, its arrays over shared memory.

        Raises:
            WorkerError: the worker ended. WorkerTimeoutError: it took too long. Or what its code raised.
        """
        return self._workers[worker].result(ticket, self._timeout, self.meter)

    def restart(self, worker: int, again: bool) -> None:
        """A new process for worker number `worker`, with what the old one had still to do; without `again`, but for
        the first unit of it.
        """
        old = self._workers[worker]
        old.end()
        self._workers[worker] = _Worker(worker, self._job, self._context, SHARE / len(self._workers))
        self._workers[worker].begin(*self._epoch)
        for ticket, unit in list(old._open.items())[not again :]:
            self._workers[worker].submit(ticket, unit)

    def close(self) -> None:
        """End the workers."""
        self._finish()


class _Worker:
    """One process, and what is between it and us."""

    __slots__ = (
        "_arena",
        "_began",
        "_forked",
        "_free",
        "_leases",
        "_link",
        "_open",
        "_process",
        "_stacks",
        "number",
        "overflowed",
    )

    def __init__(self, number: int, job: Job, context: BaseContext, share: float) -> None:
        self.number, self.overflowed, self._began = number, 0, False
        self._forked = context.get_start_method() == "fork"
        self._open: dict[int, object] = {}  # the units that were handed out, by ticket
        self._free: list[int] = []
        self._arena = Arena(capacity_for(share))
        self._leases = Leases(self._arena)
        self._stacks = Stacks()
        self._link, theirs = context.Pipe()
        arguments = (number, job, theirs, self._arena, self._stacks)
        # mypy: a BaseContext has a Process, but says so nowhere
        process: Any = context.Process(  # type: ignore[attr-defined]
            target=work, args=arguments, daemon=True, name=f"facula worker {number}"
        )
        keep_from_children(self._link)
        try:
            with starting_workers():
                process.start()
        except BaseException as error:
            self._close()
            if isinstance(error, (AttributeError, TypeError, PicklingError)):
                raise InvalidTypeError(
                    "DataLoader: the dataset, collate_fn and worker_init_fn must be such that pickle can send them to "
                    f"a worker; {error}; define what they refer to at the top of a module, or pass "
                    'multiprocessing_context="fork" or worker_method="thread"'
                ) from error
            raise
        finally:
            theirs.close()
        self._process = process

    def begin(self, order_seed: int, seed: int, epoch: int) -> None:
        self._open.clear()
        with suppress(OSError):
            self._link.send((BEGIN, (order_seed, seed, epoch), []))

    def submit(self, ticket: int, unit: object) -> None:
        self._free += self._leases.gone()
        self._open[ticket] = unit
        with suppress(OSError):  # the worker is gone: `result` says so
            self._link.send((ticket, unit, self._free))
            self._free = []

    def result(self, ticket: int, timeout: float, meter: Meter | None) -> object:
        if ticket not in self._open:
            raise OperationError("DataLoader: this pass ended when the next one began, which has its workers")
        begun = monotonic()
        while True:
            self._await(ticket, timeout - (monotonic() - begun) if timeout else None, timeout)
            try:
                found, blocks, overflowed, times, data = self._link.recv()
            except (EOFError, OSError):
                raise self._death(ticket) from None
            self._began = True
            unit = self._open.pop(found, None)
            if found == ticket:
                break
            self._free += [offset for offset, _ in blocks]  # of a pass that was given up
        if overflowed and not self.overflowed:
            warn(
                f"DataLoader: the shared memory of worker {self.number} is full, as the program holds "
                f"{len(self._leases)} parts of it; further batches are copied, which is slower; let go of batches, or "
                "copy what is kept"
            )
        self.overflowed = overflowed
        if meter is not None:
            meter.worker(self.number, *times)
        batch = decode(data, blocks, self._leases)
        if isinstance(batch, Failure):
            try:
                raise _error_of(batch, self.number, self._process.pid, unit)
            finally:
                del batch  # which has the error, whose traceback would keep it, and with it the workers
        return batch

    def _await(self, ticket: int, left: float | None, timeout: float) -> None:
        if self._link.poll(0):
            return
        ready = wait([self._link, self._process.sentinel], None if left is None else max(0.0, left))
        if self._link in ready or self._link.poll(0):
            return
        if ready:
            raise self._death(ticket)
        unit = self._open.get(ticket)
        self._stacks.ask(self._process.pid)
        until = monotonic() + ANSWER
        while monotonic() < until and not self._stacks.read():
            wait([self._process.sentinel], 0.01)
        raise WorkerTimeoutError(self.number, self._process.pid, unit, timeout, self._stacks.read())

    def _death(self, ticket: int) -> WorkerError:
        self._process.join(GRACE)
        exitcode = self._process.exitcode
        hint = "" if self._forked or self._began or exitcode != 1 else UNGUARDED
        return WorkerError(self.number, self._process.pid, self._open.get(ticket), exitcode, hint)

    def ask_to_end(self) -> None:
        with suppress(OSError):
            self._link.send(None)

    def end(self, until: float = 0.0) -> None:
        self._process.join(max(0.0, until - monotonic()))
        for end in (self._process.terminate, self._process.kill):
            if self._process.exitcode is None:
                end()
                self._process.join(GRACE)
        self._close()

    def _close(self) -> None:
        no_longer_kept(self._link)
        self._link.close()
        self._stacks.close()


def context_of(context: object) -> BaseContext:
    """The context of multiprocessing that is meant: Python's own default where none is named.

    Raises:
        ValueError: there is no start method of this name.
    """
    if context is None or isinstance(context, str):
        known = multiprocessing.get_all_start_methods()
        if context is not None and context not in known:
            raise InvalidValueError(
                f"DataLoader: expected multiprocessing_context to be one of {known}, a context or None; got {context!r}"
            )
        return multiprocessing.get_context(context)
    if not (hasattr(context, "Process") and hasattr(context, "Pipe")):
        raise InvalidValueError(
            "DataLoader: expected multiprocessing_context to be a context, a start method's name or None; "
            f"got {context!r}"
        )
    return context  # type: ignore[return-value]


def _error_of(failure: Failure, number: int, pid: int, unit: object) -> BaseException:
    error = failure.error
    if error is None:
        error = OperationError(f"DataLoader: worker {number} raised {failure.name}, which cannot be sent; see the note")
    error.add_note(f"DataLoader: raised in worker {number} (process {pid}):\n{failure.text}")
    return error


def _end_all(workers: list[_Worker], process: int) -> None:
    if os.getpid() != process:
        return  # a process that was forked since: the workers are its parent's
    for worker in workers:
        worker.ask_to_end()
    until = monotonic() + GRACE
    for worker in workers:
        worker.end(until)
    workers.clear()
