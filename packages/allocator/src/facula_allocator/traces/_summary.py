"""Summaries of traces: the peak, its holders, and the steps."""

from __future__ import annotations

from typing import NamedTuple

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._errors import format_bytes
from .._reports.call_sites import UNKNOWN, Holder, group_by_name, printable
from ._events import Allocate, Free, Mark, Trace, beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ROWS = 10  # lines of the program, and steps, in the text
BEFORE_FIRST_MARK = "(before the first mark)"


class StepSummary(NamedTuple):
    """The events from one mark to the next; bytes are the requested bytes of live blocks."""

    name: str
    events: int
    allocations: int
    peak_bytes: int
    end_bytes: int


class TraceSummary(NamedTuple):
    """The figures of a trace, in requested bytes; `str()` formats them as a table.

    `peak_event` is the index in `Trace.events` of the event that reached the peak. `at_peak` and `at_end` list the
    holders of memory at those points, by allocating line.
    """

    events: int
    allocations: int
    frees: int
    streams: int
    total_bytes: int
    peak_bytes: int
    peak_event: int
    peak_step: str
    peak_blocks: int
    end_bytes: int
    end_blocks: int
    capacity: int | None
    at_peak: list[Holder]
    at_end: list[Holder]
    steps: list[StepSummary]

    def __str__(self) -> str:
        of = "" if self.capacity is None else f" of {format_bytes(self.capacity)}"
        lines = [
            f"trace of {self.events} events",
            f"  allocations  {self.allocations:>9}  of {format_bytes(self.total_bytes)} together",
            f"  frees        {self.frees:>9}",
            f"  streams      {self.streams:>9}",
            f"  peak         {format_bytes(self.peak_bytes):>9}{of}, in {self.peak_blocks} blocks, at event "
            f"{self.peak_event}, {printable(self.peak_step)}",
            f"  at the end   {format_bytes(self.end_bytes):>9}, in {self.end_blocks} blocks",
        ]
        for title, holders in (("at the peak", self.at_peak), ("at the end", self.at_end)):
            if holders:
                lines.append(f"live bytes {title} by allocating line")
            for holder in holders[:MAX_ROWS]:
                lines.append(f"  {format_bytes(holder.nbytes):>9}  {holder.name}  ({holder.blocks})")
            if holders[MAX_ROWS:]:
                rest = holders[MAX_ROWS:]
                lines.append(f"  {format_bytes(sum(holder.nbytes for holder in rest)):>9}  {len(rest)} others")
        marked = [step for step in self.steps if step.name != BEFORE_FIRST_MARK]
        if marked:
            lines.append("steps        events  allocations       peak    at the end")
        shown = marked if len(marked) <= MAX_ROWS else [*marked[: MAX_ROWS // 2], None, *marked[-MAX_ROWS // 2 :]]
        for step in shown:
            if step is None:
                lines.append(f"  … {len(marked) - MAX_ROWS} more")
                continue
            lines.append(
                f"  {printable(step.name):<10}{step.events:>7}{step.allocations:>13}{format_bytes(step.peak_bytes):>11}"
                f"{format_bytes(step.end_bytes):>14}"
            )
        return "\n".join(lines)


@boundary
def summarize(trace: Trace) -> TraceSummary:
    """Summarize a trace: counts, the peak of live bytes with its holders, and each step from mark to mark.

    >>> from facula_allocator.traces import CallSite
    >>> trace = Trace(64, None, {}, [CallSite("train.py", 4, "step")], [Allocate(0, 100, 0, 0), Free(0)])
    >>> found = summarize(trace)
    >>> found.peak_bytes, found.end_bytes, found.at_peak
    (100, 0, [Holder(name='train.py:4 step', nbytes=100, blocks=1, largest=100)])
    """
    if not isinstance(trace, Trace):
        raise InvalidTypeError(f"summarize: expected a Trace, as read_trace gives it; got {type(trace).__name__}")
    live: dict[int, Allocate] = {}
    now = peak = peak_event = total = allocations = frees = 0
    peak_step = step = BEFORE_FIRST_MARK
    peak_live: list[Allocate] = []
    streams: set[int] = set()
    steps: list[StepSummary] = []
    begin = beginning(trace.events)
    first, before, high = 0, 0, 0  # of this step: its first event, the allocations before it, its peak
    for number, event in enumerate(trace.events):
        if isinstance(event, Allocate):
            live[event.id] = event
            now += event.nbytes
            total += event.nbytes
            allocations += 1
            streams.add(event.stream)
            high = max(high, now)
            if now > peak:
                peak, peak_event, peak_step = now, number, step
        elif isinstance(event, Free):
            now -= live.pop(event.id).nbytes
            frees += 1
        elif isinstance(event, Mark):
            if number > first or steps:
                steps.append(StepSummary(step, number - first, allocations - before, high, now))
            step, first, before, high = event.name, number, allocations, now
            if number == begin:
                peak, peak_event, peak_step = now, number, step
    steps.append(StepSummary(step, len(trace.events) - first, allocations - before, high, now))
    peak_live = live_at(trace, peak_event) if peak else []
    return TraceSummary(
        events=len(trace.events),
        allocations=allocations,
        frees=frees,
        streams=len(streams),
        total_bytes=total,
        peak_bytes=peak,
        peak_event=peak_event,
        peak_step=peak_step,
        peak_blocks=len(peak_live),
        end_bytes=now,
        end_blocks=len(live),
        capacity=trace.capacity,
        at_peak=holders_of(trace, peak_live),
        at_end=holders_of(trace, live.values()),
        steps=steps,
    )


def live_at(trace: Trace, number: int) -> list[Allocate]:
    """Return the blocks that are live after an event."""
    live: dict[int, Allocate] = {}
    for event in trace.events[: number + 1]:
        if isinstance(event, Allocate):
            live[event.id] = event
        elif isinstance(event, Free):
            del live[event.id]
    return list(live.values())


def site_name(trace: Trace, site: int | None) -> str:
    return str(UNKNOWN if site is None else trace.sites[site])


def holders_of(trace: Trace, blocks: Iterable[Allocate]) -> list[Holder]:
    return group_by_name((site_name(trace, block.site), block.nbytes) for block in blocks)
