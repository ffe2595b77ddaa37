"""The summary of a trace for the terminal: the bottleneck, its evidence, remedies, and the leading operators."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from facula_errors.extend import boundary, html_of

from .._trace.trace import Trace, check_trace
from .advice import evidence, remedies
from .columns import Columns
from .peaks import Peaks, checked_peaks
from .shares import Shares, shares_of
from .tables import Row, by_line, by_module, by_operator
from .units import amount, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

BAR = 30  # characters of the longest bar
SHOWN_ROWS = 10
VERDICTS = {
    "input": "the program waits for its data",
    "interpreter": "Python takes longer than the kernels",
    "memory": "kernels are limited by memory bandwidth",
    "arithmetic": "kernels are limited by arithmetic",
    "waiting": "the program waits for devices or other processes",
    "kernels": "kernels take the time; their operations and bytes were not recorded",
    "nothing": "the trace contains no events of the program",
}


@boundary
class Summary:
    """Where the time of a trace goes. `str()` returns a report of about 30 lines.

    Arguments:
        trace: the trace.
        peaks: the speed of the machine that ran the program: operations per second and bytes per second. None measures
            this machine (`measured_peaks`).

    Raises:
        ValueError: the peaks are not positive.

    >>> import numpy as np
    >>> from facula_profiler import EVENT, MEMORY, Kind, Lane, Peaks, Trace
    >>> events = np.zeros(1, EVENT)
    >>> events[["parent", "stack", "signature", "seq", "link"]] = -1
    >>> events["kind"], events["end"] = Kind.WAIT, 5_000_000
    >>> trace = Trace(events, np.zeros(0, MEMORY), ["wait"], [Lane("python", "main")])
    >>> found = Summary(trace, Peaks(100e9, 10e9))
    >>> found.bottleneck, found.share("input")
    ('input', 1.0)
    >>> found.remedies[0]
    'Load data in other processes while the program computes: DataLoader(..., num_workers=16).'
    """

    def __init__(self, trace: Trace, peaks: Peaks | tuple[float, float] | None = None):
        check_trace("Summary", trace)
        self.trace = trace
        self.peaks = checked_peaks("Summary", peaks)
        self.columns = Columns(trace)

    @cached_property
    def shares(self) -> Shares:
        """The nanoseconds of each part of the time."""
        return shares_of(self.columns, self.peaks)

    @property
    def bottleneck(self) -> str:
        """The part that takes most of the time.

        One of "input", "interpreter", "memory", "arithmetic", "waiting", "kernels" (with unknown operations and
        bytes), and "nothing" for an empty trace.
        """
        return self.shares.bottleneck

    def share(self, part: str) -> float:
        """Return the share of the time of a part, from 0 to 1."""
        return self.shares.share(part)

    @cached_property
    def evidence(self) -> list[str]:
        """Sentences with the figures that explain the bottleneck."""
        return evidence(self.bottleneck, self.columns, self.shares, self.operators(), self.peaks)

    @cached_property
    def remedies(self) -> list[str]:
        """Changes that would help, the most effective first."""
        return remedies(self.columns, self.shares, self.operators(), self.peaks)

    def operators(self, shapes: bool = False) -> list[Row]:
        """Return totals by operator, or by operator and input shapes; the longest first."""
        return by_operator(self.columns, self.peaks, shapes=True) if shapes else self._by_operator

    @cached_property
    def _by_operator(self) -> list[Row]:
        return by_operator(self.columns, self.peaks)

    def modules(self) -> list[Row]:
        """Return totals by module; the longest first."""
        return by_module(self.columns, self.peaks)

    def lines(self) -> list[Row]:
        """Return totals by line of the program; the longest first. Empty without recorded stacks."""
        return by_line(self.columns, self.peaks)

    @property
    def verdict(self) -> str:
        """One sentence that names the bottleneck and its share."""
        share = f" ({percent(self.share(self.bottleneck))} of the time)" if self.shares.examined else ""
        return f"{self.bottleneck}: {VERDICTS[self.bottleneck]}{share}"

    def __str__(self) -> str:
        return "\n".join([*self._lines(), "", *table(self.operators())])

    def _repr_html_(self) -> str:
        cells = cells_of(self.operators())
        return html_of(self._lines(), cells[0] if cells else (), cells[1:])

    def _lines(self) -> list[str]:
        shares = self.shares
        over = f"{shares.steps} step{'s' * (shares.steps != 1)}" if shares.steps else "the whole trace"
        lines = [f"Bottleneck: {self.verdict}", f"{seconds(shares.examined)} in {over}", ""]
        widest = max(shares.parts.values())
        for part, spent in shares.parts.items():
            if spent or part != "kernels":
                bar = "#" * round(BAR * spent / widest) if widest else ""
                lines.append(f"  {part:<12}{percent(shares.share(part)):>5}  {seconds(spent):>8}  {bar}".rstrip())
        for title, sentences in (("Evidence", self.evidence), ("What would help", self.remedies)):
            if sentences:
                lines += ["", title, *(f"  * {sentence}" for sentence in sentences)]
        if self.trace.dropped:
            lines += ["", f"The buffer was full: the oldest {self.trace.dropped:,} events are missing."]
        return lines

    def __repr__(self) -> str:
        return f"<Summary: {self.verdict}>"


def table(rows: Sequence[Row], count: int = SHOWN_ROWS) -> list[str]:
    """Return the lines of a table of rows."""
    cells = cells_of(rows, count)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip()
        for row in cells
    ]


def cells_of(rows: Sequence[Row], count: int = SHOWN_ROWS) -> list[tuple[str, ...]]:
    """Return the titles and cells of a table of rows; empty without rows."""
    if not rows:
        return []
    cells: list[tuple[str, ...]] = [("operator", "calls", "self", "total", "FLOP/s", "B/s", "of roofline")]
    devices = any(row.device for row in rows)
    for row in rows[:count]:
        spent = max(row.busy, 1) / 1e9
        cells.append((
            row.name, f"{row.calls:,}", seconds(row.own), seconds(row.total),
            amount(row.flops / spent, "") if row.flops else "-", amount(row.nbytes / spent, "") if row.nbytes else "-",
            f"{percent(row.efficiency)} {row.bound}" if row.bound else "-", *([seconds(row.device)] if devices else []),
        ))  # fmt: skip
    if devices:
        cells[0] = (*cells[0], "device")
    if len(rows) > count:
        rest = rows[count:]
        figures: tuple[str, ...] = (f"{len(rest)} others", f"{sum(row.calls for row in rest):,}")
        figures += (seconds(sum(row.own for row in rest)), seconds(sum(row.total for row in rest)), "", "", "")
        cells.append((*figures, seconds(sum(row.device for row in rest))) if devices else figures)
    return cells
