"""The state of an allocator as a list of requests that produce it, for recordings that start mid-run.

Note [Initial requests]: for each segment, in the order of addresses, the list allocates all blocks, including idle
ones, so that each request finds only the rest of its own segment. Then it frees the idle ones. If the first request
would not create a segment of the same size, one that does precedes it and is freed again. A block that is larger than
its request would make it is allocated at its full size, and again at its requested size once all others exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._reports.snapshot_types import ALLOCATED, WAITING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._options import Options
    from .._reports.snapshot_types import SnapshotBlock, SnapshotSegment

WAITED = "blocks that were freed and that other streams still used count as idle"
KIND = "blocks in segments of the other kind differ"
CUT = "idle blocks of sizes that no request has differ"
RUNS = "separate expandable segments are joined"
LENT = "lent blocks of expandable segments differ"
GREW = "segments of sizes that no request creates differ"


class InitialRequest(NamedTuple):
    """A request: `nbytes` for the block at an address of the recorded state, or None to free it."""

    address: int
    nbytes: int | None
    stream: int
    pool: int


class _InitialBlock(NamedTuple):
    """A block to create: the bytes to request first, and the bytes to request at the end, None for an idle block."""

    address: int
    size: int
    first: int
    last: int | None
    stream: int


class InitialRequests:
    """The requests that produce given segments.

    Arguments:
        segments: the segments, ordered by address.
        options: the allocator's options.
        granularity: the driver's granularity.
        rounded: returns the block size, the segment size and the kind (1: large) for a request.

    `requests` lists the requests. `inexact` lists the differences from the recorded state, if any.
    """

    __slots__ = ("_granularity", "_options", "_rounded", "inexact", "requests")

    def __init__(
        self, segments: list[SnapshotSegment], options: Options, granularity: int,
        rounded: Callable[[int], tuple[int, int, int]],
    ):  # fmt: skip
        self._options = options
        self._granularity = granularity
        self._rounded = rounded
        self.inexact: dict[str, None] = {}
        self.requests: list[InitialRequest] = []
        again: list[InitialRequest] = []
        idle: list[InitialRequest] = []
        runs: set[tuple[int, int, str]] = set()
        for segment in segments:
            pool = segment["segment_pool_id"][1]
            if segment["is_expandable"]:
                run = segment["stream"], pool, segment["segment_type"]
                self._note(RUNS, run in runs)
                runs.add(run)
            pieces = self._pieces(segment)
            self._open(segment, pieces, pool)
            for at, _, first, last, stream in pieces:
                self.requests.append(InitialRequest(at, first, stream, pool))
                if last is None:
                    idle.append(InitialRequest(at, None, stream, pool))
                elif last != first:
                    again += InitialRequest(at, None, stream, pool), InitialRequest(at, last, stream, pool)
        self.requests += again + idle

    def _note(self, what: str, holds: bool = True) -> None:
        if holds:
            self.inexact[what] = None

    def _open(self, segment: SnapshotSegment, pieces: list[_InitialBlock], pool: int) -> None:
        """Create a segment of this size, if the first piece would not."""
        total, large, run = segment["total_size"], segment["segment_type"] == "large", segment["is_expandable"]
        least = self._options.small_size
        if run and not large:
            self._note(LENT, any(piece.stream != segment["stream"] for piece in pieces))
            return
        for nbytes in (pieces[0].first, total if large else least, least + self._granularity):
            size, grown, kind = self._rounded(nbytes)
            if bool(kind) != large or size > total or (grown != total if not run else size != total):
                continue
            if nbytes != pieces[0].first or pieces[0].stream != segment["stream"]:
                self.requests.append(InitialRequest(segment["address"], nbytes, segment["stream"], pool))
                self.requests.append(InitialRequest(segment["address"], None, segment["stream"], pool))
            return
        self._note(GREW)

    def _pieces(self, segment: SnapshotSegment) -> list[_InitialBlock]:
        large, run, blocks = segment["segment_type"] == "large", segment["is_expandable"], segment["blocks"]
        found: list[_InitialBlock] = []
        for number, block in enumerate(blocks):
            size, stream = block["size"], block.get("stream", segment["stream"])
            ends = large and not run and number == len(blocks) - 1
            self._note(WAITED, block["state"] == WAITING)
            if block["state"] == ALLOCATED:
                found.append(self._live(block, stream, large, ends))
            elif run and large and size <= self._options.small_size and found and found[-1].stream == stream:
                before = found.pop()  # allocated together with this one first, then without it
                found.append(before._replace(size=before.size + size, first=before.size + size))
            else:
                at = block["address"]
                for part in self._parts(size, large, ends):
                    found.append(_InitialBlock(at, part, part, None, stream))
                    at += part
        return found

    def _live(self, block: SnapshotBlock, stream: int, large: bool, ends: bool) -> _InitialBlock:
        at, size, asked = block["address"], block["size"], block["requested_size"]
        served, _, kind = self._rounded(asked)
        if bool(kind) == large:
            if served == size or (ends and self._stays_whole(size, served)):
                return _InitialBlock(at, size, asked, asked, stream)
            if self._rounded(size)[0] == size:
                return _InitialBlock(at, size, size, asked, stream)
        self._note(KIND)
        asked = size if bool(self._rounded(size)[2]) == large else asked
        return _InitialBlock(at, size, asked, asked, stream)

    def _stays_whole(self, size: int, served: int) -> bool:
        """Whether a free block of a segment for large requests is handed out unsplit."""
        bound = self._options.max_split_size
        return size - served <= self._options.small_size or (bound is not None and size > bound)

    def _parts(self, size: int, large: bool, ends: bool) -> Iterator[int]:
        """Yield the sizes of requests that fill an idle block."""
        least = self._options.small_size
        while size:
            part = self._below(size if large else min(size, least))
            if large and ends and self._stays_whole(size, part) and bool(self._rounded(part)[2]):
                yield part
                return
            self._note(CUT, self._rounded(part)[0] != part or (large and (part <= least or 0 < size - part <= least)))
            yield part
            size -= part

    def _below(self, size: int) -> int:
        """Return the largest request up to `size` that is not rounded up."""
        if self._rounded(size)[0] == size:
            return size
        step = max(self._granularity, (1 << (size.bit_length() - 1)) // max(1, self._options.roundup_power2_divisions))
        return size - size % step
