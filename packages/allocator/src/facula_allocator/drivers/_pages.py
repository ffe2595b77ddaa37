"""Which reserved addresses a device has given, and which of their pages have memory."""

from __future__ import annotations

from .protocol import DriverError


class PageTable:
    """Reserved ranges and mapped pages, and the checks of the calls about them; errors begin with the owner's name.

    Arguments:
        owner: the driver's class.
        page_size: the bytes of a page; 0 for a device without virtual memory.

    `ranges` are the bytes of each range by address, `pages` what stands for the memory of each mapped page.
    """

    def __init__(self, owner: str, page_size: int):
        self.owner = owner
        self.page_size = page_size
        self.ranges: dict[int, int] = {}
        self.pages: dict[int, int] = {}

    def whole(self, call: str, address: int, nbytes: int) -> range:
        """The pages at an address; DriverError where these are not whole ones."""
        size = self.page_size
        if not size:
            raise DriverError(f"{self.owner}.{call}: expected a device with page_size > 0; this one has no pages")
        if nbytes <= 0 or nbytes % size or address % size:
            got = f"{nbytes} at {address:#x}" if address else f"{nbytes}"
            raise DriverError(f"{self.owner}.{call}: expected whole pages of {size} bytes; got {got}")
        return range(address, address + nbytes, size)

    def check_range(self, address: int, nbytes: int) -> None:
        """DriverError where this is not the whole of a reserved range, without mapped pages."""
        call = "free_addresses"
        if self.ranges.get(address) != nbytes:
            raise DriverError(f"{self.owner}.{call}: expected a range of {nbytes} bytes at {address:#x}; got none")
        self._check_unmapped(call, self.whole(call, address, nbytes))

    def unmapped(self, address: int, nbytes: int) -> range:
        """The pages that are to be mapped; DriverError where they are not of one range, or one has memory."""
        pages, end = self.whole("map", address, nbytes), address + nbytes
        if not any(start <= address and end <= start + length for start, length in self.ranges.copy().items()):
            raise DriverError(f"{self.owner}.map: expected [{address:#x}, {end:#x}) within a reserved range")
        self._check_unmapped("map", pages)
        return pages

    def mapped(self, address: int, nbytes: int) -> range:
        """The pages that are to be unmapped; DriverError where one has no memory."""
        pages = self.whole("unmap", address, nbytes)
        for page in pages:
            if page not in self.pages:
                raise DriverError(f"{self.owner}.unmap: expected mapped pages; got none at {page:#x}")
        return pages

    def _check_unmapped(self, call: str, pages: range) -> None:
        for page in pages:
            if page in self.pages:
                raise DriverError(f"{self.owner}.{call}: expected no mapped page; got one at {page:#x}")
