"""Timing of a row: two loops in one process, in alternation, and the median of the rounds' ratios."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable
from itertools import repeat
from types import FunctionType
from typing import NamedTuple

# Runs its body once for each item: it contains the loop itself, so that no call is timed with the operator. Returns
# None, or the elapsed microseconds if only a part of the call counts.
Loop = Callable[[Iterable], float | None]
Clock = Callable[[], float]  # seconds


class Row(NamedTuple):
    """Two loops to compare, and the target for their ratio.

    `ours` and `theirs` make the loops and their inputs, untimed. `target` is the largest ratio of `ours` to `theirs`
    that is good enough, None for a row that only informs. `per` is the number of operators in one turn of the loop,
    `count` the turns of a round (default: as many as take `seconds`), `rounds` the number of rounds. `check` raises
    if the two compute different results. `yardstick` makes a third loop: `target` is then the largest ratio of `ours`
    to it.
    """

    name: str
    ours: Callable[[], Loop]
    theirs: Callable[[], Loop]
    target: float | None = None
    reference: str = "PyTorch"
    per: int = 1
    count: int | None = None
    rounds: int = 15
    seconds: float = 0.02
    check: Callable[[], None] | None = None
    yardstick: Callable[[], Loop] | None = None


class Result(NamedTuple):
    """The figures of a row, in microseconds an operator; the ratio is the median of the rounds' ratios."""

    name: str
    reference: str
    target: float | None
    rounds: int
    ours: float
    ours_least: float
    ours_most: float
    theirs: float
    theirs_least: float
    theirs_most: float
    ratio: float
    ratio_least: float
    ratio_most: float
    units: float | None = None  # ours / yardstick

    @property
    def hit(self) -> bool | None:
        """Whether the target was reached; None without a target."""
        return None if self.target is None else (self.units or self.ratio) <= self.target


# "wall" is the time that users wait, and is published. "cpu" counts only the time in which this thread had a core: use
# it while other programs keep the cores busy. It excludes waiting, so rows that time themselves always use wall.
CLOCKS = {"wall": time.perf_counter, "cpu": time.thread_time}


def compare(row: Row, effort: float = 1.0, clock: str = "wall") -> Result:
    """Time both loops of a row in interleaved rounds. `effort` scales rounds and seconds; 1 is what is published.

    >>> result = compare(Row("nothing", lambda: list, lambda: list, seconds=0.001))
    >>> result.rounds, result.ratio_least <= result.ratio <= result.ratio_most
    (15, True)
    """
    if row.check is not None:
        row.check()
    loops = [own_code(make()) for make in (row.ours, row.theirs, row.yardstick) if make]
    # Fewer but complete rounds: a fixed count is part of the row's definition (shapes that never repeat).
    rounds = max(3, round(row.rounds * min(1.0, effort)))
    now, counts = CLOCKS[clock], []
    for loop in loops:
        if row.count is not None:
            loop(repeat(None, max(1, row.count // 10)))
            counts.append(row.count)
        else:
            counts.append(enough(loop, row.seconds * effort, now))
    gc.collect()  # garbage of earlier rows is not charged to this one; the collector itself stays on
    columns: list[list[float]] = [[] for _ in loops]
    for number in range(rounds):
        # The order alternates, so that none always finds the same other's data in the cache.
        order = [*zip(loops, counts, columns, strict=True)]
        for loop, count, times in order if number % 2 else order[::-1]:
            times.append(timed(loop, count, now) / row.per)
    ratios = [a / b for a, b in zip(*columns[:2], strict=True)]
    summary = [
        figure for times in (*columns[:2], ratios) for figure in (statistics.median(times), min(times), max(times))
    ]
    units = [a / b for a, b in zip(columns[0], columns[2], strict=True)] if row.yardstick else None
    return Result(row.name, row.reference, row.target, rounds, *summary, units and statistics.median(units))


def timed(loop: Loop, count: int, now: Clock) -> float:
    """Return microseconds a turn, over `count` turns."""
    turns = repeat(None, count)
    start = now()
    own = loop(turns)
    spent = (now() - start) * 1e6
    return (own if type(own) is float else spent) / count


def enough(loop: Loop, seconds: float, now: Clock) -> int:
    """Return the number of turns that take this long, and leave the loop warm."""
    for _ in range(3):
        timed(loop, 1, now)  # the first turns make plans and allocate memory
    count, share = 1, seconds * 1e6 / 4
    while True:
        each = timed(loop, count, now)
        if each * count >= share:
            each = min(each, timed(loop, count, now))  # another program may have had the core
            if each * count >= share:
                return max(1, round(seconds * 1e6 / each))
        count = max(2 * count, min(100 * count, round(share / max(each, 1e-3))))


def own_code(loop: Loop) -> Loop:
    """Return the loop with a separate code object.

    Python keeps what it learned of operand types in the code object. Both libraries often run the same lines, and
    would invalidate each other's specialized instructions if they shared them.
    """
    if not isinstance(loop, FunctionType):
        return loop
    copy = FunctionType(loop.__code__.replace(), loop.__globals__, loop.__name__, loop.__defaults__, loop.__closure__)
    copy.__kwdefaults__ = loop.__kwdefaults__
    return copy
