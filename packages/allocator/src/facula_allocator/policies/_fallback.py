"""A second driver for requests that the first one refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from ..drivers.protocol import DriverError, checked_driver
from ._policy import Policy

if TYPE_CHECKING:
    from ..drivers.protocol import Driver


@boundary
class Fallback(Policy):
    """Memory of `first`, or of `second` if `first` refuses. Freed memory returns to the driver that it came from.

    The same streams must work on both kinds of memory, such as a device's own and managed memory: events and streams
    are those of `first`. There is no virtual memory, because the pages of a range would have to come from one driver.

    `second` is asked before an allocator above releases its idle memory. To ask it afterwards, put the allocator below:
    `CachingAllocator(Fallback(Pool(first), second))`.

    Arguments:
        first: the driver to ask first.
        second: the driver to ask after a refusal.

    >>> from facula_allocator.drivers import HostDriver
    >>> driver = Fallback(HostDriver(limit=1 << 20), HostDriver())
    >>> addresses = [driver.allocate(1 << 20) for _ in range(2)]
    >>> driver.fallback_bytes
    1048576
    >>> for address in addresses:
    ...     driver.free(address, 1 << 20)
    >>> driver.fallback_bytes
    0
    """

    __slots__ = ("_homes", "second")

    def __init__(self, first: Driver, second: Driver):
        checked_driver(first, "Fallback", "first")
        super().__init__(first)
        self.second: Driver = checked_driver(second, "Fallback", "second")
        self.granularity = max(first.granularity, second.granularity)
        if self.granularity % first.granularity or self.granularity % second.granularity:
            got = f"{first.granularity} and {second.granularity}"
            raise InvalidValueError(f"Fallback: expected granularities of which one divides the other; got {got}")
        self.survives_fork = first.survives_fork and second.survives_fork
        self.page_size = 0
        self._homes: dict[int, tuple[Driver, int]] = {}  # by address: the driver that it came from, and its bytes

    @property
    def fallback_bytes(self) -> int:
        """Bytes of `second` held now."""
        return sum([nbytes for driver, nbytes in list(self._homes.values()) if driver is self.second])

    def allocate(self, nbytes: int) -> int:
        """Return memory of the first driver that does not refuse. Raises DriverError if both do."""
        try:
            return self._note(self.driver, self.driver.allocate(nbytes), nbytes)
        except DriverError as error:
            refusal = error
        try:
            return self._note(self.second, self.second.allocate(nbytes), nbytes)
        except DriverError as error:
            raise DriverError(f"Fallback.allocate: both drivers refused: {refusal}; {error}") from None

    def _note(self, driver: Driver, address: int, nbytes: int) -> int:
        if self._homes.setdefault(address, (driver, nbytes)) != (driver, nbytes):
            driver.free(address, nbytes)
            raise DriverError(f"Fallback.allocate: expected addresses that no two drivers give; got {address:#x} twice")
        return address

    def free(self, address: int, nbytes: int) -> None:
        """Free memory in the driver that it came from. Raises DriverError if it came from neither."""
        home = self._homes.pop(address, None)  # before freeing: afterwards another thread may receive the address
        if home is None:
            raise DriverError(f"Fallback.free: expected an address from allocate; got {address:#x}")
        try:
            home[0].free(address, nbytes)
        except BaseException:
            self._homes[address] = home
            raise

    def synchronize(self) -> None:
        """Wait until all queued work of both drivers is complete."""
        self.driver.synchronize()
        self.second.synchronize()

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return whether a graph is being captured on `stream`, or on any stream for None."""
        return self.driver.is_capturing(stream) or self.second.is_capturing(stream)

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes of both drivers together."""
        (free, total), (more_free, more_total) = self.driver.memory_info(), self.second.memory_info()
        return free + more_free, total + more_total

    def _forget(self) -> None:
        self._homes.clear()
