"""The state of an allocator as requests that produce it: how a recording begins mid-run.

Note [Initial requests]: segment by segment, in the order of addresses, all blocks are allocated, idle ones too, so that
each request finds nothing but the rest of its own segment; then the idle ones are freed. Where a first request would
not make a segment of the same size, one that does comes before and is freed again. A block that is larger than its
request makes it is allocated as large as it is, and once more when all others are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._reports.snapshot_types import ALLOCATED, WAITING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._options import Options
    from .._reports.snapshot_types import SnapshotBlock, SnapshotSegment

WAITED = "blocks that were freed and that other streams still used count as idle"
KIND = "blocks that lie in segments of the other kind are other ones"
CUT = "idle blocks of sizes that no request has are other ones"
RUNS = "expandable segments that lie apart are joined"
LENT = "blocks of expandable segments that are lent are other ones"
GREW = "segments of sizes that no request makes are other ones"


class InitialRequest(NamedTuple):
    """A request: `nbytes` of a block that is to lie at an address, or None where it is freed."""

    address: int
    nbytes: int | None
    stream: int
    pool: int


class _InitialBlock(NamedTuple):
    """A block to be: the bytes to ask for first, and in the end, None where it is idle."""

    address: int
    size: int
    first: int
    last: int | None
    stream: int


class InitialRequests:
    """The requests that lead to some segments.

    Arguments:
        segments: by address.
        options: the allocator's.
        granularity: the driver's.
        rounded: the size of the block, the size of the segment and the kind (1: large) for a request.

    `requests` are the requests, `inexact` says what is not as it was, if anything.
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
        """Let a segment of this size be there, where the first piece would not make it."""
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
                before = found.pop()  # allocated together with this one, and then without
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
        """Whether a free block of a segment for large requests is handed out as it is."""
        bound = self._options.max_split_size
        return size - served <= self._options.small_size or (bound is not None and size > bound)

    def _parts(self, size: int, large: bool, ends: bool) -> Iterator[int]:
        """Sizes of requests that fill an idle block."""
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
        """The largest request up to a size that is not rounded up."""
        if self._rounded(size)[0] == size:
            return size
        step = max(self._granularity, (1 << (size.bit_length() - 1)) // max(1, self._options.roundup_power2_divisions))
        return size - size % step
