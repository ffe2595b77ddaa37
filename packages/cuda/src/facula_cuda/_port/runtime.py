"""facula_allocator's `Runtime` over the driver's table: `CudaDriver(index, DriverRuntime())` needs no CuPy."""

from __future__ import annotations

from typing import Any

from facula_allocator.drivers import RuntimeFailure
from facula_errors import FaculaError

from .._driver import ffi, lib
from .devices import attribute, context, count_devices, current_index, set_index
from .driver import failure

_ATTACH_GLOBAL = 1  # managed memory that every stream may use
_PORTABLE, _MAPPED = 1, 2  # pinned memory for all contexts, which kernels can use, too
_DISABLE_TIMING = 2
_STREAM_CAPTURE_IMPLICIT = 906
_VIRTUAL_MEMORY_SUPPORTED = 102  # a CUdevice_attribute
_PINNED, _DEVICE, _READ_WRITE, _MINIMUM = 1, 1, 3, 0


class DriverRuntime:
    """The runtime of CUDA's devices, real or simulated. Calls refer to the calling thread's current device.

    Each call may raise `facula_allocator.drivers.RuntimeFailure`, whose code is the driver's name of the error.

    >>> from facula_allocator.drivers import CudaDriver, Runtime
    >>> all(hasattr(DriverRuntime(), name) for name in vars(Runtime) if not name.startswith("_"))
    True
    """

    def device_count(self) -> int:
        """Return the number of devices."""
        return count_devices()

    def get_device(self) -> int:
        """Return the calling thread's current device."""
        return current_index()

    def set_device(self, device: int) -> None:
        """Make a device the calling thread's current one."""
        set_index(device)

    def current_stream(self) -> int:
        """Return the calling thread's current stream of its current device."""
        return int(lib.facula_cuda_current_stream())

    def malloc(self, nbytes: int) -> int:
        """Allocate device memory."""
        return self._result("uint64_t", "cuMemAlloc_v2", nbytes)

    def free(self, address: int) -> None:
        """Free device or managed memory."""
        self._call("cuMemFree_v2", address)

    def malloc_managed(self, nbytes: int) -> int:
        """Allocate managed memory."""
        return self._result("uint64_t", "cuMemAllocManaged", nbytes, _ATTACH_GLOBAL)

    def malloc_host(self, nbytes: int) -> int:
        """Allocate pinned memory, for all devices and their kernels."""
        address = ffi.new("void **")
        self._call("cuMemHostAlloc", address, nbytes, _PORTABLE | _MAPPED)
        return int(ffi.cast("uintptr_t", address[0]))

    def free_host(self, address: int) -> None:
        """Free pinned memory."""
        self._call("cuMemFreeHost", ffi.cast("void *", address))

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes."""
        free, total = ffi.new("size_t *"), ffi.new("size_t *")
        self._call("cuMemGetInfo_v2", free, total)
        return int(free[0]), int(total[0])

    def synchronize(self) -> None:
        """Wait for the device."""
        self._call("cuCtxSynchronize")

    def event_create(self) -> int:
        """Create an event without timing."""
        return self._result("int64_t", "cuEventCreate", _DISABLE_TIMING)

    def event_record(self, event: int, stream: int) -> None:
        """Record an event."""
        self._call("cuEventRecord", event, stream)

    def event_query(self, event: int) -> bool:
        """Return whether the work before the event is complete."""
        self._bind()
        code = lib.driver.cuEventQuery(event)
        if code == lib.DRIVER_NOT_READY:
            return False
        _check(code)
        return True

    def event_destroy(self, event: int) -> None:
        """Destroy an event."""
        self._call("cuEventDestroy_v2", event)

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Make a stream wait for an event."""
        self._call("cuStreamWaitEvent", stream, event, 0)

    def stream_is_capturing(self, stream: int) -> bool:
        """Return whether a graph capture runs on the stream, including one that became invalid."""
        status = ffi.new("int *")
        self._call("cuStreamIsCapturing", stream, status)
        return bool(status[0])

    def exchange_capture_mode(self, mode: int) -> int:
        """Set the thread's capture mode, and return the previous one."""
        number = ffi.new("int *", mode)
        self._call("cuThreadExchangeStreamCaptureMode", number)
        return int(number[0])

    def page_size(self) -> int:
        """Return the minimum granularity of virtual memory; 0 on a device without it."""
        self._bind()
        if not attribute(current_index(), _VIRTUAL_MEMORY_SUPPORTED):
            return 0
        return self._result("size_t", "cuMemGetAllocationGranularity", _properties(), _MINIMUM)

    def address_reserve(self, nbytes: int, alignment: int) -> int:
        """Reserve addresses without memory."""
        return self._result("uint64_t", "cuMemAddressReserve", nbytes, alignment, 0, 0)

    def address_free(self, address: int, nbytes: int) -> None:
        """Release reserved addresses."""
        self._call("cuMemAddressFree", address, nbytes)

    def memory_create(self, nbytes: int) -> int:
        """Allocate memory of the current device without addresses."""
        return self._result("int64_t", "cuMemCreate", nbytes, _properties(), 0)

    def memory_map(self, address: int, nbytes: int, handle: int) -> None:
        """Map memory to addresses."""
        self._call("cuMemMap", address, nbytes, 0, handle, 0)

    def memory_set_access(self, address: int, nbytes: int) -> None:
        """Let the current device read and write the memory."""
        access = ffi.new("struct memory_access *")
        access.location.type, access.location.id, access.flags = _DEVICE, current_index(), _READ_WRITE
        self._call("cuMemSetAccess", address, nbytes, access, 1)

    def memory_unmap(self, address: int, nbytes: int) -> None:
        """Unmap the memory at some addresses."""
        self._call("cuMemUnmap", address, nbytes)

    def memory_release(self, handle: int) -> None:
        """Release memory allocated by `memory_create`."""
        self._call("cuMemRelease", handle)

    def _result(self, kind: str, name: str, *arguments: object) -> int:
        """Call a function whose first argument points to its result, a number of a type in C; return the result."""
        result = ffi.new(f"{kind} *")
        self._call(name, result, *arguments)
        return int(result[0])

    def _call(self, name: str, *arguments: object) -> None:
        """Call a function of the driver in the context of the current device."""
        self._bind()
        _check(getattr(lib.driver, name)(*arguments))

    def _bind(self) -> None:
        """Make the context of the current device current; what refuses it becomes a RuntimeFailure."""
        try:
            context(current_index())
            return
        except FaculaError as error:
            refusal = str(error)
        raise RuntimeFailure("no context", refusal)


def _check(code: int) -> None:
    """Raise RuntimeFailure unless the driver's code is that of success."""
    if code == _STREAM_CAPTURE_IMPLICIT:
        raise RuntimeFailure("cudaErrorStreamCaptureImplicit")  # the name that the allocator's drivers know
    if code:
        name, _, text = failure(code).partition(": ")
        raise RuntimeFailure(name, text)


def _properties() -> Any:
    """Return the driver's description of memory on the current device."""
    properties = ffi.new("struct memory_properties *")
    properties.type = _PINNED
    properties.location.type, properties.location.id = _DEVICE, current_index()
    return properties
