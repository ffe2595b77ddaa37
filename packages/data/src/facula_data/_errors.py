"""What goes wrong between samples and a batch: errors that say which samples, and where in them."""

from __future__ import annotations

import signal
from typing import Any

from facula_errors import FaculaError, OperationError

from ._streams import Start
from ._types import Index


class SizeError(FaculaError, ValueError, AssertionError):
    """Arrays or datasets that do not go together. An AssertionError too, because PyTorch raises that."""


class CollateError(FaculaError, ValueError, RuntimeError):
    """Samples cannot become one batch.

    A RuntimeError too, because PyTorch raises that. `indices`: the dataset indices of the batch, where a loader knows
    them.

    Arguments:
        expected: what the samples should have been.
        where: the path to the part of a sample: `""`, `"[0]"`, `"['image'].mask"`.
        positions: those of the samples concerned within the batch.
        found: what each of these has.
        remedy: what to do about it.

    >>> import numpy as np
    >>> from facula_data import default_collate
    >>> default_collate([np.zeros(2), np.zeros(3)])
    Traceback (most recent call last):
    facula_data.CollateError: default_collate: expected samples of one shape; got (2,) in sample 0 and (3,) in \
sample 1; pad or crop them in the dataset, or pass collate_fn
    """

    def __init__(self, expected: str, where: str, positions: list[int], found: list[str], remedy: str) -> None:
        super().__init__(expected, where, positions, found, remedy)
        self.expected, self.where, self.positions, self.found, self.remedy = expected, where, positions, found, remedy
        self.indices: list[Index] | None = None

    def at(self, indices: list[Index]) -> CollateError:
        """This error, with the batch's dataset indices."""
        self.indices = indices
        return self

    def _sample(self, position: int) -> str:
        if self.indices is None:
            return f"sample {position}"
        return f"sample {self.indices[position]!r} of the dataset (position {position} of the batch)"

    def __str__(self) -> str:
        where = f" at {self.where}" if self.where else ""
        got = " and ".join(f"{text} in {self._sample(p)}" for p, text in zip(self.positions, self.found, strict=True))
        return f"default_collate: expected {self.expected}{where}; got {got}; {self.remedy}"


class CollateTypeError(CollateError, TypeError):
    """A sample holds what no batch can be made of.

    >>> from facula_data import default_collate
    >>> default_collate([1, None])
    Traceback (most recent call last):
    facula_data.CollateTypeError: default_collate: expected a number or array in every sample; got NoneType in \
sample 1; make them alike in the dataset, or pass collate_fn
    """


class WorkerError(OperationError):
    """A worker process ended without having been asked to.

    The arguments are attributes, too.

    Arguments:
        worker: its number.
        pid: its process.
        unit: what it was to make: the indices of a batch, or one index; None of a stream's.
        exitcode: as in multiprocessing: negative for a signal, None where it is not known.
        hint: the end of the message: what to change.
        position: which of the samples of `unit` it was reading, counted from 0; None where that is not known.
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
            f"{_doing(self.unit, self.position)}{self.hint}"
        )


class WorkerTimeoutError(OperationError, TimeoutError):
    """A worker process gave no batch within `timeout` seconds.

    The arguments are attributes, too.

    Arguments:
        worker: its number.
        pid: its process; None of a thread.
        unit: what it was to make: the indices of a batch, or one index; None of a stream's.
        timeout: in seconds.
        stacks: where its threads were; empty where it could not say.
        position: which of the samples of `unit` it was reading, counted from 0; None where that is not known.
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
            f"DataLoader: worker {self.worker} ({what}) gave no batch of {_shown(self.unit)} within "
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
    """The index at a position of a unit; None where it is not known, or the unit is one index."""
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
