"""The vendor runtime that drivers of real devices use: flat functions on ints."""

from __future__ import annotations

from typing import Protocol

from facula_errors import InvalidTypeError, OperationError

#: The relaxed capture mode: captures forbid none of the thread's calls, as long as the calls do not wait for a capture.
RELAXED = 2
#: The error code when the default stream waits for a captured stream, so that its own state cannot be queried.
IMPLICIT_CAPTURE = "cudaErrorStreamCaptureImplicit"


class RuntimeFailure(OperationError):
    """A call that a runtime refused.

    Arguments:
        code: the runtime's name for the reason, as "cudaErrorMemoryAllocation".
        detail: further information.

    >>> print(RuntimeFailure("cudaErrorMemoryAllocation", "out of memory"))
    cudaErrorMemoryAllocation: out of memory
    """

    def __init__(self, code: str, detail: str = ""):
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else self.code


class Runtime(Protocol):
    """The runtime of some devices: memory, events, streams and virtual memory, all identified by ints.

    Calls refer to the calling thread's current device. Each may raise RuntimeFailure, and then has no effect.
    """

    def device_count(self) -> int:
        """Return the number of devices."""

    def get_device(self) -> int:
        """Return the calling thread's current device."""

    def set_device(self, device: int) -> None:
        """Make a device the calling thread's current one."""

    def current_stream(self) -> int:
        """Return the stream that receives the calling thread's work by default."""

    def malloc(self, nbytes: int) -> int:
        """Allocate device memory, and return its address."""

    def free(self, address: int) -> None:
        """Free memory from `malloc` or `malloc_managed`."""

    def malloc_managed(self, nbytes: int) -> int:
        """Allocate memory that migrates between the host and the devices, and return its address."""

    def malloc_host(self, nbytes: int) -> int:
        """Allocate pinned host memory, which every device can copy from and to, and return its address."""

    def free_host(self, address: int) -> None:
        """Free memory from `malloc_host`."""

    def memory_info(self) -> tuple[int, int]:
        """Return the device's bytes: (free, total)."""

    def synchronize(self) -> None:
        """Wait until all work on the device is complete."""

    def event_create(self) -> int:
        """Create an event without timing."""

    def event_record(self, event: int, stream: int) -> None:
        """Record the event, which may have been recorded before, after the work queued on `stream`."""

    def event_query(self, event: int) -> bool:
        """Return whether the work before the event is complete."""

    def event_destroy(self, event: int) -> None:
        """Destroy an event; streams that wait for it continue to wait."""

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Make work queued on `stream` from now on wait for the event's latest record."""

    def stream_is_capturing(self, stream: int) -> bool:
        """Return whether a graph is captured on `stream`.

        Raises RuntimeFailure with the code IMPLICIT_CAPTURE if not, but a stream that it waits for is captured.
        """

    def exchange_capture_mode(self, mode: int) -> int:
        """Set the calling thread's capture mode, and return the previous one."""

    def page_size(self) -> int:
        """Return the bytes of a page of virtual memory on the device; 0 without virtual memory."""

    def address_reserve(self, nbytes: int, alignment: int) -> int:
        """Reserve a range of addresses without memory, and return its address."""

    def address_free(self, address: int, nbytes: int) -> None:
        """Release a range without mapped memory."""

    def memory_create(self, nbytes: int) -> int:
        """Allocate device memory without an address, and return its handle."""

    def memory_map(self, address: int, nbytes: int, handle: int) -> None:
        """Map memory to addresses. The device may not use them until `memory_set_access`.

        Arguments:
            address: an address within a reserved range.
            nbytes: the size of the whole memory.
            handle: the handle of the memory.
        """

    def memory_set_access(self, address: int, nbytes: int) -> None:
        """Let the device read and write mapped addresses."""

    def memory_unmap(self, address: int, nbytes: int) -> None:
        """Unmap the memory at some addresses: all of it that `memory_map` mapped there."""

    def memory_release(self, handle: int) -> None:
        """Release memory once it is mapped nowhere."""


def checked_runtime(name: str, runtime: Runtime) -> Runtime:
    """Return the runtime. Raises InvalidTypeError with the missing functions. `name` is the driver's name."""
    missing = [
        member
        for member in vars(Runtime)
        if not member.startswith("_") and not callable(getattr(runtime, member, None))
    ]
    if missing:
        names = ", ".join(missing)
        raise InvalidTypeError(f"{name}: expected runtime, as FakeRuntime(), or None; got {runtime!r} without {names}")
    return runtime
