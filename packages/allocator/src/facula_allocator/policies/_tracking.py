"""Memory not yet freed, and the lines that allocated it."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, NamedTuple

from facula_errors.extend import boundary

from .._errors import format_bytes
from .._reports.call_sites import CallSite, call_site, group_by_name
from ..drivers.protocol import DriverError
from ._policy import Policy

if TYPE_CHECKING:
    from ..drivers.protocol import Driver


class Tracked(NamedTuple):
    """Memory held: its address, bytes, time of allocation (`time.time()`), and allocating line."""

    address: int
    nbytes: int
    seconds: float
    site: CallSite


@boundary
class Tracking(Policy):
    """The memory held and the lines that allocated it, for finding leaks. Freeing anything else raises DriverError.

    Below a `CachingAllocator` it tracks segments and mapped pages; above a `Pool` it tracks each block.

    >>> from facula_allocator.drivers import HostDriver
    >>> driver = Tracking(HostDriver())
    >>> address = driver.allocate(4096)
    >>> [block.nbytes for block in driver.live()]
    [4096]
    >>> driver.free(address, 4096)
    >>> print(driver.report())
    host memory: nothing is held
    """

    __slots__ = ("_live",)

    def __init__(self, driver: Driver):
        super().__init__(driver)
        self._live: dict[int, Tracked] = {}

    def allocate(self, nbytes: int) -> int:
        """Allocate from the driver below."""
        address = super().allocate(nbytes)
        self._live[address] = Tracked(address, nbytes, time(), call_site())
        return address

    def free(self, address: int, nbytes: int) -> None:
        """Free memory. Raises DriverError, without effect, if it is not held or has another size."""
        with self._lock:
            gone = [self._held("free", address, nbytes)]
            del self._live[address]
        try:
            super().free(address, nbytes)
        except BaseException:
            self._restore(gone)
            raise

    def map(self, address: int, nbytes: int) -> None:
        """Map memory to pages, each of which is tracked separately."""
        super().map(address, nbytes)
        now, site = time(), call_site()
        for page in self._starts(address, nbytes):
            self._live[page] = Tracked(page, self.page_size, now, site)

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages. Raises DriverError, without effect, if one is not mapped."""
        with self._lock:
            gone = [self._held("unmap", page, self.page_size) for page in self._starts(address, nbytes)]
            for block in gone:
                del self._live[block.address]
        try:
            super().unmap(address, nbytes)
        except BaseException:
            self._restore(gone)
            raise

    def _starts(self, address: int, nbytes: int) -> range:
        return range(address, address + nbytes, self.page_size or nbytes or 1)

    def _held(self, operation: str, address: int, nbytes: int) -> Tracked:
        held = self._live.get(address)
        if held is None:
            raise DriverError(f"Tracking.{operation}: expected an address in use; got {address:#x}")
        if held.nbytes != nbytes:
            whole = f"{held.nbytes} bytes at {address:#x}, allocated at {held.site}"
            raise DriverError(f"Tracking.{operation}: expected {whole}; got {nbytes}")
        return held

    def _restore(self, gone: list[Tracked]) -> None:
        self._live.update({block.address: block for block in gone})

    def live(self) -> list[Tracked]:
        """Return all memory held, oldest first."""
        return list(self._live.values())

    def report(self) -> str:
        """Return a text that lists the memory held by allocating line, most bytes first."""
        live = self.live()
        if not live:
            return f"{self.memory}: nothing is held"
        total = sum([block.nbytes for block in live])
        lines = [f"{self.memory}: {format_bytes(total)} held in {len(live)} pieces, by allocating line"]
        for holder in group_by_name([(str(block.site), block.nbytes) for block in live]):
            lines.append(f"  {format_bytes(holder.nbytes):>9} in {holder.blocks}  {holder.name}")
        return "\n".join(lines)

    def _forget(self) -> None:
        self._live.clear()
