"""Which kind of workers a loader has, where it is to find that out by itself.

The first batches of a loader are made in this process, the next ones by threads and by processes, each kind for some
batches; then by the kind with which a batch took the least time. Every kind makes the same batches in the same order,
so a program sees no difference but the speed. Threads are tried only with a dataset that says that it bears them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

from facula_errors import FaculaError
from facula_errors.extend import warn

from ._passes import Batch_co, Progress

if TYPE_CHECKING:
    from ._meter import Meter
    from ._types import Source

Unit = TypeVar("Unit")

INLINE = "inline"
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
        program, waited = median(between), sum(waits) / len(waits)
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
    """The next `count` units of what is to be made; all that are left for None. `ended` once there are no more."""

    __slots__ = ("_left", "_units", "ended")

    def __init__(self, units: Iterator[Unit]) -> None:
        self._units, self._left = units, 0
        self.ended = False

    def more(self, count: int | None) -> None:
        """Let there be so many units more."""
        self._left = -1 if count is None else count

    def __iter__(self) -> Portion[Unit]:
        return self

    def __next__(self) -> Unit:
        if not self._left:
            raise StopIteration
        self._left -= 1
        try:
            return next(self._units)
        except StopIteration:
            self.ended = True
            raise


class PartialProgress(Progress):
    """The progress of an epoch that several passes share: it ends with the units, not with a pass."""

    __slots__ = ("portion",)

    portion: Portion

    def finish(self) -> None:
        """Go on to the next epoch, where the units have ended."""
        if self.portion.ended:
            super().finish()


class AutomaticPass(Generic[Batch_co]):
    """An iterator over the batches of one epoch, made by one kind of workers after the other until one is chosen.

    Arguments:
        portion: the units.
        begin: gives a pass over `portion` by a kind of workers; ends all workers for None.
        choice: what was found so far.
        batches: how many an epoch has, to spread the time of starting workers; 0 where they stay.
        meter: that is told what this process made, or None.
    """

    __slots__ = ("_batches", "_begin", "_between", "_choice", "_left_at", "_meter", "_pass", "_portion", "_waits")

    def __init__(
        self,
        portion: Portion[Unit],
        begin: Callable[[str | None], Iterator[Batch_co]],
        choice: Choice,
        batches: int,
        meter: Meter | None,
    ) -> None:
        self._portion, self._begin, self._choice, self._batches, self._meter = portion, begin, choice, batches, meter
        self._pass: Iterator[Batch_co] | None = None
        self._waits: list[float] = []
        self._between: list[float] = []
        self._left_at: float | None = None

    def __iter__(self) -> AutomaticPass[Batch_co]:
        return self

    def __next__(self) -> Batch_co:
        begun = perf_counter()
        while True:
            if self._pass is None:
                self._pass = self._next_pass()
                self._left_at = None
            kind = self._choice.kind
            try:
                batch = next(self._pass)
            except StopIteration:
                if self._portion.ended:
                    self._begin(None)
                    raise
                self._judge()
                self._pass = None
                continue
            now = perf_counter()
            if self._left_at is not None:
                self._between.append(begun - self._left_at)
            self._waits.append(now - begun)
            self._left_at = now
            if self._meter is not None and kind == INLINE:
                self._meter.worker(0, now - begun, 0.0)
            return batch

    def _next_pass(self) -> Iterator[Batch_co]:
        self._waits, self._between = [], []
        while True:
            kind = self._choice.kind
            self._portion.more(None if self._choice.chosen else TRIED + 1)
            try:
                return self._begin(kind)
            except (FaculaError, OSError) as error:
                if self._choice.chosen:
                    raise
                warn(f'DataLoader: worker_method="auto" leaves out {kind} workers, as they could not begin: {error}')
                self._choice.failed()

    def _judge(self) -> None:
        first, *waits = self._waits
        start = first / self._batches if self._batches and self._choice.kind != INLINE else 0.0
        self._choice.measured(waits or [first], self._between or [0.0], start)


def bears_threads(dataset: Source) -> bool:
    """Whether several threads may read a dataset at once: it has an attribute `thread_safe` that is true."""
    return getattr(dataset, "thread_safe", False) is True
