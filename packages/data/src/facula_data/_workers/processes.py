"""The loader's side of worker processes: their memory, messages in both directions, and their end."""

from __future__ import annotations

import multiprocessing
import os
from contextlib import suppress
from mmap import PAGESIZE
from multiprocessing import current_process
from multiprocessing.connection import wait
from pickle import PicklingError
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import warn
from facula_multiprocessing.extend import (
    Arena,
    Blocks,
    Leases,
    Stacks,
    capacity_for,
    decode,
    keep_from_children,
    no_longer_kept,
    preload_fork_server,
    reserve,
    starting_workers,
)

from .._batches.current_sample import NONE
from .jobs import BEGIN
from .worker_errors import WorkerError
from .worker_process import Failure, work
from .workers import LEFT_OUT, Result, Times, Workers

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from .jobs import Job

SHARE = 0.25  # of the available memory, for the arenas of all workers
UNGUARDED = (
    "; it could not start (see standard error): a program's own code has to stand under `if __name__ == "
    "'__main__':`, since a worker imports its main module, and a notebook's classes in a module of their own"
)
GRACE_SECONDS = 2.0  # seconds for a worker to exit by itself
EXIT_STATUS_SECONDS = 30.0  # seconds to wait for the exit status of a worker that has ended
STACK_SECONDS = 0.9  # seconds for a hanging worker to report its stacks


class Processes(Workers):
    """Worker processes.

    Arguments:
        job: the work; must be picklable unless the workers are forked.
        count: the number of workers.
        context: a start method's name, a context of multiprocessing, or None for Python's default.
        timeout: seconds to wait for a batch; 0 waits without limit.
    """

    __slots__ = ("_context", "_epoch", "_job", "_processes")

    def __init__(self, job: Job, count: int, context: object, timeout: float) -> None:
        self._job, self._epoch, self._context = job, (0, 0, 0), context_of(context)
        self._processes: list[_Worker] = []
        super().__init__(self._processes, timeout, finalize(self, _end_processes, self._processes, os.getpid()))
        for number in range(count):
            self._processes.append(_Worker(number, job, self._context, SHARE / count))

    def begin(self, order_seed: int, seed: int, epoch: int) -> int:
        """Start an epoch, discarding earlier units, and return the first ticket."""
        self._epoch = order_seed, seed, epoch
        return super().begin(order_seed, seed, epoch)

    def restart(self, worker: int, unit: object) -> None:
        """Replace a process that has ended or hangs by one that continues its work.

        Arguments:
            worker: the worker's number.
            unit: replaces the unit in progress; LEFT_OUT drops it.
        """
        self._processes[worker].end()
        new = self._processes[worker] = _Worker(worker, self._job, self._context, SHARE / len(self._processes))
        new.send(BEGIN, self._epoch)
        first, *others = [ticket for ticket, (number, _) in self._open.items() if number == worker]
        if unit is LEFT_OUT:
            del self._open[first]
        else:
            self._open[first] = worker, unit
            others.insert(0, first)
        for ticket in others:
            new.send(ticket, self._open[ticket][1])


class _Worker:
    """One process and its connection to the loader."""

    __slots__ = (
        "_arena",
        "_began",
        "_forked",
        "_leases",
        "_link",
        "_position",
        "_process",
        "_stacks",
        "number",
        "overflowed",
    )

    def __init__(self, number: int, job: Job, context: BaseContext, share: float) -> None:
        self.number, self.overflowed, self._began = number, 0, False
        method = context.get_start_method()
        self._forked = method == "fork"
        if method == "forkserver":
            preload_fork_server()
        self._arena = Arena(capacity_for(share), apart=PAGESIZE)
        reserve(self._arena.fd, 0, PAGESIZE)
        self._position = self._arena.bytes_at(0, 8).view(np.int64)  # the process records here which sample it reads
        self._position[0] = NONE
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
            if isinstance(error, AssertionError) and current_process().daemon:
                raise OperationError(
                    "DataLoader: a daemonic process may not start worker processes; start it with daemon=False, or "
                    'pass worker_method="thread" or num_workers=0'
                ) from None
            if isinstance(error, (AttributeError, TypeError, PicklingError)):
                raise InvalidTypeError(
                    "DataLoader: the dataset, collate_fn and worker_init_fn must be picklable to be sent to "
                    f"a worker; {error}; define them at the top level of a module, or pass "
                    'multiprocessing_context="fork" or worker_method="thread"'
                ) from error
            raise
        finally:
            theirs.close()
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, ticket: int, unit: object) -> None:
        with suppress(OSError):  # the process has ended: `receive` reports that
            self._link.send((ticket, unit, self._leases.gone()))

    def receive(self, until: float | None, unit: object) -> Result | None:
        try:
            if not self._link.poll(0):
                left = None if until is None else max(0.0, until - monotonic())
                ready = wait([self._link, self._process.sentinel], left)
                if not ready:
                    return None
                if self._link not in ready and not self._link.poll(0):
                    raise self._death(unit)
            ticket, blocks, overflowed, times, data = self._received()
        except (EOFError, OSError):
            raise self._death(unit) from None
        self._began = True
        if overflowed and not self.overflowed:
            warn(
                f"DataLoader: the shared memory of worker {self.number} is full, as the program holds "
                f"{len(self._leases)} parts of it; further batches are copied, which is slower; drop batches, or "
                "copy those that are kept"
            )
        self.overflowed = overflowed
        batch = decode(data, blocks, self._leases)
        if isinstance(batch, Failure):
            return ticket, None, _error_of(batch, self), times
        return ticket, batch, None, times

    def _received(self) -> tuple[int, Blocks, int, Times, bytes]:
        try:
            return self._link.recv()
        except KeyboardInterrupt:  # possibly in mid-message: the rest of the stream is unreadable
            self._link.close()
            raise

    def _death(self, unit: object) -> WorkerError:
        self._process.join(EXIT_STATUS_SECONDS)
        code = self._process.exitcode
        hint = "" if self._forked or self._began or code != 1 else UNGUARDED
        return WorkerError(self.number, self.pid, unit, code, hint, self.position())

    def position(self) -> int | None:
        position = int(self._position[0])
        return None if position == NONE else position

    def stacks(self) -> str:
        self._stacks.ask(self.pid)
        until = monotonic() + STACK_SECONDS
        while monotonic() < until and not self._stacks.is_complete(self.pid):
            if wait([self._process.sentinel], 0.02):
                break
        return self._stacks.read()

    def ask_to_end(self) -> None:
        with suppress(OSError):
            self._link.send(None)

    def end(self, until: float = 0.0) -> None:
        self._process.join(max(0.0, until - monotonic()))
        for end in (self._process.terminate, self._process.kill):
            if self._process.exitcode is None:
                end()
                self._process.join(GRACE_SECONDS)
        self._close()

    def _close(self) -> None:
        no_longer_kept(self._link)
        self._link.close()
        self._stacks.close()


def context_of(context: object) -> BaseContext:
    """Return the requested context of multiprocessing, by default Python's.

    Raises:
        ValueError: no start method has this name.
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


def _error_of(failure: Failure, worker: _Worker) -> BaseException:
    error, number = failure.error, worker.number
    if error is None:
        error = OperationError(f"DataLoader: worker {number} raised {failure.name}, which cannot be sent; see the note")
    error.add_note(f"DataLoader: raised in worker {number} (process {worker.pid}):\n{failure.text}")
    return error


def _end_processes(workers: list[_Worker], process: int) -> None:
    if os.getpid() != process:
        return  # a forked process: the workers belong to its parent
    for worker in workers:
        worker.ask_to_end()
    until = monotonic() + GRACE_SECONDS
    for worker in workers:
        worker.end(until)
    workers.clear()
