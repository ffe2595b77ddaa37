"""The figures of a snapshot: bytes by state, free memory by pool, and holders."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._reports.call_sites import Holder, module_of, site_of, sorted_holders
from .._reports.snapshot_types import ALLOCATED, INACTIVE, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .._reports.snapshot_types import Snapshot, SnapshotSegment

SMALL = 1 << 20  # the largest request that small segments serve, unless the settings define it


class PoolFigures(NamedTuple):
    """The free memory of one pool: the segments that serve the same requests."""

    pool: tuple[int, int]
    stream: int
    kind: str
    reserved: int
    free: int
    largest_free: int
    idle: int

    def __str__(self) -> str:
        private = "" if self.pool == (0, 0) else f"private pool {self.pool}, "
        return f"{private}stream {self.stream}, {self.kind} blocks"


class SnapshotFigures(NamedTuple):
    """A device's figures, in bytes unless the name says otherwise.

    * `allocated`: blocks in use, after rounding.
    * `requested`: their requested bytes.
    * `waiting`: blocks that were freed, but are awaited by other streams.
    * `free`: the rest of `reserved`.
    * `idle`: segments that are entirely free.
    """

    device: int
    segments: int
    reserved: int
    allocated: int
    requested: int
    waiting: int
    free: int
    largest_free: int
    idle: int
    live_blocks: int
    free_blocks: int
    lines: list[Holder]
    modules: list[Holder]
    pools: list[PoolFigures]

    @property
    def fragmentation(self) -> float:
        """The fraction of the free bytes outside the largest free block."""
        return 1 - self.largest_free / self.free if self.free else 0.0


def devices_of(snapshot: Snapshot) -> list[int]:
    """Return the devices that a snapshot covers."""
    found = {segment["device"] for segment in snapshot["segments"]}
    return sorted(found | {device for device, trace in enumerate(snapshot["device_traces"]) if trace}) or [0]


class SegmentRow(NamedTuple):
    """A segment and its blocks: (bytes, requested bytes, state, stream, the argument of `holder`)."""

    pool: tuple[int, int]
    stream: int
    kind: str
    nbytes: int
    blocks: Iterable[tuple[int, int, str, int, object]]


def figures_of(snapshot: Snapshot, device: int) -> SnapshotFigures:
    """Return the figures of one device of a checked snapshot."""
    names: dict[int, tuple[str, str]] = {}  # by id of the list of frames, which blocks share

    def holder(block: Any) -> tuple[str, str]:
        known = names.get(id(block["frames"]))
        if known is None:
            site = site_of(block["frames"])
            known = names[id(block["frames"])] = str(site), module_of(site)
        return known

    return figures_of_rows(
        [_row(segment) for segment in snapshot["segments"] if segment["device"] == device], holder, device
    )


def _row(segment: SnapshotSegment) -> SegmentRow:
    home = segment["stream"]
    blocks: Iterator[tuple[int, int, str, int, object]] = (
        # a block may have been lent to a stream other than the segment's
        (block["size"], block["requested_size"], block["state"], block.get("stream", home), block)
        for block in segment["blocks"]
    )
    return SegmentRow(segment["segment_pool_id"], home, segment["segment_type"], segment["total_size"], blocks)


def figures_of_rows(
    segments: Iterable[SegmentRow], holder: Callable[[object], tuple[str, str]], device: int = 0
) -> SnapshotFigures:
    """Compute the figures of segments in one pass.

    Arguments:
        segments: the segments with their blocks.
        holder: returns the allocating line and module of a block in use.
        device: the number of the device.
    """
    sums = {ALLOCATED: 0, WAITING: 0, INACTIVE: 0}
    counts = dict.fromkeys(sums, 0)
    held: dict[tuple[str, str], list[int]] = {}
    pools: dict[tuple[tuple[int, int], int, str], list[int]] = {}
    requested = reserved = number = 0
    for segment in segments:
        number += 1
        reserved += segment.nbytes
        free: list[tuple[list[int], int]] = []
        whole = True
        for size, asked, state, stream, block in segment.blocks:
            sums[state] += size
            counts[state] += 1
            pool = pools.setdefault((segment.pool, stream, segment.kind), [0, 0, 0, 0])
            pool[0] += size
            if state == INACTIVE:
                pool[1] += size
                pool[2] = max(pool[2], size)
                free.append((pool, size))
                continue
            whole = False
            if state == ALLOCATED:
                requested += asked
                _add(held, holder(block), size)
        for pool, size in free if whole else ():
            pool[3] += size
    found = [PoolFigures(*key, *figures) for key, figures in pools.items()]
    return SnapshotFigures(
        device=device,
        segments=number,
        reserved=reserved,
        allocated=sums[ALLOCATED],
        requested=requested,
        waiting=sums[WAITING],
        free=sums[INACTIVE],
        largest_free=max((figures.largest_free for figures in found), default=0),
        idle=sum(figures.idle for figures in found),
        live_blocks=counts[ALLOCATED],
        free_blocks=counts[INACTIVE],
        lines=_by_name(held, 0),
        modules=_by_name(held, 1),
        pools=sorted(found, key=lambda figures: (-figures.free, figures[:3])),
    )


def _add(held: dict[tuple[str, str], list[int]], name: tuple[str, str], nbytes: int) -> None:
    totals = held.get(name)
    if totals is None:
        held[name] = [nbytes, 1, nbytes]
        return
    totals[0] += nbytes
    totals[1] += 1
    if nbytes > totals[2]:
        totals[2] = nbytes


def _by_name(held: dict[tuple[str, str], list[int]], which: int) -> list[Holder]:
    """Return the holders by line (0) or by module (1), largest first."""
    found: dict[str, list[int]] = {}
    for names, (nbytes, blocks, largest) in held.items():
        totals = found.setdefault(names[which], [0, 0, 0])
        totals[0] += nbytes
        totals[1] += blocks
        totals[2] = max(totals[2], largest)
    return sorted_holders(found)
