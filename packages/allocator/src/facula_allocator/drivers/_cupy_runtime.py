"""The runtime of real devices: CuPy's bindings of CUDA, and cuda-bindings for virtual memory."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from facula_errors import MissingPackageError, OperationError

from ._runtime import RuntimeFailure

_INSTALL = "pip install 'facula-allocator[cupy]'"
_NOT_READY = 600  # cudaErrorNotReady, which is not a failure


def cupy_runtime(name: str) -> CupyRuntime:
    """Return the runtime of real devices, for the driver of this name.

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
    """Return the driver module of cuda-bindings; None if it is not installed."""
    try:
        return import_module("cuda.bindings.driver")
    except ImportError:
        return None


class CupyRuntime:
    """`Runtime` over the module `cupy.cuda`, an untyped C extension: hence `Any`."""

    def __init__(self, cuda: Any):
        self._cuda = cuda
        self._runtime = cuda.runtime

    def _call(self, name: str, *arguments: int) -> Any:
        """Return the result of one of CuPy's runtime functions."""
        try:
            return getattr(self._runtime, name)(*arguments)
        except self._runtime.CUDARuntimeError as error:
            code, _, detail = str(error).partition(": ")
        raise RuntimeFailure(code, detail)

    def device_count(self) -> int:
        """Return the number of devices."""
        return int(self._call("getDeviceCount"))

    def get_device(self) -> int:
        """Return the calling thread's current device."""
        return int(self._call("getDevice"))

    def set_device(self, device: int) -> None:
        """Make a device the calling thread's current one."""
        self._call("setDevice", device)

    def current_stream(self) -> int:
        """Return the stream of CuPy's `with stream:`."""
        return int(self._cuda.get_current_stream().ptr)

    def malloc(self, nbytes: int) -> int:
        """Allocate device memory."""
        return int(self._call("malloc", nbytes))

    def free(self, address: int) -> None:
        """Free device or managed memory."""
        self._call("free", address)

    def malloc_managed(self, nbytes: int) -> int:
        """Allocate managed memory."""
        return int(self._call("mallocManaged", nbytes))

    def malloc_host(self, nbytes: int) -> int:
        """Allocate pinned memory, for all devices."""
        return int(self._call("hostAlloc", nbytes, self._runtime.hostAllocPortable))

    def free_host(self, address: int) -> None:
        """Free pinned memory."""
        self._call("freeHost", address)

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes."""
        free, total = self._call("memGetInfo")
        return int(free), int(total)

    def synchronize(self) -> None:
        """Wait for the device."""
        self._call("deviceSynchronize")

    def event_create(self) -> int:
        """Create an event without timing."""
        return int(self._call("eventCreateWithFlags", self._runtime.eventDisableTiming))

    def event_record(self, event: int, stream: int) -> None:
        """Record an event."""
        self._call("eventRecord", event, stream)

    def event_query(self, event: int) -> bool:
        """Return whether the work before the event is complete. CuPy returns the status without raising."""
        status = int(self._call("eventQuery", event))
        if status:
            try:
                self._call("check_status", status)  # clears the status in CUDA, which the next call could report
            except RuntimeFailure:
                if status != _NOT_READY:
                    raise
        return status == 0

    def event_destroy(self, event: int) -> None:
        """Destroy an event."""
        self._call("eventDestroy", event)

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Make a stream wait for an event."""
        self._call("streamWaitEvent", stream, event)

    def stream_is_capturing(self, stream: int) -> bool:
        """Return whether a graph capture runs on the stream, including one that became invalid."""
        try:
            return bool(self._call("streamIsCapturing", stream))
        except RuntimeFailure:
            raise
        except RuntimeError:  # CuPy's error for an invalid capture
            return True

    # --------------------------------------------------------------------------------------------------- cuda-bindings
    def _bound(self, name: str, *arguments: object) -> Any:
        """Return the result of one of cuda-bindings' functions."""
        driver = _bindings()
        if driver is None:
            raise RuntimeFailure("no virtual memory", f"cuda-bindings is not installed. Run {_INSTALL}")
        try:
            status, *results = getattr(driver, name)(*arguments)
        except RuntimeError as error:  # cuda-bindings' error for a missing NVIDIA driver
            found = str(error)
        else:
            if int(status):
                raise RuntimeFailure(status.name, name)
            return results[0] if results else None
        raise RuntimeFailure(name, found)

    def exchange_capture_mode(self, mode: int) -> int:
        """Set the thread's capture mode. No effect without cuda-bindings: CuPy's own captures are relaxed anyway."""
        driver = _bindings()
        return mode if driver is None else int(self._bound(_EXCHANGE, driver.CUstreamCaptureMode(mode)))

    def page_size(self) -> int:
        """Return the minimum granularity of virtual memory; 0 without virtual memory or cuda-bindings."""
        driver = _bindings()
        if driver is None:
            return 0
        least = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        try:
            return int(self._bound("cuMemGetAllocationGranularity", self._properties(), least))
        except RuntimeFailure:
            return 0

    def address_reserve(self, nbytes: int, alignment: int) -> int:
        """Reserve addresses without memory."""
        return int(self._bound("cuMemAddressReserve", nbytes, alignment, 0, 0))

    def address_free(self, address: int, nbytes: int) -> None:
        """Release reserved addresses."""
        self._bound("cuMemAddressFree", address, nbytes)

    def memory_create(self, nbytes: int) -> int:
        """Allocate memory of the current device without addresses."""
        return int(self._bound("cuMemCreate", nbytes, self._properties(), 0))

    def memory_map(self, address: int, nbytes: int, handle: int) -> None:
        """Map memory to addresses."""
        self._bound("cuMemMap", address, nbytes, 0, handle, 0)

    def memory_set_access(self, address: int, nbytes: int) -> None:
        """Let the current device read and write the memory."""
        self._bound("cuMemSetAccess", address, nbytes, [self._access()], 1)

    def memory_unmap(self, address: int, nbytes: int) -> None:
        """Unmap the memory at some addresses."""
        self._bound("cuMemUnmap", address, nbytes)

    def memory_release(self, handle: int) -> None:
        """Release memory allocated by `memory_create`."""
        self._bound("cuMemRelease", handle)

    def _properties(self) -> Any:
        """Return cuda-bindings' description of memory on the current device."""
        driver = import_module("cuda.bindings.driver")
        properties = driver.CUmemAllocationProp()
        properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        properties.location.id = self.get_device()
        return properties

    def _access(self) -> Any:
        """Return cuda-bindings' read and write permission for the current device."""
        driver = import_module("cuda.bindings.driver")
        access = driver.CUmemAccessDesc()
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        access.location.id = self.get_device()
        return access


_EXCHANGE = "cuThreadExchangeStreamCaptureMode"
