"""The reserved addresses of a device, and the pages of them that are mapped to memory."""

from __future__ import annotations

from .protocol import DriverError


class PageTable:
    """Reserved ranges and mapped pages, and checks of the calls that use them. Errors begin with the owner's name.

    Arguments:
        owner: the driver's class.
        page_size: the bytes of a page; 0 for a device without virtual memory.

    `ranges` maps addresses to the bytes of each range; `pages` maps each mapped page to an identifier of its memory.
    """

    def __init__(self, owner: str, page_size: int):
        self.owner = owner
        self.page_size = page_size
        self.ranges: dict[int, int] = {}
        self.pages: dict[int, int] = {}

    def whole(self, call: str, address: int, nbytes: int) -> range:
        """Return the pages at an address. Raises DriverError if the range is not made of whole pages."""
        size = self.page_size
        if not size:
            raise DriverError(f"{self.owner}.{call}: expected a device with page_size > 0; this one has no pages")
        if nbytes <= 0 or nbytes % size or address % size:
            got = f"{nbytes} at {address:#x}" if address else f"{nbytes}"
            raise DriverError(f"{self.owner}.{call}: expected whole pages of {size} bytes; got {got}")
        return range(address, address + nbytes, size)

    def check_range(self, address: int, nbytes: int) -> None:
        """Raise DriverError unless this is an entire reserved range without mapped pages."""
        call = "free_addresses"
        if self.ranges.get(address) != nbytes:
            raise DriverError(f"{self.owner}.{call}: expected a range of {nbytes} bytes at {address:#x}; got none")
        self._check_unmapped(call, self.whole(call, address, nbytes))

    def unmapped(self, address: int, nbytes: int) -> range:
        """Return the pages to map. Raises DriverError if they are not within one range, or if one is already mapped."""
        pages, end = self.whole("map", address, nbytes), address + nbytes
        if not any(start <= address and end <= start + length for start, length in self.ranges.copy().items()):
            raise DriverError(f"{self.owner}.map: expected a part of a reserved range; got [{address:#x}, {end:#x})")
        self._check_unmapped("map", pages)
        return pages

    def mapped(self, address: int, nbytes: int) -> range:
        """Return the pages to unmap. Raises DriverError if one is not mapped."""
        pages = self.whole("unmap", address, nbytes)
        for page in pages:
            if page not in self.pages:
                raise DriverError(f"{self.owner}.unmap: expected mapped pages; got none at {page:#x}")
        return pages

    def _check_unmapped(self, call: str, pages: range) -> None:
        for page in pages:
            if page in self.pages:
                raise DriverError(f"{self.owner}.{call}: expected no mapped page; got one at {page:#x}")
