"""Places of temporaries in one block of memory, by when each is first and last used."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIGNMENT = 64  # bytes, as blocks of the host's allocator have it
MOST_COMPARED = 1000  # lifetimes, each of which is compared with all others


class Lifetime(NamedTuple):
    """What needs memory: the first and the last launch that use it, and its bytes."""

    first: int
    last: int
    nbytes: int


def placed(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """An offset for each lifetime, so that no two overlap that live at once; and the bytes of the whole.

    Two ways are tried, and the one that needs less is taken: the largest first, which is mostly within a few percent of
    what lives at once, and in the order of time, for as many lifetimes as there may be.

    >>> placed([Lifetime(0, 1, 64), Lifetime(1, 2, 64), Lifetime(2, 3, 64)])
    ([0, 64, 0], 128)
    """
    by_time = _in_order_of_time(lifetimes)
    if len(lifetimes) > MOST_COMPARED:
        return by_time
    by_size = _largest_first(lifetimes)
    return by_size if by_size[1] < by_time[1] else by_time


def _rounded(nbytes: int) -> int:
    return max(-(-nbytes // ALIGNMENT), 1) * ALIGNMENT


def _largest_first(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """Each in the lowest gap between those that were placed before it and live with it."""
    offsets = [0] * len(lifetimes)
    done: list[tuple[int, int, int, int]] = []  # (start, end, first, last), by start
    for number in sorted(range(len(lifetimes)), key=lambda one: (-lifetimes[one].nbytes, lifetimes[one].first)):
        first, last, nbytes = lifetimes[number]
        size, start = _rounded(nbytes), 0
        for begin, end, begins, ends in done:
            if begins <= last and first <= ends:
                if begin - start >= size:
                    break
                start = max(start, end)
        offsets[number] = start
        insort(done, (start, start + size, first, last))
    return offsets, max([end for _, end, _, _ in done], default=0)


def _in_order_of_time(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """Each in the smallest gap that has room for it when it begins."""
    offsets = [0] * len(lifetimes)
    gaps: list[tuple[int, int]] = []  # (start, size), in order, never touching each other
    ends: list[tuple[int, int, int]] = []  # (last, start, size) of what lives
    total = 0
    for number in sorted(range(len(lifetimes)), key=lambda one: lifetimes[one].first):
        first, last, nbytes = lifetimes[number]
        size = _rounded(nbytes)
        while ends and ends[0][0] < first:
            _, start, freed = ends.pop(0)
            _give_back(gaps, start, freed)
        fitting = [(gap[1], gap[0]) for gap in gaps if gap[1] >= size]
        if fitting:
            room, start = min(fitting)
            gaps.remove((start, room))
            if room > size:
                insort(gaps, (start + size, room - size))
        else:
            start = total
            if gaps and sum(gaps[-1]) == total:
                start = gaps.pop()[0]
            total = start + size
        offsets[number] = start
        insort(ends, (last, start, size))
    return offsets, total


def _give_back(gaps: list[tuple[int, int]], start: int, size: int) -> None:
    """Add a gap, one with those that it touches."""
    merged = []
    for gap in gaps:
        if sum(gap) == start:
            start, size = gap[0], gap[1] + size
        elif gap[0] == start + size:
            size += gap[1]
        else:
            merged.append(gap)
    insort(merged, (start, size))
    gaps[:] = merged
