"""What a snapshot adds up to: bytes by state, free memory by pool, who holds what."""

from __future__ import annotations

from typing import NamedTuple

from .._call_sites import Holder, grouped, module_of, site_of
from .._snapshot_types import ALLOCATED, INACTIVE, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._snapshot_types import Snapshot, SnapshotSegment

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


class Figures(NamedTuple):
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


def figures_of(snapshot: Snapshot, device: int) -> Figures:
    """The figures of one device of a checked snapshot."""
    segments = [one for one in snapshot["segments"] if one["device"] == device]
    lines: list[tuple[str, int]] = []
    modules: list[tuple[str, int]] = []
    names: dict[int, tuple[str, str]] = {}  # blocks share their lists of frames
    sums = {ALLOCATED: 0, WAITING: 0, INACTIVE: 0}
    requested = free_blocks = 0
    for segment in segments:
        for block in segment["blocks"]:
            sums[block["state"]] += block["size"]
            if block["state"] == INACTIVE:
                free_blocks += 1
            if block["state"] != ALLOCATED:
                continue
            requested += block["requested_size"]
            known = names.get(id(block["frames"]))
            if known is None:
                site = site_of(block["frames"])
                known = names[id(block["frames"])] = str(site), module_of(site)
            lines.append((known[0], block["size"]))
            modules.append((known[1], block["size"]))
    pools = pools_of(segments)
    return Figures(
        device=device,
        segments=len(segments),
        reserved=sum(one["total_size"] for one in segments),
        allocated=sums[ALLOCATED],
        requested=requested,
        waiting=sums[WAITING],
        free=sums[INACTIVE],
        largest_free=max((one.largest_free for one in pools), default=0),
        idle=sum(one.idle for one in pools),
        live_blocks=len(lines),
        free_blocks=free_blocks,
        lines=grouped(lines),
        modules=grouped(modules),
        pools=pools,
    )


def pools_of(segments: list[SnapshotSegment]) -> list[PoolFigures]:
    """The pools of some segments, those with most free memory first."""
    found: dict[tuple[tuple[int, int], int, str], list[int]] = {}
    for segment in segments:
        whole = not segment["active_size"]
        for block in segment["blocks"]:  # one may have been lent to another stream than the segment's
            key = segment["segment_pool_id"], block.get("stream", segment["stream"]), segment["segment_type"]
            sums = found.setdefault(key, [0, 0, 0, 0])
            sums[0] += block["size"]
            if block["state"] == INACTIVE:
                sums[1] += block["size"]
                sums[2] = max(sums[2], block["size"])
                sums[3] += block["size"] if whole else 0
    pools = [PoolFigures(*key, *sums) for key, sums in found.items()]
    return sorted(pools, key=lambda one: (-one.free, one[:3]))
