"""The runtime of real devices: CuPy's bindings of CUDA, and cuda-bindings for virtual memory."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from facula_errors import MissingPackageError, OperationError

from ._runtime import RuntimeFailure

_INSTALL = "pip install 'facula-allocator[cupy]'"
_NOT_READY = 600  # cudaErrorNotReady: no failure


def cupy_runtime(name: str) -> CupyRuntime:
    """The runtime of real devices, for the driver of this name.

    Raises:
        MissingPackageError: CuPy is not installed.
        OperationError: there is no NVIDIA driver, or no device.
    """
    try:
        import_module("cupy")
        runtime = CupyRuntime(import_module("cupy.cuda"))
    except ImportError as error:
        raise MissingPackageError(f"{name}: expected CuPy to be installed; got {error}. Run {_INSTALL}") from None
    try:
        runtime.device_count()
    except RuntimeFailure as failure:
        found = f"{failure}. Install the NVIDIA driver, or pass runtime=FakeRuntime() to try things without a device"
        raise OperationError(f"{name}: expected a CUDA device; got {found}") from None
    return runtime


@cache
def _bindings() -> Any | None:
    """The driver module of cuda-bindings; None where it is not installed."""
    try:
        return import_module("cuda.bindings.driver")
    except ImportError:
        return None


class CupyRuntime:
    """`Runtime` over the module `cupy.cuda`, which is in C and has no types: hence `Any`."""

    def __init__(self, cuda: Any):
        self._cuda = cuda
        self._runtime = cuda.runtime

    def _call(self, name: str, *arguments: int) -> Any:
        """The result of one of CuPy's runtime functions."""
        try:
            return getattr(self._runtime, name)(*arguments)
        except self._runtime.CUDARuntimeError as error:
            code, _, detail = str(error).partition(": ")
        raise RuntimeFailure(code, detail)

    def device_count(self) -> int:
        """The number of devices."""
        return int(self._call("getDeviceCount"))

    def get_device(self) -> int:
        """The calling thread's current device."""
        return int(self._call("getDevice"))

    def set_device(self, device: int) -> None:
        """Make a device current."""
        self._call("setDevice", device)

    def current_stream(self) -> int:
        """The stream of CuPy's `with stream:`."""
        return int(self._cuda.get_current_stream().ptr)

    def malloc(self, nbytes: int) -> int:
        """Device memory."""
        return int(self._call("malloc", nbytes))

    def free(self, address: int) -> None:
        """Give device or managed memory back."""
        self._call("free", address)

    def malloc_managed(self, nbytes: int) -> int:
        """Managed memory."""
        return int(self._call("mallocManaged", nbytes))

    def malloc_host(self, nbytes: int) -> int:
        """Pinned memory, for all devices."""
        return int(self._call("hostAlloc", nbytes, self._runtime.hostAllocPortable))

    def free_host(self, address: int) -> None:
        """Give pinned memory back."""
        self._call("freeHost", address)

    def memory_info(self) -> tuple[int, int]:
        """(free, total) bytes."""
        free, total = self._call("memGetInfo")
        return int(free), int(total)

    def synchronize(self) -> None:
        """Wait for the device."""
        self._call("deviceSynchronize")

    def event_create(self) -> int:
        """An event without timing."""
        return int(self._call("eventCreateWithFlags", self._runtime.eventDisableTiming))

    def event_record(self, event: int, stream: int) -> None:
        """Record an event."""
        self._call("eventRecord", event, stream)

    def event_query(self, event: int) -> bool:
        """Whether the work before the event is over. CuPy returns the status and raises nothing."""
        status = int(self._call("eventQuery", event))
        if status:
            try:
                self._call("check_status", status)  # makes CUDA forget the status, which the next call could report
            except RuntimeFailure:
                if status != _NOT_READY:
                    raise
        return status == 0

    def event_destroy(self, event: int) -> None:
        """Give an event back."""
        self._call("eventDestroy", event)

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Let a stream wait."""
        self._call("streamWaitEvent", stream, event)

    def stream_is_capturing(self, stream: int) -> bool:
        """Whether a graph is captured on the stream, one that became invalid included."""
        try:
            return bool(self._call("streamIsCapturing", stream))
        except RuntimeFailure:
            raise
        except RuntimeError:  # how CuPy says that the capture is invalid
            return True

    # --------------------------------------------------------------------------------------------------- cuda-bindings
    def _bound(self, name: str, *arguments: object) -> Any:
        """The result of one of cuda-bindings' functions."""
        driver = _bindings()
        if driver is None:
            raise RuntimeFailure("no virtual memory", f"cuda-bindings is not installed. Run {_INSTALL}")
        try:
            status, *results = getattr(driver, name)(*arguments)
        except RuntimeError as error:  # how cuda-bindings says that there is no NVIDIA driver
            found = str(error)
        else:
            if int(status):
                raise RuntimeFailure(status.name, name)
            return results[0] if results else None
        raise RuntimeFailure(name, found)

    def exchange_capture_mode(self, mode: int) -> int:
        """Set the thread's capture mode. Without cuda-bindings it stays; CuPy's own captures are relaxed anyway."""
        driver = _bindings()
        return mode if driver is None else int(self._bound(_EXCHANGE, driver.CUstreamCaptureMode(mode)))

    def page_size(self) -> int:
        """The least granularity of virtual memory; 0 where there is none, or no cuda-bindings."""
        driver = _bindings()
        if driver is None:
            return 0
        least = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        try:
            return int(self._bound("cuMemGetAllocationGranularity", self._properties(), least))
        except RuntimeFailure:
            return 0

    def address_reserve(self, nbytes: int, alignment: int) -> int:
        """Addresses without memory."""
        return int(self._bound("cuMemAddressReserve", nbytes, alignment, 0, 0))

    def address_free(self, address: int, nbytes: int) -> None:
        """Give addresses back."""
        self._bound("cuMemAddressFree", address, nbytes)

    def memory_create(self, nbytes: int) -> int:
        """Memory of the current device without addresses."""
        return int(self._bound("cuMemCreate", nbytes, self._properties(), 0))

    def memory_map(self, address: int, nbytes: int, handle: int) -> None:
        """Put memory behind addresses."""
        self._bound("cuMemMap", address, nbytes, 0, handle, 0)

    def memory_set_access(self, address: int, nbytes: int) -> None:
        """Let the current device read and write."""
        self._bound("cuMemSetAccess", address, nbytes, [self._access()], 1)

    def memory_unmap(self, address: int, nbytes: int) -> None:
        """Take memory from behind addresses."""
        self._bound("cuMemUnmap", address, nbytes)

    def memory_release(self, handle: int) -> None:
        """Give memory back."""
        self._bound("cuMemRelease", handle)

    def _properties(self) -> Any:
        """What memory on the current device is, for cuda-bindings."""
        driver = import_module("cuda.bindings.driver")
        properties = driver.CUmemAllocationProp()
        properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        properties.location.id = self.get_device()
        return properties

    def _access(self) -> Any:
        """Leave for the current device to read and write, for cuda-bindings."""
        driver = import_module("cuda.bindings.driver")
        access = driver.CUmemAccessDesc()
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        access.location.id = self.get_device()
        return access


_EXCHANGE = "cuThreadExchangeStreamCaptureMode"
