"""What a snapshot adds up to: bytes by state, free memory by pool, who holds what."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._reports.call_sites import Holder, module_of, site_of, sorted_holders
from .._reports.snapshot_types import ALLOCATED, INACTIVE, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .._reports.snapshot_types import Snapshot, SnapshotSegment

SMALL = 1 << 20  # the largest request that small segments serve, unless the settings say otherwise


class PoolFigures(NamedTuple):
    """The free memory of one pool: segments that the same requests are served from."""

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

    `allocated`: blocks in use, with their rounding; `requested`: what was asked for of them; `waiting`: freed, but
    awaited by other streams; `free`: the rest of `reserved`; `idle`: segments that are wholly free.
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
        """The share of the free bytes that is outside the largest free block."""
        return 1 - self.largest_free / self.free if self.free else 0.0


def devices_of(snapshot: Snapshot) -> list[int]:
    """The devices that a snapshot says anything of."""
    found = {segment["device"] for segment in snapshot["segments"]}
    return sorted(found | {device for device, trace in enumerate(snapshot["device_traces"]) if trace}) or [0]


class SegmentRow(NamedTuple):
    """A segment and its blocks: those are (bytes, bytes asked for, state, stream, what `holder` is asked)."""

    pool: tuple[int, int]
    stream: int
    kind: str
    nbytes: int
    blocks: Iterable[tuple[int, int, str, int, object]]


def figures_of(snapshot: Snapshot, device: int) -> SnapshotFigures:
    """The figures of one device of a checked snapshot."""
    names: dict[int, tuple[str, str]] = {}  # blocks share their lists of frames

    def holder(block: Any) -> tuple[str, str]:
        known = names.get(id(block["frames"]))
        if known is None:
            site = site_of(block["frames"])
            known = names[id(block["frames"])] = str(site), module_of(site)
        return known

    return figures_of_rows([_row(one) for one in snapshot["segments"] if one["device"] == device], holder, device)


def _row(segment: SnapshotSegment) -> SegmentRow:
    home = segment["stream"]
    blocks: Iterator[tuple[int, int, str, int, object]] = (
        # a block may have been lent to another stream than the segment's
        (block["size"], block["requested_size"], block["state"], block.get("stream", home), block)
        for block in segment["blocks"]
    )
    return SegmentRow(segment["segment_pool_id"], home, segment["segment_type"], segment["total_size"], blocks)


def figures_of_rows(
    segments: Iterable[SegmentRow], holder: Callable[[object], tuple[str, str]], device: int = 0
) -> SnapshotFigures:
    """The figures of segments, each looked at once.

    Arguments:
        segments: they, and their blocks.
        holder: the allocating line and module of a block in use.
        device: its number.
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
        largest_free=max((one.largest_free for one in found), default=0),
        idle=sum(one.idle for one in found),
        live_blocks=counts[ALLOCATED],
        free_blocks=counts[INACTIVE],
        lines=_by_name(held, 0),
        modules=_by_name(held, 1),
        pools=sorted(found, key=lambda one: (-one.free, one[:3])),
    )


def _add(held: dict[tuple[str, str], list[int]], name: tuple[str, str], nbytes: int) -> None:
    one = held.get(name)
    if one is None:
        held[name] = [nbytes, 1, nbytes]
        return
    one[0] += nbytes
    one[1] += 1
    if nbytes > one[2]:
        one[2] = nbytes


def _by_name(held: dict[tuple[str, str], list[int]], which: int) -> list[Holder]:
    """What is held by line (0) or by module (1), most first."""
    found: dict[str, list[int]] = {}
    for names, (nbytes, blocks, largest) in held.items():
        one = found.setdefault(names[which], [0, 0, 0])
        one[0] += nbytes
        one[1] += blocks
        one[2] = max(one[2], largest)
    return sorted_holders(found)
