"""The report of a replay: peaks, driver calls, and requests that ran out of memory."""

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
    """A request that ran out of memory: its event, the program's last mark, and the bytes held then."""

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
    """The results of a replay, in bytes; `str()` formats them as a table.

    Arguments:
        events: the number of events played: all, unless a request failed that succeeded in the recorded run.
        capacity: the bytes of the device.
        options: the allocator's options, including its limit.
        peak_reserved: the most bytes taken from the device.
        peak_allocated: the most bytes in blocks in use, after rounding.
        peak_requested: the most requested bytes of blocks in use.
        fragmentation: the fraction of the reserved bytes in no block in use, when they first reached their peak.
        driver_calls: the number of driver calls, by name.
        calls_by_step: the number of driver calls from one mark to the next: (mark, calls).
        retries, syncs: the number of times that memory was short, and that the allocator waited for all streams.
        shortfall: the first request that ran out of memory, or None; `shortfalls` counts them.
        stats: `memory_stats()` at the end.
        snapshot: `memory_snapshot()` at the end.
        curve: the allocated and reserved bytes after each event that changes them: (event, allocated, reserved).
        inexact: how the initial state differs from the memory held when the recording began; empty if it does not.
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
        """Return the figures as JSON types, without the snapshot and the curve."""
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
