"""Driver for the memory of a CUDA device, with virtual memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._pages import PageTable
from ._runtime_driver import RuntimeDriver

if TYPE_CHECKING:
    from ._runtime import Runtime

__all__ = ["CudaDriver"]


class CudaDriver(RuntimeDriver):
    """Memory of a CUDA device, with virtual memory if the runtime supports it (CuPy with cuda-bindings does).

    Streams are identified by CUDA's handles: `cupy.cuda.Stream.ptr`; 0 is the default stream. A stream must live as
    long as an allocator has blocks for it. CUDA's per-thread stream, number 2, is not a single stream and must not be
    used.

    Arguments:
        device: the number of the device.
        runtime: a `FakeRuntime`, or an implementation of the protocol `Runtime`; CuPy's by default.

    >>> from facula_allocator.drivers import FakeRuntime, supports_virtual_memory
    >>> driver = CudaDriver(runtime=FakeRuntime())
    >>> address = driver.allocate(4096)
    >>> driver.free(address, 4096)
    >>> supports_virtual_memory(driver), driver.page_size
    (True, 2097152)
    """

    memory = "device memory"

    def __init__(self, device: int = 0, runtime: Runtime | None = None):
        super().__init__(device, runtime)
        #: The bytes of a page; 0 without virtual memory.
        self.page_size = self._ask("page_size: expected the bytes of a page", self.runtime.page_size)
        self._table = PageTable(
            "CudaDriver", self.page_size
        )  # one handle per page, so that any page can be unmapped separately

    def reserve_addresses(self, nbytes: int) -> int:
        """Reserve a range without memory, and return its address."""
        self._table.whole("reserve_addresses", 0, nbytes)
        expected = f"reserve_addresses: expected {nbytes} free addresses"
        address = self._ask(expected, self.runtime.address_reserve, nbytes, self.page_size)
        self._table.ranges[address] = nbytes
        return address

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Release a range from which all pages are unmapped."""
        self._table.check_range(address, nbytes)
        expected = f"free_addresses: expected the range at {address:#x} to be released"
        del self._table.ranges[address]  # before releasing: afterwards another thread may receive the address
        try:
            self._ask(expected, self.runtime.address_free, address, nbytes)
        except BaseException:
            self._table.ranges[address] = nbytes
            raise

    def map(self, address: int, nbytes: int) -> None:
        """Map memory to pages of one range. Raises DriverError if the device has not enough memory."""
        self._table.unmapped(address, nbytes)
        self._ask(f"map: expected {nbytes} bytes of memory", self._map, address, nbytes)

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages, and release their memory."""
        self._table.mapped(address, nbytes)
        self._ask(f"unmap: expected {nbytes} bytes at {address:#x} to be taken back", self._unmap, address, nbytes)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {len(self._table.pages)} pages>"

    # -------------------------------------------------------------------------------------------------- implementation
    def _take(self, nbytes: int) -> int:
        return self.runtime.malloc(nbytes)

    def _give(self, address: int) -> None:
        self.runtime.free(address)

    def _map(self, address: int, nbytes: int) -> None:
        runtime, size = self.runtime, self.page_size
        created: list[int] = []
        mapped: list[int] = []
        try:
            for page in range(address, address + nbytes, size):
                created.append(runtime.memory_create(size))
                runtime.memory_map(page, size, created[-1])
                mapped.append(page)
            runtime.memory_set_access(address, nbytes)
        except BaseException:
            for page in mapped:
                runtime.memory_unmap(page, size)
            for handle in created:
                runtime.memory_release(handle)
            raise
        self._table.pages.update(zip(mapped, created))

    def _unmap(self, address: int, nbytes: int) -> None:
        runtime, size = self.runtime, self.page_size
        gone: list[int] = []
        try:
            for page in range(address, address + nbytes, size):
                runtime.memory_unmap(page, size)
                gone.append(page)
        except BaseException:
            for page in gone:  # their memory is not released yet, so their contents are kept
                runtime.memory_map(page, size, self._table.pages[page])
                runtime.memory_set_access(page, size)
            raise
        for page in gone:
            runtime.memory_release(self._table.pages.pop(page))
