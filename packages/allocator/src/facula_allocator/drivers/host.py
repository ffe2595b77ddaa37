"""Driver for the memory of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError

from .._host.regions import Account, address_of, release_region
from .._settings import usable_memory
from .protocol import DriverError

if TYPE_CHECKING:
    from .._host_memory import Region

__all__ = ["HostDriver"]


class HostDriver:
    """Host memory in whole pages, aligned for huge pages from 2 MiB on. Work on it is complete when its call returns.

    So every event is done immediately, and a block used on other streams is free as soon as it is freed.

    Arguments:
        limit: the most bytes to take from the system; None for no limit.

    >>> driver = HostDriver()
    >>> address = driver.allocate(1 << 21)
    >>> address % (1 << 21)
    0
    >>> driver.free(address, 1 << 21)
    """

    __slots__ = ("_account", "_regions", "limit")

    granularity = 64
    memory = "host memory"
    survives_fork = True

    def __init__(self, limit: int | None = None):
        if limit is not None and (type(limit) is not int or not 0 <= limit < 1 << 63):
            raise InvalidValueError(f"HostDriver: expected limit >= 0 bytes, an int, or None; got {limit!r}")
        self.limit = limit
        self._account = Account(limit)
        self._regions: dict[int, Region] = {}

    def allocate(self, nbytes: int) -> int:
        """Return the address of new pages. Raises DriverError if the limit or the system refuses."""
        region = self._account.region(nbytes, pages=True)
        if region is None:
            raise DriverError(f"HostDriver.allocate: expected {nbytes} bytes of host memory; the system refused")
        address = address_of(region)
        self._regions[address] = region
        return address

    def free(self, address: int, nbytes: int) -> None:
        """Return pages to the system."""
        region = self._regions.pop(address, None)
        if region is None:
            raise DriverError(f"HostDriver.free: expected an address from allocate; got {address:#x}")
        release_region(region)

    def record_event(self, stream: int) -> int:
        """Return an event that is already done."""
        return 0

    def wait_event(self, stream: int, event: int) -> None:
        """Return immediately: all events are done."""

    def event_done(self, event: int) -> bool:
        """Return True."""
        return True

    def free_event(self, event: int) -> None:
        """Return immediately: events hold no resources."""

    def synchronize(self) -> None:
        """Return immediately: all work is complete."""

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return False: the host has no graph capture."""
        return False

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes that this process may use, regardless of use by other processes."""
        total = usable_memory()
        return max(0, total - self._account.reserved()), total

    def __repr__(self) -> str:
        return f"<HostDriver, {len(self._regions)} regions, {self._account.reserved()} bytes>"
