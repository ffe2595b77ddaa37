"""Statistics of a host allocator: counters under PyTorch's names, a table for people, and snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_errors.extend import boundary

from .._errors import format_bytes
from .process import trimming
from .regions import Account, address_of
from .size_classes import MAX_SLAB_BLOCK

if TYPE_CHECKING:
    from typing import Protocol

    from .._reports.snapshot_types import Snapshot, SnapshotBlock, SnapshotSegment
    from .size_classes import Block, SizeClass

    class Watch(Protocol):
        """Tracks the peak of the bytes in use."""

        peak: int

        def reset(self) -> None:
            """Restart the peak at the bytes in use now."""

    class Served(Protocol):
        """The methods that the statistics need from the `CachingAllocator` that serves followed blocks."""

        def memory_stats(self) -> dict[str, int]:
            """Return the allocator's counters."""

        def memory_snapshot(self) -> Snapshot:
            """Return the allocator's segments."""

        def reset_peak_memory_stats(self) -> None:
            """Restart the peaks."""

        def reset_accumulated_memory_stats(self) -> None:
            """Restart the totals."""

    class Follower(Protocol):
        """The methods that the statistics need from the front end that serves followed blocks."""

        @property
        def allocator(self) -> Served:
            """The allocator that serves this front end."""

        def refill(self, nbytes: int) -> Block:
            """Return a block."""

        def trim(self) -> int:
            """Release idle memory."""

        def idle_bytes(self) -> int:
            """Return the bytes outside blocks in use."""

        def segments(self) -> tuple[int, int]:
            """Return (bytes, number) of the segments."""


class SizeClassRow(NamedTuple):
    """One size class: the size of a block in bytes, and the numbers of blocks in use and idle."""

    block_bytes: int
    allocated_blocks: int
    cached_blocks: int


def size_class_rows(classes: dict[int, SizeClass]) -> list[SizeClassRow]:
    """Return a row for each class that has blocks, by size."""
    rows = []
    for size, size_class in sorted(classes.copy().items()):  # copied: other threads may add sizes
        idle, blocks = size_class.idle_blocks(), size_class.blocks()
        if blocks:
            rows.append(SizeClassRow(size, blocks - idle, idle))
    return rows


def _idle_addresses(size_class: SizeClass) -> dict[int, list[int]]:
    """Return the addresses of idle blocks, by the serial number of their slab."""
    found: dict[int, list[int]] = {}
    for address, release in [*size_class.free, *size_class.spare, *size_class.held]:
        found.setdefault(release.__dict__["serial"], []).append(address)
    return found


@boundary
class HostStatistics:
    """The state of a `HostAllocator`, and the methods that report it.

    Arguments:
        limit: the most bytes to take from the system, or None.
        pools: whether blocks are reused.
    """

    __slots__ = (
        "__weakref__", "_account", "_classes", "_counts", "_follower", "_limit", "_pools", "_since", "_watch",
        "cache_limit",
    )  # fmt: skip

    cache_limit: int

    def __init__(self, limit: int | None, pools: bool):
        self._account = Account(limit)
        self._limit = limit
        self._pools = pools
        self._classes: dict[int, SizeClass] = {}
        self._counts = {"num_alloc_retries": 0, "num_ooms": 0}
        self._since = 0, 0  # the regions (taken, released) when counting started
        self._follower: Follower | None = None  # serves blocks while they are followed; kept afterwards
        self._watch: Watch | None = None  # not None while blocks are followed

    @property
    def limit(self) -> int | None:
        """The most bytes to take from the system, or None."""
        return self._limit

    def statistics(self) -> dict[str, int]:
        """Return the present state as one consistent reading: `memory_stats` without its history.

        * `allocated_bytes`, `allocated_blocks`: blocks in use, rounded up to block sizes.
        * `reserved_bytes`: bytes taken from the system.
        * `cached_bytes`: idle bytes, reserved less allocated.

        While other threads are inside `refill` or `trim`, the blocks that they move count as allocated.
        """
        live_bytes, live_blocks = self._unfollowed()
        if self._follower is not None:
            stats = self._follower.allocator.memory_stats()
            live_bytes += stats["allocated_bytes.all.current"]
            live_blocks += stats["allocation.all.current"]
        reserved = self._account.reserved()
        return {
            "allocated_bytes": live_bytes,
            "allocated_blocks": live_blocks,
            "reserved_bytes": reserved,
            "cached_bytes": reserved - live_bytes,
        }

    def _unfollowed(self) -> tuple[int, int]:
        """Return the (bytes, blocks) in use that are not followed."""
        if self._pools:
            rows = self.size_classes()
            nbytes = sum([row.block_bytes * row.allocated_blocks for row in rows])
            return nbytes, sum([row.allocated_blocks for row in rows])
        figures = self._account.read()
        # Segments of the follower are live regions, too.
        nbytes, segments = (0, 0) if self._follower is None else self._follower.segments()
        return figures.live_bytes - nbytes, figures.live_regions - segments

    def memory_stats(self) -> dict[str, int]:
        """Return exact counters under the names of `CachingAllocator.memory_stats`, without those that are not kept.

        Counting adds no cost to an allocation. Peaks are therefore known for "reserved_bytes" only, and for
        "allocated_bytes" while blocks are followed (`follow`).
        """
        return _stats(self)

    def memory_summary(self) -> str:
        """Return a table for people: totals, then a row for each size class.

        >>> from facula_allocator import HostAllocator
        >>> allocator = HostAllocator(limit=1 << 20)
        >>> address, release = allocator.refill(1 << 16)
        >>> print(allocator.memory_summary())
        host memory
          in use            64 KiB  in 1 block
          idle                 0 B
          from the system   64 KiB  (peak 64 KiB, limit 1 MiB)
          asked the system  1 time, gave back 0 times
        <BLANKLINE>
          block       in use    idle
          64 KiB           1       0
        """
        return _summary(self)

    def memory_snapshot(self) -> Snapshot:
        """Return all slabs and large blocks as segments with their blocks, for `facula_allocator.snapshots`.

        A block's requested size is its whole size, because requested sizes are known for followed blocks only. Without
        pools the result has no segments: the system's own allocator manages the blocks.
        """
        return _snapshot(self)

    def reset_peak_memory_stats(self) -> None:
        """Restart the peaks at the present values."""
        self._account.reset_peak()
        if self._follower is not None:
            self._follower.allocator.memory_stats()  # reports all pending frees to the watch
            self._follower.allocator.reset_peak_memory_stats()
        if self._watch is not None:
            self._watch.reset()

    def reset_accumulated_memory_stats(self) -> None:
        """Restart the figures "allocated" and "freed", and the counts "num_...", at 0."""
        figures = self._account.read()
        self._since = figures.taken, figures.given_back
        self._counts.update(dict.fromkeys(self._counts, 0))
        if self._follower is not None:
            self._follower.allocator.reset_accumulated_memory_stats()

    def size_classes(self) -> list[SizeClassRow]:
        """Return a `SizeClassRow` (block_bytes, allocated_blocks, cached_blocks) for each class in use, by size.

        Empty without pools.
        """
        return size_class_rows(self._classes)


def _stats(allocator: HostStatistics) -> dict[str, int]:
    """Return the counters of `HostAllocator.memory_stats`."""
    now, figures = allocator.statistics(), allocator._account.read()
    taken, given_back = figures.taken - allocator._since[0], figures.given_back - allocator._since[1]
    split, split_bytes = 0, 0
    with trimming:  # so that no other thread is moving idle blocks
        for size_class in list(allocator._classes.values()):
            for serial, idle in _idle_addresses(size_class).items():
                if len(idle) < size_class.slabs.get(serial, 0):
                    split += len(idle)
                    split_bytes += len(idle) * size_class.nbytes
    stats = {
        "allocated_bytes.all.current": now["allocated_bytes"],
        "active_bytes.all.current": now["allocated_bytes"],  # no block waits for pending work
        "allocation.all.current": now["allocated_blocks"],
        "active.all.current": now["allocated_blocks"],
        "reserved_bytes.all.current": now["reserved_bytes"],
        "reserved_bytes.all.peak": figures.peak,
        "segment.all.current": figures.live_regions,
        "segment.all.allocated": taken,
        "segment.all.freed": given_back,
        "num_device_alloc": taken,
        "num_device_free": given_back,
        **allocator._counts,
    }
    if allocator._follower is not None:
        followed = allocator._follower.allocator.memory_stats()
        split += followed["inactive_split.all.current"]
        split_bytes += followed["inactive_split_bytes.all.current"]
    stats["inactive_split.all.current"], stats["inactive_split_bytes.all.current"] = split, split_bytes
    if allocator._watch is not None:
        stats["allocated_bytes.all.peak"] = stats["active_bytes.all.peak"] = allocator._watch.peak
    return stats


def _summary(allocator: HostStatistics) -> str:
    """Return the table of `HostAllocator.memory_summary`."""
    now, stats = allocator.statistics(), allocator.memory_stats()
    limit = "no limit" if allocator.limit is None else f"limit {format_bytes(allocator.limit)}"
    lines = [
        "host memory",
        f"  in use           {format_bytes(now['allocated_bytes']):>7}  in {_count(now['allocated_blocks'], 'block')}",
        f"  idle             {format_bytes(now['cached_bytes']):>7}",
        f"  from the system  {format_bytes(now['reserved_bytes']):>7}  "
        f"(peak {format_bytes(stats['reserved_bytes.all.peak'])}, {limit})",
        f"  asked the system  {_count(stats['num_device_alloc'], 'time')}, "
        f"gave back {_count(stats['num_device_free'], 'time')}",
    ]
    if allocator._follower is not None:
        held = allocator._follower.allocator.memory_stats()["allocated_bytes.all.current"]
        lines.append(f"  followed         {format_bytes(held):>7}  of what is in use")
    rows = allocator.size_classes()
    if rows:
        lines += ["", "  block       in use    idle"]
    for row in rows:
        lines.append(f"  {format_bytes(row.block_bytes):<9}{row.allocated_blocks:>9}{row.cached_blocks:>8}")
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _snapshot(allocator: HostStatistics) -> Snapshot:
    """Return the dict of `HostAllocator.memory_snapshot`."""
    segments: list[SnapshotSegment] = []
    with trimming:
        for size_class in list(allocator._classes.values()):
            idle = _idle_addresses(size_class)
            for serial, region in list(size_class.regions.items()):
                count = size_class.slabs.get(serial)
                if count is not None:
                    segments.append(_segment(address_of(region), size_class.nbytes, count, set(idle.get(serial, ()))))
    settings: dict[str, object] = {"limit": allocator.limit, "cache_limit": allocator.cache_limit}
    found: Snapshot = {"segments": segments, "device_traces": [[]], "allocator_settings": settings}
    if allocator._follower is not None:
        followed = allocator._follower.allocator.memory_snapshot()
        segments += followed["segments"]
        found["device_traces"] = followed["device_traces"]
    segments.sort(key=lambda segment: segment["address"])
    return found


def _segment(base: int, nbytes: int, count: int, idle: set[int]) -> SnapshotSegment:
    """Return the segment of a slab of `count` blocks, or of a single large block."""
    from .._reports.snapshot_types import ALLOCATED, INACTIVE

    blocks: list[SnapshotBlock] = []
    for address in range(base, base + count * nbytes, nbytes):
        free = address in idle
        state, asked = (INACTIVE, 0) if free else (ALLOCATED, nbytes)
        blocks.append(
            {"address": address, "size": nbytes, "requested_size": asked, "state": state, "stream": 0, "frames": []}
        )
    used = (count - len(idle)) * nbytes
    return {
        "device": 0,
        "address": base,
        "total_size": count * nbytes,
        "allocated_size": used,
        "active_size": used,
        "requested_size": used,
        "stream": 0,
        "segment_type": "small" if nbytes <= MAX_SLAB_BLOCK else "large",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "frames": [],
        "blocks": blocks,
    }
