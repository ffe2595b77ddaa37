"""Addresses of a simulated device: allocated regions, reserved ranges, and the pages mapped into them.

Regions and pages share one capacity in bytes. A region needs contiguous free addresses. A mapped page needs only free
bytes, as on a device, where the addresses of one range may map to memory from anywhere.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from ._pages import PageTable
from .protocol import DriverError

FIRST_ADDRESS = 1 << 40
FIRST_RESERVED, LAST_RESERVED = 1 << 44, 1 << 46
MAX_ADDRESSES = FIRST_RESERVED - FIRST_ADDRESS


class Gaps:
    """Free addresses between `start` and `end`, as sorted ranges that never touch."""

    def __init__(self, start: int, end: int):
        self._ranges = [(start, end)]

    def take(self, nbytes: int) -> int | None:
        """Take the lowest address where `nbytes` fit; return None if they fit nowhere."""
        for i, (start, end) in enumerate(self._ranges):
            if end - start >= nbytes:
                self._ranges[i : i + 1] = [(start + nbytes, end)] if end - start > nbytes else []
                return start
        return None

    def give(self, start: int, end: int) -> None:
        """Free addresses that were taken."""
        ranges = self._ranges
        at = bisect_left(ranges, (start, end))
        if at < len(ranges) and ranges[at][0] == end:
            end = ranges.pop(at)[1]
        if at and ranges[at - 1][1] == start:
            at -= 1
            start = ranges.pop(at)[0]
        ranges.insert(at, (start, end))

    def largest(self) -> int:
        """Return the length of the longest range."""
        return max((end - start for start, end in self._ranges), default=0)


class SimulatedMemory:
    """The regions, reserved ranges and mapped pages of a device. A method that raises changes nothing.

    Arguments:
        capacity: bytes of regions and mapped pages together.
        granularity: sizes of regions are multiples of it.
        page_size: the bytes of a page; 0 for a device without virtual memory.
        base: added to all addresses.
        addresses: bytes of addresses for regions; None for as many as the capacity.
    """

    def __init__(
        self, capacity: int, granularity: int, page_size: int, base: int = 0, addresses: int | None = None
    ) -> None:  # fmt: skip
        self.capacity = capacity
        self.unused = capacity
        self._granularity = granularity
        self._table = PageTable("SimulatedDriver", page_size)  # each mapped page is identified by a number
        self._numbers = 0
        self._gaps = Gaps(base + FIRST_ADDRESS, base + FIRST_ADDRESS + (addresses or capacity))
        self._starts: list[int] = []
        self._regions: dict[int, tuple[int, int]] = {}  # (bytes, number) by address
        self._reserved_gaps = Gaps(base + FIRST_RESERVED, base + LAST_RESERVED)

    # --------------------------------------------------------------------------------------------------------- regions
    def allocate(self, nbytes: int) -> int:
        """Return the lowest address where a region of `nbytes` fits."""
        if nbytes <= 0 or nbytes % self._granularity:
            raise DriverError(
                f"SimulatedDriver.allocate: expected a multiple of {self._granularity} bytes; got {nbytes}"
            )
        start = self._gaps.take(nbytes) if nbytes <= self.unused else None
        if start is None:
            largest = self.largest_free()
            raise DriverError(f"SimulatedDriver.allocate: expected {nbytes} bytes in one piece; got {largest}")
        self._numbers += 1
        self._regions[start] = nbytes, self._numbers
        insort(self._starts, start)
        self.unused -= nbytes
        return start

    def check_region(self, address: int, nbytes: int) -> None:
        """Raise DriverError unless this is an entire region."""
        if self._regions.get(address, (None,))[0] != nbytes:
            raise DriverError(f"SimulatedDriver.free: expected a region of {nbytes} bytes at {address:#x}; got none")

    def free(self, address: int, nbytes: int) -> None:
        """Free a region."""
        self.check_region(address, nbytes)
        del self._regions[address]
        del self._starts[bisect_left(self._starts, address)]
        self._gaps.give(address, address + nbytes)
        self.unused += nbytes

    def largest_free(self) -> int:
        """Return the largest number of bytes that `allocate` can provide."""
        return min(self._gaps.largest(), self.unused)

    # ----------------------------------------------------------------------------------------------------------- pages
    def reserve(self, nbytes: int) -> int:
        """Reserve a range without memory at the lowest address possible."""
        self._table.whole("reserve_addresses", 0, nbytes)
        start = self._reserved_gaps.take(nbytes)
        if start is None:
            raise DriverError(f"SimulatedDriver.reserve_addresses: expected {nbytes} free addresses; got fewer")
        self._table.ranges[start] = nbytes
        return start

    def check_range(self, address: int, nbytes: int) -> None:
        """Raise DriverError unless this is an entire reserved range without mapped pages."""
        self._table.check_range(address, nbytes)

    def free_range(self, address: int, nbytes: int) -> None:
        """Release a reserved range."""
        self.check_range(address, nbytes)
        del self._table.ranges[address]
        self._reserved_gaps.give(address, address + nbytes)

    def map(self, address: int, nbytes: int) -> None:
        """Map new memory to pages of one reserved range."""
        pages = self._table.unmapped(address, nbytes)
        if nbytes > self.unused:
            raise DriverError(f"SimulatedDriver.map: expected {nbytes} bytes of memory; got {self.unused}")
        for page in pages:
            self._numbers += 1
            self._table.pages[page] = self._numbers
        self.unused -= nbytes

    def check_mapped(self, address: int, nbytes: int) -> None:
        """Raise DriverError unless these are mapped pages."""
        self._table.mapped(address, nbytes)

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages."""
        for page in self._table.mapped(address, nbytes):
            del self._table.pages[page]
        self.unused += nbytes

    # ---------------------------------------------------------------------------------------------------------- lookup
    def regions_of(self, start: int, end: int) -> tuple[int, ...]:
        """Return the numbers of the region or pages that contain these bytes; () if a byte is not allocated.

        A region that is freed and allocated again gets a new number, and so does a page that is unmapped and mapped
        again.
        """
        at = bisect_right(self._starts, start) - 1
        if at >= 0:
            nbytes, number = self._regions[self._starts[at]]
            if end <= self._starts[at] + nbytes:
                return (number,)
        page_size = self._table.page_size
        if not page_size:
            return ()
        pages = range(start - start % page_size, max(end, start + 1), page_size)
        numbers = [self._table.pages.get(page) for page in pages]
        found = tuple(number for number in numbers if number is not None)
        return found if len(found) == len(numbers) else ()

    def regions(self) -> dict[int, int]:
        """Return all regions: {address: bytes}."""
        return {address: nbytes for address, (nbytes, _) in self._regions.items()}
