"""`compare`: the differences between two traces, by operator and by module."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .._trace.trace import Trace, check_trace
from .summary import Summary
from .units import percent, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .peaks import Peaks
    from .tables import Row

ORDERS = ("change", "calls", "time")
SHOWN_ROWS = 20


class Difference(NamedTuple):
    """One operator or module in two traces. Times are in nanoseconds, and exclude enclosed events.

    Arguments:
        name: the operator or module.
        calls_before: its calls in the first trace.
        calls_after: its calls in the second trace.
        before: its time in the first trace.
        after: its time in the second trace.
    """

    name: str
    calls_before: int
    calls_after: int
    before: int
    after: int

    @property
    def change(self) -> int:
        """Nanoseconds by which the second trace takes longer."""
        return self.after - self.before


@boundary
class Comparison:
    """The differences between two traces; made by `compare`. `str()` returns tables."""

    def __init__(self, before: Summary, after: Summary, sort_by: str):
        self.before, self.after, self.sort_by = before, after, sort_by

    @cached_property
    def operators(self) -> list[Difference]:
        """The differences by operator, sorted."""
        return _differences(self.before.operators(), self.after.operators(), self.sort_by)

    @cached_property
    def modules(self) -> list[Difference]:
        """The differences by module, sorted."""
        return _differences(self.before.modules(), self.after.modules(), self.sort_by)

    def __str__(self) -> str:
        one, other = self.before.shares, self.after.shares
        lines = [f"time        {_change(one.examined, other.examined)}"]
        if one.steps and other.steps:
            lines.append(f"per step    {_change(one.examined / one.steps, other.examined / other.steps)}")
        lines.append(f"bottleneck  {one.bottleneck} -> {other.bottleneck}")
        for part in one.parts:
            if one.parts[part] or other.parts[part]:
                lines.append(f"  {part:<12}{_change(one.parts[part], other.parts[part])}")
        for what, rows in (("operator", self.operators), ("module", self.modules)):
            if rows and not (what == "module" and len(rows) == 1):
                lines += ["", *_table(what, rows)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Comparison: {_change(self.before.shares.examined, self.after.shares.examined)}>"


@boundary
def compare(
    before: Trace, after: Trace, sort_by: str = "change", peaks: Peaks | tuple[float, float] | None = None
) -> Comparison:
    """Compare two traces by operator and by module.

    Arguments:
        before: the first trace.
        after: the second trace.
        sort_by: "change" sorts by the size of the change in time, "calls" by that in calls, "time" by the time.
        peaks: as for `Summary`.

    Raises:
        TypeError: an argument is not a trace.
        ValueError: an unknown order.

    >>> import numpy as np
    >>> events = np.zeros(1, EVENT)
    >>> events[["parent", "stack", "signature", "seq", "link"]] = -1
    >>> events["kind"], events["end"] = Kind.LAUNCH, 800
    >>> before = Trace(events, np.zeros(0, MEMORY), ["exp"], [Lane("python", "main")])
    >>> events = events.copy()
    >>> events["end"] = 600
    >>> after = Trace(events, np.zeros(0, MEMORY), ["exp"], [Lane("python", "main")])
    >>> compare(before, after, peaks=(1e11, 1e10)).operators
    [Difference(name='exp', calls_before=1, calls_after=1, before=800, after=600)]
    """
    for name, trace in (("before", before), ("after", after)):
        check_trace("compare", trace, name)
    if sort_by not in ORDERS:
        raise InvalidValueError(f"compare: expected sort_by in {ORDERS}; got {sort_by!r:.60}")
    one = Summary(before, peaks)
    return Comparison(one, Summary(after, one.peaks), sort_by)


def _differences(before: Sequence[Row], after: Sequence[Row], sort_by: str) -> list[Difference]:
    totals: dict[str, list[int]] = {}
    for place, rows in enumerate((before, after)):
        for row in rows:
            found = totals.setdefault(row.name, [0, 0, 0, 0])
            found[place] += row.calls
            found[2 + place] += row.busy
    differences = [Difference(name, *figures) for name, figures in totals.items()]

    def key(row: Difference) -> tuple[int, int, int, str]:
        change = -abs(row.change)
        first = {
            "change": change, "calls": -abs(row.calls_after - row.calls_before), "time": -max(row.before, row.after),
        }[sort_by]  # fmt: skip
        return first, change, -max(row.before, row.after), row.name

    return sorted(differences, key=key)


def _table(what: str, rows: Sequence[Difference]) -> list[str]:
    cells = [(what, "calls", "", "before", "after", "change")]
    for row in rows[:SHOWN_ROWS]:
        calls = "" if row.calls_after == row.calls_before else f"-> {row.calls_after:,}"
        relative = f" ({_signed_percent(row.before, row.after)})" if row.before and row.after else ""
        sign = "+" if row.change > 0 else ""
        cells.append((
            row.name, f"{row.calls_before:,}", calls, seconds(row.before), seconds(row.after),
            f"{sign}{seconds(row.change)}{relative}",
        ))  # fmt: skip
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
    lines = [
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}} {row[2]:<{widths[2]}}  {row[3]:>{widths[3]}}  "
        f"{row[4]:>{widths[4]}}  {row[5]:>{widths[5]}}".rstrip()
        for row in cells
    ]
    rest = rows[SHOWN_ROWS:]
    if rest:
        lines.append(f"{len(rest)} others: {seconds(sum(row.before for row in rest))} -> "
                     f"{seconds(sum(row.after for row in rest))}")  # fmt: skip
    return lines


def _change(before: float, after: float) -> str:
    relative = f" ({_signed_percent(before, after)})" if before and after else ""
    return f"{seconds(before)} -> {seconds(after)}{relative}"


def _signed_percent(before: float, after: float) -> str:
    ratio = after / before - 1
    return ("+" if ratio > 0 else "-" if ratio < 0 else "") + percent(abs(ratio))
