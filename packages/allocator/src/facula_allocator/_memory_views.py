"""What a caching allocator holds and does, in PyTorch's words: snapshots, events, a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from ._errors import readable

if TYPE_CHECKING:
    from ._core import Core

_STATES = {1: "active_allocated", 3: "active_awaiting_free", 4: "inactive"}
_KINDS = ("small", "large")
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


class MemoryEvent(NamedTuple):
    """What a listener is told.

    Arguments:
        action: "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free" or "oom".
        address: of the block or segment; of an "oom" 0.
        nbytes: the bytes that were asked for.
        capacity: the bytes of the block or segment.
        stream: the stream that allocated it.
        uses: the other streams that used a block.
    """

    action: str
    address: int
    nbytes: int
    capacity: int
    stream: int
    uses: tuple[int, ...] = ()


class BlockInfo(TypedDict):
    """A block of a segment. `stream` is whose reuse is immediate, if lent another than the segment's."""

    address: int
    size: int
    requested_size: int
    state: str
    stream: int
    frames: list[dict[str, str | int]]


class SegmentInfo(TypedDict):
    """A piece of memory from the driver, and the blocks that it is cut into, by address."""

    device: int
    address: int
    total_size: int
    allocated_size: int
    active_size: int
    requested_size: int
    stream: int
    segment_type: str
    segment_pool_id: tuple[int, int]
    is_expandable: bool
    frames: list[dict[str, str | int]]
    blocks: list[BlockInfo]


class MemorySnapshot(TypedDict):
    """What `torch.cuda.memory._snapshot()` gives, too."""

    segments: list[SegmentInfo]
    device_traces: list[list[dict[str, object]]]
    allocator_settings: dict[str, int | float | bool | None]


def segments_of(core: Core) -> list[SegmentInfo]:
    """The segments of a core, by address."""
    found: list[SegmentInfo] = []
    for address, total, stream, pool, kind, rows in sorted(core.snapshot()):
        blocks: list[BlockInfo] = [
            {
                "address": at,
                "size": size,
                "requested_size": requested,
                "state": _STATES[state],
                "stream": user,
                "frames": [],
            }
            for at, size, requested, state, user in rows
        ]
        active = [block for block in blocks if block["state"] != "inactive"]
        allocated = [block for block in active if block["state"] == "active_allocated"]
        found.append(
            {
                "device": 0,
                "address": address,
                "total_size": total,
                "allocated_size": sum([block["size"] for block in allocated]),
                "active_size": sum([block["size"] for block in active]),
                "requested_size": sum([block["requested_size"] for block in allocated]),
                "stream": stream,
                "segment_type": _KINDS[kind],
                "segment_pool_id": (0, pool),
                "is_expandable": False,
                "frames": [],
                "blocks": blocks,
            }
        )
    return found


def summary_of(stats: dict[str, int], memory: str) -> str:
    """A table of figures by PyTorch's names: now, at most, in all."""
    lines = [f"{memory:<20}{'now':>12}{'peak':>12}{'in all':>12}{'freed':>12}"]
    for title, name in _ROWS:
        figures = [stats[f"{name}.all.{part}"] for part in ("current", "peak", "allocated", "freed")]
        texts = [readable(figure) if "bytes" in name else str(figure) for figure in figures]
        lines.append(f"  {title:<18}" + "".join([f"{text:>12}" for text in texts]))
    lines.append(
        f"  {stats['num_device_alloc']} segments from the driver, {stats['num_device_free']} given back; "
        f"{stats['num_alloc_retries']} retries, {stats['num_ooms']} times out of memory"
    )
    return "\n".join(lines)
