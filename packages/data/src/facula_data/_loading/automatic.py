"""Which kind of workers a loader has, where it is to find that out by itself.

The first batches of a loader are made in this process, the next ones by threads and by processes, each kind for some
batches; then by the kind with which a batch took the least time. Every kind makes the same batches in the same order,
so a program sees no difference but the speed. Threads are tried only with a dataset that says that it bears them.
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

from .._quick_methods import bears_threads
from .._workers.worker_errors import WorkerError
from .crew import INLINE, PROCESS, THREAD

if TYPE_CHECKING:
    from .._batches.passes import Making
    from .._meter.meter import Meter
    from .._types import Batch, Source

Unit = TypeVar("Unit")

TRIED = 8  # batches of a kind that are measured, after the first one
LITTLE = 0.05  # of the time: a program that waits for less needs no workers
GAIN = 0.9  # of the time of what is simpler: what is quicker than that is preferred


class Choice:
    """What was measured of each kind of workers, simplest first, and which one is chosen.

    Arguments:
        kinds: those to try, "inline" first.
    """

    __slots__ = ("_left", "chosen", "seconds")

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self._left = list(kinds)
        self.seconds: dict[str, float] = {}
        self.chosen: str | None = None
        self._settle()

    @property
    def kind(self) -> str:
        """The one whose turn it is."""
        return self.chosen or self._left[0]

    def measured(self, waits: list[float], between: list[float], start: float) -> None:
        """Judge the kind whose turn it is.

        Arguments:
            waits: seconds that the program waited for each batch.
            between: seconds that it spent with each.
            start: seconds of the wait for the first batch, spread over an epoch; 0 where workers stay.
        """
        program, waited = float(np.median(between)), sum(waits) / len(waits)
        kind = self._left.pop(0)
        self.seconds[kind] = program + waited + start
        if kind == INLINE and waited <= LITTLE * program:
            self._left.clear()
        self._settle()

    def failed(self) -> None:
        """Leave out the kind whose turn it is."""
        self._left.pop(0)
        self._settle()

    def _settle(self) -> None:
        if self._left == [INLINE]:
            self.chosen = INLINE
        if self._left or self.chosen:
            return
        self.chosen, least = next(iter(self.seconds.items()))
        for kind, seconds in self.seconds.items():
            if seconds < GAIN * least:
                self.chosen, least = kind, seconds

    def __repr__(self) -> str:
        shown = ", ".join(f"{kind} {seconds * 1e3:.3g} ms a batch" for kind, seconds in self.seconds.items())
        return f"<{self.chosen or 'not chosen yet'}{': ' * bool(shown)}{shown}>"


class Portion(Generic[Unit]):
    """The next units of what is to be made, as many as `more` says. `ended` once there are no more."""

    __slots__ = ("_left", "_open", "_units", "ended")

    def __init__(self, units: Iterator[Unit]) -> None:
        self._units: Iterator[Unit] = units
        self._left = 0
        self._open: deque[Unit] = deque()
        self.ended = False

    def more(self, count: int | None) -> None:
        """Let there be so many units more; for None, all that are left."""
        self._left = -1 if count is None else count

    def made(self) -> None:
        """The first of the units that were given has its batch, or its error."""
        self._open.popleft()

    def take_back(self) -> None:
        """Give those that have none once more."""
        self._units, self._open, self.ended = chain(self._open, self._units), deque(), False

    def __iter__(self) -> Portion[Unit]:
        return self

    def __next__(self) -> Unit:
        if not self._left:
            raise StopIteration
        self._left -= 1
        try:
            unit = next(self._units)
        except StopIteration:
            self.ended = True
            raise
        self._open.append(unit)
        return unit


class Automatic(Generic[Unit]):
    """The units of an epoch, made by one kind of workers after the other until one is chosen.

    Arguments:
        units: what makes a batch each.
        begin: gives who makes batches of units, for a kind of workers.
        choice: what was found so far.
        batches: how many an epoch has, to spread the time of starting workers; 0 where they stay.
        meter: that is told what this process made, or None.
    """

    __slots__ = ("_asked", "_batches", "_begin", "_between", "_choice", "_left", "_making", "_meter", "_portion",
                 "_waits")  # fmt: skip

    def __init__(
        self,
        units: Iterator[Unit],
        begin: Callable[[str, Iterator[Unit]], Making],
        choice: Choice,
        batches: int,
        meter: Meter | None,
    ) -> None:
        self._portion, self._begin, self._choice = Portion(units), begin, choice
        self._batches, self._meter = batches, meter
        self._making: Making | None = None
        self._asked = self._left = 0.0  # when the last batch was asked for, and delivered
        self._waits: list[float] = []
        self._between: list[float] = []

    def __iter__(self) -> Automatic[Unit]:
        return self

    def __next__(self) -> Unit:
        self._asked = perf_counter()
        while True:
            if self._making is None:
                self._making = self._next_kind()
            try:
                return next(self._making.units)
            except StopIteration:
                if self._portion.ended:
                    raise
            self._judge()
            self._making = None

    def size(self, unit: Unit) -> int:
        """The samples of a unit that was given last."""
        return self._making.size(unit)  # type: ignore[union-attr]

    def make(self, unit: Unit) -> Batch:
        """The batch of a unit that was given last."""
        try:
            batch = self._making.make(unit)  # type: ignore[union-attr]
        except WorkerError as error:
            if self._waits or self._choice.chosen or not error.hint:
                self._portion.made()
                raise
            self._leave_out(error)  # whose workers could not begin
            self._portion.take_back()
            self._making = self._next_kind()
            return self.make(next(self._making.units))
        except BaseException:
            self._portion.made()
            raise
        self._portion.made()
        now = perf_counter()
        waited = now - self._asked
        if self._choice.chosen is None:
            if self._left:
                self._between.append(self._asked - self._left)
            self._waits.append(waited)
            self._left = now
        if self._meter is not None and self._choice.kind == INLINE:
            self._meter.worker(0, waited, 0.0)
        return batch

    def _next_kind(self) -> Making:
        self._waits, self._between, self._left = [], [], 0.0
        while True:
            kind = self._choice.kind
            self._portion.more(None if self._choice.chosen else TRIED + 1)
            try:
                return self._begin(kind, self._portion)
            except (FaculaError, OSError) as error:
                if self._choice.chosen:
                    raise
                self._leave_out(error)

    def _leave_out(self, error: BaseException) -> None:
        kind = self._choice.kind
        warn(f'DataLoader: worker_method="auto" leaves out kind {kind!r}, as it could not begin: {error}')
        self._choice.failed()

    def _judge(self) -> None:
        """What was measured of a kind; where batches failed, it is tried again."""
        if len(self._waits) > 1:
            first, *waits = self._waits
            start = first / self._batches if self._batches and self._choice.kind != INLINE else 0.0
            self._choice.measured(waits, self._between, start)


def choice_for(dataset: Source, method: str, seed_globals: bool) -> Choice:
    """The choice among the kinds that go with a loader's arguments."""
    if method == INLINE:
        return Choice((INLINE,))
    return Choice((INLINE, THREAD, PROCESS) if bears_threads(dataset) and not seed_globals else (INLINE, PROCESS))
