"""Unreserved ranges of an arena: the part after all blocks, and gaps of returned pages."""

from __future__ import annotations

from bisect import insort


class Room:
    """Free ranges of a file, as offsets and lengths.

    >>> room = Room(0, 100)
    >>> room.find(30)
    0
    >>> room.use(0, 30)
    >>> room.find(80), room.largest
    (None, 70)
    >>> room.free(0, 30)
    >>> room.largest
    100
    """

    __slots__ = ("_ranges",)

    def __init__(self, start: int, end: int) -> None:
        self._ranges = [(start, end - start)]  # sorted, without adjacent ranges

    @property
    def largest(self) -> int:
        """The length of the largest range."""
        return max((length for _, length in self._ranges), default=0)

    def find(self, length: int) -> int | None:
        """Return the start of the first range of at least this length, or None."""
        return next((start for start, found in self._ranges if found >= length), None)

    def use(self, start: int, length: int) -> None:
        """Remove the beginning of a range."""
        place = next(index for index, (first, _) in enumerate(self._ranges) if first == start)
        rest = self._ranges[place][1] - length
        self._ranges[place : place + 1] = [(start + length, rest)] if rest else []

    def free(self, start: int, length: int) -> None:
        """Add a range and merge it with adjacent ones."""
        insort(self._ranges, (start, length))
        merged: list[tuple[int, int]] = []
        for first, found in self._ranges:
            if merged and sum(merged[-1]) == first:
                first, found = merged[-1][0], merged.pop()[1] + found
            merged.append((first, found))
        self._ranges = merged
