"""The state of a caching allocator for people and tools: snapshots in PyTorch's format, and a summary table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._errors import format_bytes
from .._reports.snapshot_types import ALLOCATED, INACTIVE, WAITING

if TYPE_CHECKING:
    from .._core import Core
    from .._observers.event_history import EventHistory
    from .._observers.stacks import StackLines
    from .._reports.snapshot_types import SnapshotBlock, SnapshotFrame, SnapshotSegment

#: Names in snapshots for the state of a block and the kind of a segment in the rows of `Core.snapshot`.
BLOCK_STATES = {1: ALLOCATED, 3: WAITING, 4: INACTIVE}
SEGMENT_KINDS = ("small", "large")
_ROWS = (
    ("allocated memory", "allocated_bytes"),
    ("active memory", "active_bytes"),
    ("requested memory", "requested_bytes"),
    ("reserved memory", "reserved_bytes"),
    ("inactive in splits", "inactive_split_bytes"),
    ("allocations", "allocation"),
    ("active blocks", "active"),
    ("segments", "segment"),
    ("inactive splits", "inactive_split"),
)


def snapshot_segments(
    core: Core, device: int, history: EventHistory | None, lines: StackLines
) -> list[SnapshotSegment]:
    """Return the segments of a core, by address.

    Arguments:
        core: the allocator's core.
        device: the number of the device.
        history: the event history with allocating stacks, if one is recorded.
        lines: source lines for its stacks.
    """
    none: list[SnapshotFrame] = []
    found: list[SnapshotSegment] = []
    for address, total, stream, pool, kind, expandable, rows in sorted(core.snapshot()):
        blocks: list[SnapshotBlock] = [
            {
                "address": at,
                "size": size,
                "requested_size": requested,
                "state": BLOCK_STATES[state],
                "stream": user,
                "frames": none if history is None or state == 4 else lines.frames(history.block_stack(at)),
            }
            for at, size, requested, state, user in rows
        ]
        active = [block for block in blocks if block["state"] != INACTIVE]
        allocated = [block for block in active if block["state"] == ALLOCATED]
        found.append(
            {
                "device": device,
                "address": address,
                "total_size": total,
                "allocated_size": sum([block["size"] for block in allocated]),
                "active_size": sum([block["size"] for block in active]),
                "requested_size": sum([block["requested_size"] for block in allocated]),
                "stream": stream,
                "segment_type": SEGMENT_KINDS[kind],
                "segment_pool_id": (0, pool),
                "is_expandable": expandable,
                "frames": none if history is None else lines.frames(history.segment_stack(address)),
                "blocks": blocks,
            }
        )
    return found


def summary_table(stats: dict[str, int], memory: str) -> str:
    """Return a table of counters with PyTorch's names: current, peak and total."""
    lines = [f"{memory:<20}{'now':>12}{'peak':>12}{'in all':>12}{'freed':>12}"]
    for title, name in _ROWS:
        figures = [stats[f"{name}.all.{part}"] for part in ("current", "peak", "allocated", "freed")]
        texts = [format_bytes(figure) if "bytes" in name else str(figure) for figure in figures]
        lines.append(f"  {title:<18}" + "".join([f"{text:>12}" for text in texts]))
    lines.append(
        f"  {stats['num_device_alloc']} segments from the driver, {stats['num_device_free']} given back; "
        f"{stats['num_alloc_retries']} retries, {stats['num_ooms']} times out of memory"
    )
    return "\n".join(lines)
