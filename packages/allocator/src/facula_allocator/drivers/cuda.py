"""Memory of a CUDA device, as a driver; with virtual memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._runtime_driver import RuntimeDriver
from .protocol import DriverError

if TYPE_CHECKING:
    from ._runtime import Runtime

__all__ = ["CudaDriver"]


class CudaDriver(RuntimeDriver):
    """Memory of a CUDA device, with virtual memory where the runtime has it: CuPy's does where cuda-bindings is there.

    Streams are the numbers that CUDA knows them by: `cupy.cuda.Stream.ptr`; 0 is the default stream. A stream lives as
    long as an allocator has blocks of it. CUDA's stream per thread, number 2, is not one stream and must not be used.

    Arguments:
        device: the number of the device.
        runtime: what the driver calls: a `FakeRuntime`, or what has the protocol `Runtime`; CuPy's by default.

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
        self._ranges: dict[int, int] = {}  # address: bytes
        self._pages: dict[int, int] = {}  # address: handle of its memory, each page its own so that any can go alone

    def reserve_addresses(self, nbytes: int) -> int:
        """The address of a range without memory."""
        self._check_pages("reserve_addresses", 0, nbytes)
        expected = f"reserve_addresses: expected {nbytes} free addresses"
        address = self._ask(expected, self.runtime.address_reserve, nbytes, self.page_size)
        self._ranges[address] = nbytes
        return address

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Give a range back, from which all pages are unmapped."""
        if self._ranges.get(address) != nbytes:
            raise DriverError(
                f"CudaDriver.free_addresses: expected a range of {nbytes} bytes at {address:#x}; got none"
            )
        for page in self._check_pages("free_addresses", address, nbytes):
            if page in self._pages:
                raise DriverError(f"CudaDriver.free_addresses: expected no mapped page; got one at {page:#x}")
        expected = f"free_addresses: expected the range at {address:#x} to be given back"
        del self._ranges[address]  # before: another thread may be given the address at once
        try:
            self._ask(expected, self.runtime.address_free, address, nbytes)
        except BaseException:
            self._ranges[address] = nbytes
            raise

    def map(self, address: int, nbytes: int) -> None:
        """Put memory behind pages of one range; DriverError when the device has not enough."""
        pages, end = self._check_pages("map", address, nbytes), address + nbytes
        if not any(start <= address and end <= start + length for start, length in self._ranges.copy().items()):
            raise DriverError(f"CudaDriver.map: expected [{address:#x}, {end:#x}) within a reserved range")
        for page in pages:
            if page in self._pages:
                raise DriverError(f"CudaDriver.map: expected no mapped page; got one at {page:#x}")
        self._ask(f"map: expected {nbytes} bytes of memory", self._map, address, nbytes)

    def unmap(self, address: int, nbytes: int) -> None:
        """Take the memory from behind mapped pages, and give it back."""
        for page in self._check_pages("unmap", address, nbytes):
            if page not in self._pages:
                raise DriverError(f"CudaDriver.unmap: expected mapped pages; got none at {page:#x}")
        self._ask(f"unmap: expected {nbytes} bytes at {address:#x} to be taken back", self._unmap, address, nbytes)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {len(self._pages)} pages>"

    # ---------------------------------------------------------------------------------------------------------- inside
    def _take(self, nbytes: int) -> int:
        return self.runtime.malloc(nbytes)

    def _give(self, address: int) -> None:
        self.runtime.free(address)

    def _check_pages(self, call: str, address: int, nbytes: int) -> range:
        size = self.page_size
        if not size:
            raise DriverError(f"CudaDriver.{call}: expected a device with page_size > 0; this one has no pages")
        if nbytes <= 0 or nbytes % size or address % size:
            got = f"{nbytes} at {address:#x}" if address else f"{nbytes}"
            raise DriverError(f"CudaDriver.{call}: expected whole pages of {size} bytes; got {got}")
        return range(address, address + nbytes, size)

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
        self._pages.update(zip(mapped, created))

    def _unmap(self, address: int, nbytes: int) -> None:
        runtime, size = self.runtime, self.page_size
        gone: list[int] = []
        try:
            for page in range(address, address + nbytes, size):
                runtime.memory_unmap(page, size)
                gone.append(page)
        except BaseException:
            for page in gone:  # with what was in them: their memory is not released yet
                runtime.memory_map(page, size, self._pages[page])
                runtime.memory_set_access(page, size)
            raise
        for page in gone:
            runtime.memory_release(self._pages.pop(page))
