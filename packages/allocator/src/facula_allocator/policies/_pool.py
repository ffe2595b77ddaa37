"""An allocator seen as a driver: memory that is reused below whoever uses this."""

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
    """Pieces of larger segments, kept and reused: a `CachingAllocator` as a driver.

    A driver's memory is free when it is given back, so a piece is reused at once on every stream. There is no virtual
    memory above it: pages have no need of a pool.

    Arguments:
        driver: the driver below.
        limit: the most bytes taken from it; None for no limit.
        options: those of the `CachingAllocator`.

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
        """The address of a block; DriverError when the driver below has no more, after it got idle memory back."""
        try:
            block = self.allocator.allocate(nbytes)
        except OutOfMemoryError as error:
            raise DriverError(f"Pool.allocate: {error}") from None
        self._blocks[block.ptr] = block
        return block.ptr

    def free(self, address: int, nbytes: int) -> None:
        """Keep a block for reuse; DriverError where none of this size is in use there."""
        with self._lock:
            block = self._blocks.get(address)
            if block is None or block.nbytes != nbytes:
                got = f"{nbytes} bytes at {address:#x}"
                raise DriverError(f"Pool.free: expected a block that is in use; got {got}")
            del self._blocks[address]
        block.free()

    def empty_cache(self) -> int:
        """Give idle segments back to the driver below; the bytes given back."""
        return self.allocator.empty_cache()

    def memory_info(self) -> tuple[int, int]:
        """(free, total) bytes: what is idle here is free, too."""
        free, total = self.driver.memory_info()
        stats = self.allocator.memory_stats()
        return free + stats["reserved_bytes.all.current"] - stats["allocated_bytes.all.current"], total

    def _forget(self) -> None:
        self._blocks.clear()
