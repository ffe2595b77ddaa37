"""An allocator presented as a driver: cached memory for the allocators above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._caching.caching_allocator import CachingAllocator
from .._errors import OutOfMemoryError
from ..drivers.protocol import DriverError
from ._policy import Policy

if TYPE_CHECKING:
    from .._core import Block
    from .._options import Option
    from ..drivers.protocol import Driver


@boundary
class Pool(Policy):
    """Pieces of larger segments, cached and reused: a `CachingAllocator` as a driver.

    Memory returned to a driver has no pending work, so a piece is immediately reused on every stream. A `Pool` offers
    no virtual memory: pages need no pool.

    Arguments:
        driver: the driver below.
        limit: the most bytes to take from it; None for no limit.
        options: the options of the `CachingAllocator`.

    >>> from facula_allocator.drivers import HostDriver
    >>> driver = Pool(HostDriver())
    >>> address = driver.allocate(4096)
    >>> driver.free(address, 4096)
    >>> driver.allocate(4096) == address
    True
    >>> driver.allocator.memory_stats()["segment.all.current"]
    1
    """

    __slots__ = ("_blocks", "allocator")

    def __init__(self, driver: Driver, limit: int | None = None, **options: Option):
        super().__init__(driver)
        self.page_size = 0
        self.allocator: CachingAllocator = CachingAllocator(driver, limit, **options)
        self._blocks: dict[int, Block] = {}

    def allocate(self, nbytes: int) -> int:
        """Return a block. Raises DriverError if the driver below refuses, even after releasing idle memory."""
        try:
            block = self.allocator.allocate(nbytes)
        except OutOfMemoryError as error:
            raise DriverError(f"Pool.allocate: {error}") from None
        self._blocks[block.ptr] = block
        return block.ptr

    def free(self, address: int, nbytes: int) -> None:
        """Keep a block for reuse. Raises DriverError if no block of this size is in use at the address."""
        with self._lock:
            block = self._blocks.get(address)
            if block is None or block.nbytes != nbytes:
                got = f"{nbytes} bytes at {address:#x}"
                raise DriverError(f"Pool.free: expected a block that is in use; got {got}")
            del self._blocks[address]
        block.free()

    def empty_cache(self) -> int:
        """Release idle segments to the driver below, and return the bytes released."""
        return self.allocator.empty_cache()

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes; memory that is idle in the pool counts as free."""
        free, total = self.driver.memory_info()
        stats = self.allocator.memory_stats()
        return free + stats["reserved_bytes.all.current"] - stats["allocated_bytes.all.current"], total

    def _forget(self) -> None:
        self._blocks.clear()
