"""Driver for memory that migrates between host and device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._runtime_driver import RuntimeDriver

if TYPE_CHECKING:
    from ._runtime import Runtime

__all__ = ["ManagedDriver"]


class ManagedDriver(RuntimeDriver):
    """Managed memory of a CUDA device. Allocations may exceed the device's memory, at the cost of page migration.

    Arguments:
        device: the number of the device whose streams use the memory.
        runtime: the runtime to use; CuPy's by default.

    >>> from facula_allocator.drivers import FakeRuntime
    >>> driver = ManagedDriver(runtime=FakeRuntime(capacity=1 << 20, host_capacity=1 << 30))
    >>> address = driver.allocate(1 << 28)
    >>> driver.free(address, 1 << 28)
    """

    memory = "managed memory"

    def __init__(self, device: int = 0, runtime: Runtime | None = None):
        super().__init__(device, runtime)

    def _take(self, nbytes: int) -> int:
        return self.runtime.malloc_managed(nbytes)

    def _give(self, address: int) -> None:
        self.runtime.free(address)
