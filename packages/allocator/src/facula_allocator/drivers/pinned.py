"""Driver for pinned host memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._settings import usable_memory
from ._runtime_driver import RuntimeDriver
from .protocol import DriverError

if TYPE_CHECKING:
    from ._runtime import Runtime

__all__ = ["PinnedDriver"]

HOST = 0
_DONE = -1  # the host's event; the host's work is complete when its call returns


class PinnedDriver(RuntimeDriver):
    """Pinned host memory, which a device can copy from and to asynchronously.

    Stream 0 represents the host. A block allocated for it is reused by the host immediately, except that copies
    registered with `Block.record_use(stream)` must be complete. Instead of waiting for an event, the host takes other
    memory. Copies on the device's default stream use stream 1, CUDA's other name for it.

    Arguments:
        device: the number of the device whose streams use the memory.
        runtime: the runtime to use; CuPy's by default.

    >>> from facula_allocator.drivers import FakeRuntime
    >>> from facula_allocator._caching.caching_allocator import CachingAllocator
    >>> runtime = FakeRuntime()
    >>> allocator = CachingAllocator(PinnedDriver(runtime=runtime))
    >>> block = allocator.allocate(1 << 20)
    >>> copy = runtime.device(0).launch(7, reads=[(block.ptr, 1 << 20)])
    >>> block.record_use(7)
    >>> block.free()
    >>> allocator.allocate(1 << 20).ptr == block.ptr  # the copy is not over
    False
    >>> allocator.memory_stats()["active_bytes.all.current"]
    1048576
    """

    memory = "pinned host memory"

    def __init__(self, device: int = 0, runtime: Runtime | None = None):
        super().__init__(device, runtime)

    def record_event(self, stream: int) -> int:
        """Return an event after the work queued on `stream`; for the host, one that is already done."""
        return _DONE if stream == HOST else super().record_event(stream)

    def wait_event(self, stream: int, event: int) -> None:
        """Make `stream` wait for the event. Raises DriverError for the host, unless the event is done."""
        if event == _DONE:
            return
        if stream != HOST:
            super().wait_event(stream, event)
        elif not self.event_done(event):
            raise DriverError("PinnedDriver.wait_event: expected an event that is done, for the host waits for none")

    def event_done(self, event: int) -> bool:
        """Return whether the work before the event is complete."""
        return event == _DONE or super().event_done(event)

    def free_event(self, event: int) -> None:
        """Keep an event for reuse; streams that wait for it continue to wait."""
        if event != _DONE:
            super().free_event(event)

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return whether a graph is captured on `stream`; never on the host's. None behaves as in other drivers."""
        return stream != HOST and super().is_capturing(stream)

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes of host memory that this process may use, regardless of other processes."""
        total = usable_memory()
        return max(0, total - sum(self._regions.copy().values())), total

    def _take(self, nbytes: int) -> int:
        return self.runtime.malloc_host(nbytes)

    def _give(self, address: int) -> None:
        self.runtime.free_host(address)
