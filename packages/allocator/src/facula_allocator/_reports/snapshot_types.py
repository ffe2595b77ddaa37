"""The types of a snapshot: plain dicts with PyTorch's names."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class SnapshotFrame(TypedDict):
    """A frame of a call stack."""

    filename: str
    line: int
    name: str


class SnapshotBlock(TypedDict):
    """A piece of a segment: in use, freed but awaited by another stream, or free.

    `state` is "active_allocated", "active_awaiting_free" or "inactive". `requested_size` is the size before rounding.
    `stream` is the stream that the block serves, if it may differ from the segment's.
    """

    address: int
    size: int
    requested_size: int
    state: str
    stream: NotRequired[int]
    frames: list[SnapshotFrame]


class SnapshotSegment(TypedDict):
    """A range of addresses from the driver, and the blocks that divide it, in order."""

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
    frames: list[SnapshotFrame]
    blocks: list[SnapshotBlock]


class SnapshotEvent(TypedDict, total=False):
    """An action of the allocator: "alloc", "free_requested", "free_completed", "segment_alloc", "oom" and others."""

    action: str
    addr: int
    size: int
    stream: int
    time_us: int
    device_free: int
    frames: list[SnapshotFrame]


class Snapshot(TypedDict):
    """The state of an allocator at one moment, and the recorded events that led to it.

    `device_traces` has one list for each device.
    """

    segments: list[SnapshotSegment]
    device_traces: list[list[SnapshotEvent]]
    allocator_settings: dict[str, object]


ALLOCATED, WAITING, INACTIVE = "active_allocated", "active_awaiting_free", "inactive"
#: The name in PyTorch's allocator and viewer for blocks that its documentation calls "active_awaiting_free".
PENDING = "active_pending_free"
STATES = {ALLOCATED: ALLOCATED, WAITING: WAITING, PENDING: WAITING, INACTIVE: INACTIVE}
#: Events with an address and a number of bytes.
PLACED = {
    "alloc", "free", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map",
    "segment_unmap",
}  # fmt: skip
