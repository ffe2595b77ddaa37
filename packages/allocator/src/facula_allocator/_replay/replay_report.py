"""What a replay found: peaks, what the device was asked, where memory ran out."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from .._errors import format_bytes
from .._reports.call_sites import CallSite, printable

if TYPE_CHECKING:
    from .._reports.snapshot_types import Snapshot


class Curve:
    """Points (event, allocated, reserved), in order."""

    __slots__ = ("allocated", "event", "reserved")

    def __init__(self) -> None:
        self.event, self.allocated, self.reserved = array("q"), array("q"), array("q")

    def add(self, event: int, allocated: int, reserved: int) -> None:
        """Add a point."""
        self.event.append(event)
        self.allocated.append(allocated)
        self.reserved.append(reserved)


class Shortfall(NamedTuple):
    """A request that was out of memory: its event, where the program was, and the bytes held then."""

    event: int
    step: str
    site: CallSite
    nbytes: int
    stream: int
    allocated: int
    reserved: int

    def __str__(self) -> str:
        return (
            f"out of memory at event {self.event}, {printable(self.step)}: {format_bytes(self.nbytes)} requested on "
            f"stream {self.stream} at {self.site}; {format_bytes(self.allocated)} were in use, "
            f"{format_bytes(self.reserved)} reserved"
        )


class ReplayReport(NamedTuple):
    """What a replay found, in bytes; `str()` makes a table of it.

    Arguments:
        events: how many of the trace's were played: all, unless a block could not be had that the recorded run had.
        capacity: the bytes of the device.
        options: the allocator's, with its limit.
        peak_reserved: the most that was taken from the device.
        peak_allocated: the most in blocks in use, with their rounding.
        peak_requested: the most in blocks in use, as they were asked for.
        fragmentation: the part of the reserved bytes, when they first reached their peak, that no block in use held.
        driver_calls: how often the device was asked, by the call's name.
        calls_by_step: how often it was asked from one mark to the next: (mark, calls).
        retries, syncs: how often memory was short, and how often all streams were waited for.
        shortfall: the first request that was out of memory, or None; `shortfalls` counts them.
        stats: `memory_stats()` at the end.
        snapshot: `memory_snapshot()` at the end.
        curve: the allocated and reserved bytes after each event that changes them: (event, allocated, reserved).
        inexact: what of the memory that was held when the recording began is not as it was; empty where all is.
    """

    events: int
    capacity: int
    options: dict[str, object]
    peak_reserved: int
    peak_allocated: int
    peak_requested: int
    fragmentation: float
    driver_calls: dict[str, int]
    calls_by_step: list[tuple[str, int]]
    retries: int
    syncs: int
    shortfall: Shortfall | None
    shortfalls: int
    stats: dict[str, int]
    snapshot: Snapshot
    curve: Curve
    inexact: str = ""

    def as_dict(self) -> dict[str, object]:
        """The figures, as JSON can have them: all but the snapshot and the curve."""
        found = self._asdict()
        del found["snapshot"], found["curve"]
        if self.shortfall is not None:
            found["shortfall"] = {**self.shortfall._asdict(), "site": str(self.shortfall.site)}
        return found

    def __str__(self) -> str:
        calls, stats = self.driver_calls, self.stats
        lines = [
            f"replay of {self.events} events on {format_bytes(self.capacity)}",
            f"  peak reserved   {format_bytes(self.peak_reserved):>9}  "
            f"{self.fragmentation:.1%} of it in no block in use",
            f"  peak allocated  {format_bytes(self.peak_allocated):>9}",
            f"  peak requested  {format_bytes(self.peak_requested):>9}",
            f"  at the end      {format_bytes(stats['allocated_bytes.all.current']):>9}  in use, "
            f"{format_bytes(stats['reserved_bytes.all.current'])} reserved",
            f"  segments        {stats['num_device_alloc']:>9}  taken, {stats['num_device_free']} given back; "
            f"{self.retries} retries, {self.syncs} waits for all streams",
            f"  device events   {calls.get('record_event', 0):>9}  recorded, {calls.get('event_done', 0)} questions, "
            f"{calls.get('wait_event', 0)} waits of streams",
        ]
        if calls.get("map"):
            lines.append(f"  pages           {calls['map']:>9}  times mapped, {calls.get('unmap', 0)} unmapped")
        if self.shortfall is not None:
            lines.append(f"  {self.shortfall}")
        if self.inexact:
            lines.append(f"  recorded from the middle of a run: {printable(self.inexact)}")
        if self.shortfalls > 1:
            lines.append(f"  and {self.shortfalls - 1} requests more were refused")
        return "\n".join(lines)

    def __repr__(self) -> str:
        short = "" if self.shortfall is None else f", out of memory at event {self.shortfall.event}"
        return f"<ReplayReport, {self.events} events, peak reserved {format_bytes(self.peak_reserved)}{short}>"
