"""Errors for workers that end or time out; they name the worker and the samples that it was reading."""

from __future__ import annotations

import signal
from typing import Any

from facula_errors import OperationError

from .._datasets.streams import Start


class WorkerError(OperationError):
    """A worker process ended unexpectedly.

    The arguments are also attributes.

    Arguments:
        worker: the worker's number.
        pid: its process ID.
        unit: its current unit of work: the indices of a batch, or one index; None for a stream.
        exitcode: as in multiprocessing: negative for a signal, None if unknown.
        hint: the end of the message, which suggests a remedy.
        position: the position in `unit` of the sample that it was reading; None if unknown.
    """

    def __init__(
        self,
        worker: int,
        pid: int,
        unit: object,
        exitcode: int | None,
        hint: str = "",
        position: int | None = None,
    ) -> None:
        super().__init__(worker, pid, unit, exitcode, hint, position)
        self.worker, self.pid, self.unit, self.exitcode = worker, pid, unit, exitcode
        self.hint, self.position = hint, position

    def __str__(self) -> str:
        return (
            f"DataLoader: worker {self.worker} (process {self.pid}) ended ({_end(self.exitcode)}) while it "
            f"{_doing(self.unit, self.position)}{self.hint or '; see its output'}"
        )


class WorkerTimeoutError(OperationError, TimeoutError):
    """A worker did not deliver a batch within `timeout` seconds.

    The arguments are also attributes.

    Arguments:
        worker: the worker's number.
        pid: its process ID; None for a thread.
        unit: its current unit of work: the indices of a batch, or one index; None for a stream.
        timeout: the limit in seconds.
        stacks: the stacks of its threads; empty if it could not report them.
        position: the position in `unit` of the sample that it was reading; None if unknown.
    """

    def __init__(
        self, worker: int, pid: int | None, unit: object, timeout: float, stacks: str, position: int | None = None
    ) -> None:
        super().__init__(worker, pid, unit, timeout, stacks, position)
        self.worker, self.pid, self.unit, self.timeout = worker, pid, unit, timeout
        self.stacks, self.position = stacks, position

    def __str__(self) -> str:
        where = f"; it is here:\n{self.stacks}" if self.stacks else "; it does not answer (stopped, or in a C function)"
        what = "a thread" if self.pid is None else f"process {self.pid}"
        return (
            f"DataLoader: worker {self.worker} ({what}) returned no batch of {_shown(self.unit)} within "
            f"timeout={self.timeout} seconds{where}"
        )


def _end(exitcode: int | None) -> str:
    if exitcode is None:
        return "how is not known"
    if exitcode >= 0:
        return f"exit status {exitcode}"
    hint = ", as the kernel does where memory is short" if exitcode == -signal.SIGKILL else ""
    try:
        return f"by {signal.Signals(-exitcode).name}{hint}"
    except ValueError:
        return f"by signal {-exitcode}"


def _doing(unit: object, position: int | None) -> str:
    index = index_at(unit, position)
    made = f"made the batch of {_shown(unit)}"
    return made if index is None else f"read sample {index!r:.80} and {made}"


def index_at(unit: object, position: int | None) -> object:
    """Return the index at a position of a unit, or None if the position is unknown or the unit is one index."""
    indices: Any = unit
    return indices[position] if position is not None and 0 <= position < len(indices) else None


def _shown(unit: object) -> str:
    if unit is None or isinstance(unit, Start):
        return "its stream"
    if not hasattr(unit, "__iter__"):
        return f"sample {unit!r:.80}"
    indices = unit.tolist() if hasattr(unit, "tolist") else list(unit)
    more = f", … ({len(indices)} in all)" if len(indices) > 8 else ""
    return f"samples [{', '.join(map(repr, indices[:8]))}{more}]"
