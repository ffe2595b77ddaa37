"""Adapter that makes a caching allocator the allocator of a device's tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback

from .._core import call_current
from .._host.host_allocator import checked_size, take_empty
from .._settings import default_cache_limit
from .caching_allocator import CachingAllocator

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Block


@boundary
class StorageAllocator:
    """A `CachingAllocator` behind the interface that facula_storage expects of an allocator: tensors in a custom pool.

    A block is (address, release), where the release is the allocator's `Block`; calling it frees the block. Everything
    else that allocates from the same allocator shares its limit and its statistics. A block belongs to the stream that
    is the calling thread's current one when it is taken.

    Arguments:
        allocator: the allocator that serves the blocks.
        cache_limit: idle bytes that `tidy` keeps. The default is a quarter of the memory that this process may use, and
            no bound for memory of other devices.
        current_stream: the address of a C function `int64_t current_stream(void)`, which returns the calling thread's
            current stream; 0 for a device with one stream, stream 0.

    >>> from facula_allocator.drivers import HostDriver
    >>> front = StorageAllocator(CachingAllocator(HostDriver(), limit=1 << 30))
    >>> address, release = front.refill(1000)
    >>> release.nbytes, front.statistics()["allocated_blocks"]
    (1000, 1)
    >>> release()
    >>> front.take_for(1000)()[0] == address
    True
    """

    __slots__ = ("__weakref__", "allocator", "cache_limit", "current_stream")

    def __init__(self, allocator: CachingAllocator, cache_limit: int | None = None, current_stream: int = 0):
        if not isinstance(allocator, CachingAllocator):
            raise InvalidTypeError(f"StorageAllocator: expected allocator, a CachingAllocator; got {allocator!r:.60}")
        self.allocator: CachingAllocator = allocator
        self.current_stream: int = checked_size("StorageAllocator", current_stream, "current_stream")
        if cache_limit is None:
            self.cache_limit: int | None = default_cache_limit() if allocator.driver.survives_fork else None
        else:
            self.cache_limit = checked_size("StorageAllocator", cache_limit, "cache_limit")

    def take_for(self, nbytes: int) -> Callable[[], tuple[int, Callable[[], object]]]:
        """Return a C callable that takes an idle block of at least `nbytes`, or raises IndexError: then call `refill`.

        It raises whenever more than a search of idle blocks is needed: for listeners, private pools, or a forked child.
        """
        nbytes = checked_size("take_for", nbytes)
        if not nbytes:
            return take_empty
        return self.allocator._core.taker(nbytes, self.allocator._detours, self.current_stream)

    def refill(self, nbytes: int) -> tuple[int, Block]:
        """Return a block of at least `nbytes`, idle or new. Raises OutOfMemoryError if none is available."""
        try:
            block = self.allocator.allocate(nbytes, call_current(self.current_stream))
        except FaculaError as error:
            trim_traceback(error)
            raise
        return block.ptr, block

    def statistics(self) -> dict[str, int]:
        """Return bytes and blocks in use, and bytes from the driver. `allocator.memory_stats()` has all counters."""
        stats = self.allocator.memory_stats()
        return {
            "allocated_bytes": stats["allocated_bytes.all.current"],
            "allocated_blocks": stats["allocation.all.current"],
            "reserved_bytes": stats["reserved_bytes.all.current"],
        }

    def trim(self, keep: int = 0) -> int:
        """Release all idle memory to the driver if it exceeds `keep` bytes, and return the bytes released."""
        return self.allocator.empty_cache() if self.idle_bytes() > keep else 0

    def tidy(self) -> int:
        """Release idle memory if it exceeds `cache_limit`, and return the bytes released."""
        if self.cache_limit is None or self.allocator._core.reserved() <= self.cache_limit:
            return 0
        return self.trim() if self.idle_bytes() > self.cache_limit else 0

    def segments(self) -> tuple[int, int]:
        """Return (bytes, number) of the segments from the driver."""
        stats = self.allocator._core.statistics()
        return stats["reserved_bytes.all.current"], stats["segment.all.current"]

    def idle_bytes(self) -> int:
        """Return the bytes taken from the driver that are in no block."""
        now = self.statistics()
        return now["reserved_bytes"] - now["allocated_bytes"]

    def __repr__(self) -> str:
        return f"<StorageAllocator of {self.allocator!r}>"
