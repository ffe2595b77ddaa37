"""Pages and tables of snapshots."""

from __future__ import annotations

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._errors import format_bytes
from .._reports.call_sites import UNKNOWN, site_of
from .._reports.page import AWAITED, FREE, IN_USE, Bar, Table, View, page
from .._reports.snapshot_types import ALLOCATED, WAITING
from .._reports.timeline import BEFORE_FIRST_EVENT, Change, Timeline, timeline_of
from ._advice import counted, percent
from ._check import checked_argument
from ._figures import SnapshotFigures, devices_of, figures_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._reports.snapshot_types import Snapshot, SnapshotBlock

DRAWN = {ALLOCATED: IN_USE, WAITING: AWAITED}
MAX_ROWS = 10  # lines in the table


@boundary
def render_html(snapshot: Mapping[str, object], title: str = "Memory snapshot") -> str:
    """Draw a snapshot as a page: the curve of live bytes, the segments and their blocks, and the holders.

    The page is one file that opens in any browser and needs no network.

    Returns:
        The HTML, to be written to a file in UTF-8.

    Raises:
        TypeError: `snapshot` is not a dict, or `title` is not a str.
        ValueError: a part of the snapshot is invalid.

    >>> render_html({"segments": [], "device_traces": []}).startswith("<!DOCTYPE html>")
    True
    """
    if not isinstance(title, str):
        raise InvalidTypeError(f"render_html: expected a title that is text; got {title!r:.60}")
    checked = checked_argument("render_html", snapshot)
    views = [view_of(checked, device) for device in devices_of(checked)]
    settings = ", ".join(f"{name}={value}" for name, value in checked["allocator_settings"].items())
    return page(title, f"Settings: {settings}" if settings else "A snapshot of an allocator", views)


def view_of(snapshot: Snapshot, device: int) -> View:
    """Return the part of the page for one device."""
    figures = figures_of(snapshot, device)
    totals = [
        ("in use", format_bytes(figures.allocated)),
        ("asked for", format_bytes(figures.requested)),
        ("reserved", format_bytes(figures.reserved)),
        ("free", format_bytes(figures.free)),
        ("largest free block", format_bytes(figures.largest_free)),
        ("fragmentation", percent(figures.free - figures.largest_free, figures.free)),
        ("segments", str(figures.segments)),
    ]
    timeline = timeline_of_device(snapshot, device)
    if timeline is not None:
        totals.insert(0, ("peak of the curve", format_bytes(timeline.peak)))
    bars = [
        Bar(
            address=segment["address"],
            size=segment["total_size"],
            stream=segment["stream"],
            kind=segment["segment_type"],
            pool="" if segment["segment_pool_id"] == (0, 0) else str(segment["segment_pool_id"]),
            blocks=[
                (block["size"], block["requested_size"], DRAWN.get(block["state"], FREE), _holder(block))
                for block in segment["blocks"]
            ],
        )
        for segment in sorted(snapshot["segments"], key=lambda row: (-row["total_size"], row["address"]))
        if segment["device"] == device
    ]
    tables = [Table("Who holds what now", figures.lines, figures.allocated)]
    return View(f"Device {device}", totals, timeline, bars, tables)


def _holder(block: SnapshotBlock) -> str:
    return str(site_of(block["frames"])) if block["frames"] else str(UNKNOWN)


def timeline_of_device(snapshot: Snapshot, device: int) -> Timeline | None:
    """Return the curve of the requested bytes of live blocks, from the events; None if there are no events.

    The events may begin in the middle of a run. A block that is freed without an allocation event existed at the start,
    and so did a block that is live at the end without one.
    """
    traces = snapshot["device_traces"]
    events = traces[device] if device < len(traces) else []
    if not events:
        return None
    live: dict[int, tuple[str, int]] = {}
    awaited: set[int] = set()  # freed addresses whose "free_completed" has not yet occurred
    start: dict[str, int] = {}
    ooms: list[tuple[int, int]] = []
    changes: list[Change] = []
    grown = 0
    for number, event in enumerate(events):
        action, size, at = event["action"], event.get("size", 0), event.get("addr", -1)
        holder, delta, reserved = BEFORE_FIRST_EVENT, 0, 0
        if action == "oom":
            ooms.append((number, size))
        elif action == "alloc":
            if at in live:  # its free was not recorded
                old, lost = live[at]
                changes.append(Change(number, old, -lost, 0, event.get("time_us")))
            holder, delta = str(site_of(event["frames"])), size
            live[at] = holder, size
        elif action in ("free", "free_requested") or (action == "free_completed" and at in live and at not in awaited):
            if at in live:
                holder, delta = live.pop(at)
            else:
                delta = size
                start[BEFORE_FIRST_EVENT] = start.get(BEFORE_FIRST_EVENT, 0) + size
            delta = -delta
            if action == "free_requested":
                awaited.add(at)
        elif action in ("segment_alloc", "segment_map"):
            reserved = size
        elif action in ("segment_free", "segment_unmap"):
            reserved = -size
        if action == "free_completed":
            awaited.discard(at)
        grown += reserved
        changes.append(Change(number, holder, delta, reserved, event.get("time_us")))
    total = 0
    for segment in snapshot["segments"]:
        if segment["device"] != device:
            continue
        total += segment["total_size"]
        for block in segment["blocks"]:
            if block["state"] == ALLOCATED and block["address"] not in live:
                holder = _holder(block)
                start[holder] = start.get(holder, 0) + block["requested_size"]
    return timeline_of(changes, start, reserved=max(total - grown, 0), ooms=ooms)


def summary_text(snapshot: Snapshot) -> str:
    """Return the figures of each device of a checked snapshot, for people."""
    lines = []
    for device in devices_of(snapshot):
        timeline = timeline_of_device(snapshot, device)
        lines += _device_text(figures_of(snapshot, device), timeline)
        if timeline is not None:
            for number, size in timeline.ooms:
                lines.append(f"out of memory at event {number}: {format_bytes(size)} requested")
    return "\n".join(lines)


def _device_text(figures: SnapshotFigures, timeline: Timeline | None) -> list[str]:
    share = percent(figures.free - figures.largest_free, figures.free)
    lines = [
        f"snapshot of device {figures.device}",
        f"  reserved       {format_bytes(figures.reserved):>9}  in {counted(figures.segments, 'segment')}",
        f"  in use         {format_bytes(figures.allocated):>9}  in {counted(figures.live_blocks)}; "
        f"{format_bytes(figures.requested)} asked for",
        f"  waiting        {format_bytes(figures.waiting):>9}",
        f"  free           {format_bytes(figures.free):>9}  in {counted(figures.free_blocks)}; "
        f"{share} outside the largest",
        f"  largest block  {format_bytes(figures.largest_free):>9}",
    ]
    if timeline is not None:
        lines.append(f"  peak           {format_bytes(timeline.peak):>9}  over the events that were kept")
    if figures.lines:
        lines.append("live bytes by allocating line")
    for line in figures.lines[:MAX_ROWS]:
        lines.append(f"  {format_bytes(line.nbytes):>9}  {line.name}  ({line.blocks})")
    rest = figures.lines[MAX_ROWS:]
    if rest:
        lines.append(f"  {format_bytes(sum(line.nbytes for line in rest)):>9}  {len(rest)} others")
    return lines
