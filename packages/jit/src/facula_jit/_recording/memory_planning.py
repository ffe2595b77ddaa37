"""Memory planning: offsets of temporaries in one block of memory, from their first and last use."""

from __future__ import annotations

from bisect import insort
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIGNMENT = 64  # bytes, as in the allocator of the host
MAX_COMPARED = 1000  # lifetimes up to which each is compared with all others
MAX_ROUNDS, MAX_WORK = 12, 200_000  # attempts to improve an order, and the total number of comparisons in them


class Lifetime(NamedTuple):
    """A memory request: its first and last launch, and its size in bytes."""

    first: int
    last: int
    nbytes: int


def place_lifetimes(lifetimes: Sequence[Lifetime], *, thorough: bool = False) -> tuple[list[int], int]:
    """Return an offset for each lifetime, such that simultaneous ones do not overlap, and the total size in bytes.

    Several orders are tried until one needs no more than the peak of simultaneous bytes: the largest first, which
    usually suffices, then the largest product of size and duration first, and finally the order of time. Above
    `MAX_COMPARED` lifetimes, only the order of time is used.

    Arguments:
        lifetimes: the memory requests.
        thorough: also improve the orders, by repeatedly moving the lifetime with the highest end to the front.

    >>> place_lifetimes([Lifetime(0, 1, 64), Lifetime(1, 2, 64), Lifetime(2, 3, 64)])
    ([0, 64, 0], 128)
    """
    count, least = len(lifetimes), peak_bytes(lifetimes)
    if count > MAX_COMPARED:
        return _in_order_of_time(lifetimes)
    sizes = [lifetime.nbytes for lifetime in lifetimes]
    areas = [lifetime.nbytes * (1 + lifetime.last - lifetime.first) for lifetime in lifetimes]
    orders = [
        sorted(range(count), key=lambda number: (-keys[number], lifetimes[number].first)) for keys in (sizes, areas)
    ]
    best = _first_fit(lifetimes, orders[0])
    rounds = min(MAX_ROUNDS, MAX_WORK // max(count * count, 1)) if thorough else 1
    for order in orders:
        for number in range(rounds):
            if best[1] <= least:
                return best
            found = _first_fit(lifetimes, order)
            best = min(best, found, key=itemgetter(1))
            top = max(order, key=lambda index: found[0][index] + _rounded(lifetimes[index].nbytes))
            at = order.index(top)
            order.remove(top)
            order.insert(0 if number % 2 else at // 2, top)
    return min(best, _in_order_of_time(lifetimes), key=itemgetter(1))


def peak_bytes(lifetimes: Sequence[Lifetime]) -> int:
    """Return the peak of the bytes in use at one launch."""
    changes = [0] * (max([lifetime.last for lifetime in lifetimes], default=0) + 2)
    for first, last, nbytes in lifetimes:
        changes[first] += _rounded(nbytes)
        changes[last + 1] -= _rounded(nbytes)
    return max(accumulate(changes))


def _rounded(nbytes: int) -> int:
    return max(-(-nbytes // ALIGNMENT), 1) * ALIGNMENT


def _first_fit(lifetimes: Sequence[Lifetime], order: Sequence[int]) -> tuple[list[int], int]:
    """Place each lifetime in the lowest gap between the simultaneous ones that were placed before it."""
    offsets = [0] * len(lifetimes)
    done: list[tuple[int, int, int, int]] = []  # (start, end, first, last), sorted by start
    for number in order:
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
    """Place each lifetime in the smallest gap that is large enough when it begins."""
    offsets = [0] * len(lifetimes)
    gaps: list[tuple[int, int]] = []  # (start, size), sorted, never adjacent
    ends: list[tuple[int, int, int]] = []  # (last, start, size) of the live lifetimes
    total = 0
    for number in sorted(range(len(lifetimes)), key=lambda index: lifetimes[index].first):
        first, last, nbytes = lifetimes[number]
        size = _rounded(nbytes)
        while ends and ends[0][0] < first:
            _, start, freed = ends.pop(0)
            _add_gap(gaps, start, freed)
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


def _add_gap(gaps: list[tuple[int, int]], start: int, size: int) -> None:
    """Add a gap, merged with adjacent ones."""
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
