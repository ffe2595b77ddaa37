"""Automatic choice of a loader's kind of workers, by measurement.

The loader makes its first batches in this process, and the next ones with threads and with processes, each for some
batches. The remaining batches use the kind with the least time per batch. Every kind makes the same batches in the same
order, so only the speed differs. Threads are tried only with a dataset that declares itself thread-safe.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from facula_errors import FaculaError
from facula_errors.extend import warn

from .._quick_methods import is_thread_safe
from .._workers.worker_errors import WorkerError
from .crew import INLINE, PROCESS, THREAD

if TYPE_CHECKING:
    from .._batches.passes import BatchSource
    from .._meter.meter import Meter
    from .._types import Batch, Source

Unit = TypeVar("Unit")

MEASURED_BATCHES = 8  # batches measured with each kind, after the first one
NEGLIGIBLE_WAIT = 0.05  # fraction of the time: a program that waits for less needs no workers
REQUIRED_GAIN = 0.9  # a kind must need less than this fraction of a simpler kind's time to be preferred


class Choice:
    """The measurements of each kind of workers, simplest first, and the chosen kind.

    Arguments:
        kinds: the kinds to try, "inline" first.
    """

    __slots__ = ("_untried", "chosen", "seconds")

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self._untried = list(kinds)
        self.seconds: dict[str, float] = {}
        self.chosen: str | None = None
        self._settle()

    @property
    def kind(self) -> str:
        """The chosen kind, or the kind that is being measured."""
        return self.chosen or self._untried[0]

    def measured(self, waits: list[float], between: list[float], start: float) -> None:
        """Record the measurements of the current kind.

        Arguments:
            waits: seconds that the program waited for each batch.
            between: seconds that the program spent between two batches.
            start: seconds of the wait for the first batch, spread over an epoch; 0 for persistent workers.
        """
        program, waited = float(np.median(between)), sum(waits) / len(waits)
        kind = self._untried.pop(0)
        self.seconds[kind] = program + waited + start
        if kind == INLINE and waited <= NEGLIGIBLE_WAIT * program:
            self._untried.clear()
        self._settle()

    def failed(self) -> None:
        """Exclude the current kind."""
        self._untried.pop(0)
        self._settle()

    def _settle(self) -> None:
        if self._untried == [INLINE]:
            self.chosen = INLINE
        if self._untried or self.chosen:
            return
        self.chosen, least = next(iter(self.seconds.items()))
        for kind, seconds in self.seconds.items():
            if seconds < REQUIRED_GAIN * least:
                self.chosen, least = kind, seconds

    def __repr__(self) -> str:
        shown = ", ".join(f"{kind} {seconds * 1e3:.3g} ms a batch" for kind, seconds in self.seconds.items())
        return f"<{self.chosen or 'not chosen yet'}{': ' * bool(shown)}{shown}>"


class Portion(Generic[Unit]):
    """An iterator over a limited portion of the remaining units. `ended` is true when no units remain."""

    __slots__ = ("_allowed", "_open", "_units", "ended")

    def __init__(self, units: Iterator[Unit]) -> None:
        self._units: Iterator[Unit] = units
        self._allowed = 0
        self._open: deque[Unit] = deque()
        self.ended = False

    def more(self, count: int | None) -> None:
        """Extend the portion by `count` units; None means all remaining ones."""
        self._allowed = -1 if count is None else count

    def made(self) -> None:
        """Mark the oldest open unit as done: it has a batch or an error."""
        self._open.popleft()

    def take_back(self) -> None:
        """Return all open units to the front of the remaining ones."""
        self._units, self._open, self.ended = chain(self._open, self._units), deque(), False

    def __iter__(self) -> Portion[Unit]:
        return self

    def __next__(self) -> Unit:
        if not self._allowed:
            raise StopIteration
        self._allowed -= 1
        try:
            unit = next(self._units)
        except StopIteration:
            self.ended = True
            raise
        self._open.append(unit)
        return unit


class Automatic(Generic[Unit]):
    """The units of an epoch, made by one kind of workers after another until one is chosen.

    Arguments:
        units: the units of work, one for each batch.
        begin: returns a source of batches for a kind of workers and the units.
        choice: the measurements so far.
        batches: the number of batches of an epoch, to spread the workers' start-up time; 0 for persistent workers.
        meter: records the batches that this process makes, or None.
    """

    __slots__ = ("_batches", "_begin", "_between", "_choice", "_delivered", "_making", "_meter", "_portion",
                 "_requested", "_waits")  # fmt: skip

    def __init__(
        self,
        units: Iterator[Unit],
        begin: Callable[[str, Iterator[Unit]], BatchSource],
        choice: Choice,
        batches: int,
        meter: Meter | None,
    ) -> None:
        self._portion, self._begin, self._choice = Portion(units), begin, choice
        self._batches, self._meter = batches, meter
        self._making: BatchSource | None = None
        self._requested = self._delivered = 0.0  # times at which the last batch was requested and delivered
        self._waits: list[float] = []
        self._between: list[float] = []

    def __iter__(self) -> Automatic[Unit]:
        return self

    def __next__(self) -> Unit:
        self._requested = perf_counter()
        while True:
            if self._making is None:
                self._making = self._next_kind()
            try:
                return next(self._making.units)
            except StopIteration:
                if self._portion.ended:
                    raise
            self._record_measurements()
            self._making = None

    def size(self, unit: Unit) -> int:
        """Return the number of samples of the last unit."""
        return self._making.size(unit)  # type: ignore[union-attr]

    def make(self, unit: Unit) -> Batch:
        """Return the batch of the last unit."""
        try:
            batch = self._making.make(unit)  # type: ignore[union-attr]
        except WorkerError as error:
            if self._waits or self._choice.chosen or not error.hint:
                self._portion.made()
                raise
            self._leave_out(error)  # the workers could not start
            self._portion.take_back()
            self._making = self._next_kind()
            return self.make(next(self._making.units))
        except BaseException:
            self._portion.made()
            raise
        self._portion.made()
        now = perf_counter()
        waited = now - self._requested
        if self._choice.chosen is None:
            if self._delivered:
                self._between.append(self._requested - self._delivered)
            self._waits.append(waited)
            self._delivered = now
        if self._meter is not None and self._choice.kind == INLINE:
            self._meter.worker(0, waited, 0.0)
        return batch

    def _next_kind(self) -> BatchSource:
        self._waits, self._between, self._delivered = [], [], 0.0
        while True:
            kind = self._choice.kind
            self._portion.more(None if self._choice.chosen else MEASURED_BATCHES + 1)
            try:
                return self._begin(kind, self._portion)
            except (FaculaError, OSError) as error:
                if self._choice.chosen:
                    raise
                self._leave_out(error)

    def _leave_out(self, error: BaseException) -> None:
        kind = self._choice.kind
        warn(f'DataLoader: worker_method="auto" leaves out kind {kind!r}, because it could not start: {error}')
        self._choice.failed()

    def _record_measurements(self) -> None:
        """Record the measurements of the current kind; if batches failed, the kind is measured again."""
        if len(self._waits) > 1:
            first, *waits = self._waits
            start = first / self._batches if self._batches and self._choice.kind != INLINE else 0.0
            self._choice.measured(waits, self._between, start)


def choice_for(dataset: Source, method: str, seed_globals: bool) -> Choice:
    """Return a choice among the kinds that support the loader's arguments."""
    if method == INLINE:
        return Choice((INLINE,))
    return Choice((INLINE, THREAD, PROCESS) if is_thread_safe(dataset) and not seed_globals else (INLINE, PROCESS))
