"""A limit on the memory held at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._errors import format_bytes
from ..drivers.protocol import DriverError
from ._policy import Policy, checked_count

if TYPE_CHECKING:
    from ..drivers.protocol import Driver


@boundary
class Limit(Policy):
    """Allow at most `nbytes` from the driver at once; refuse larger requests with a DriverError.

    Several allocators over one `Limit` share the limit.

    Arguments:
        driver: the driver below.
        nbytes: the most bytes; it may be changed later, even below the bytes held.

    >>> from facula_allocator.drivers import HostDriver
    >>> driver = Limit(HostDriver(), 1 << 20)
    >>> address = driver.allocate(1 << 19)
    >>> driver.allocate(1 << 20)
    Traceback (most recent call last):
    facula_allocator.drivers.DriverError: Limit.allocate: expected at most 1 MiB of host memory at once; \
512 KiB are in use and 1 MiB were requested
    >>> driver.free(address, 1 << 19)
    >>> driver.held
    0
    """

    __slots__ = ("_held", "_limit")

    def __init__(self, driver: Driver, nbytes: int):
        super().__init__(driver)
        self._limit = checked_count("Limit", "nbytes", nbytes)
        self._held = 0

    @property
    def nbytes(self) -> int:
        """The most bytes that may be held."""
        return self._limit

    @nbytes.setter
    def nbytes(self, nbytes: int) -> None:
        self._limit = checked_count("Limit", "nbytes", nbytes)

    @property
    def held(self) -> int:
        """Bytes held now."""
        return self._held

    def allocate(self, nbytes: int) -> int:
        """Allocate from the driver below. Raises DriverError if the request exceeds the limit."""
        self._take("allocate", nbytes)
        try:
            return super().allocate(nbytes)
        except BaseException:
            self._give_back(nbytes)
            raise

    def map(self, address: int, nbytes: int) -> None:
        """Map memory to pages. Raises DriverError if the request exceeds the limit."""
        self._take("map", nbytes)
        try:
            super().map(address, nbytes)
        except BaseException:
            self._give_back(nbytes)
            raise

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages."""
        super().unmap(address, nbytes)
        self._give_back(nbytes)

    def _take(self, operation: str, nbytes: int) -> None:
        with self._lock:
            if self._held + nbytes > self._limit:
                raise DriverError(
                    f"Limit.{operation}: expected at most {format_bytes(self._limit)} of {self.memory} at once; "
                    f"{format_bytes(self._held)} are in use and {format_bytes(nbytes)} were requested"
                )
            self._held += nbytes

    def free(self, address: int, nbytes: int) -> None:
        """Free memory."""
        super().free(address, nbytes)
        self._give_back(nbytes)

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes within the limit."""
        free, total = self.driver.memory_info()
        return max(0, min(free, self._limit - self._held)), min(total, self._limit)

    def _give_back(self, nbytes: int) -> None:
        with self._lock:
            self._held -= nbytes

    def _forget(self) -> None:
        self._held = 0
