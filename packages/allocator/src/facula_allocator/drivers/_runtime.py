"""What a driver for a real device asks of the vendor's runtime: flat functions on ints."""

from __future__ import annotations

from typing import Protocol

from facula_errors import InvalidTypeError, OperationError

#: The capture mode of a thread whose calls are forbidden by no capture, as long as they wait for none.
RELAXED = 2
#: How a runtime refuses to say whether the default stream is captured, where another stream is that it waits for.
IMPLICIT_CAPTURE = "cudaErrorStreamCaptureImplicit"


class RuntimeFailure(OperationError):
    """A call that a runtime refused.

    Arguments:
        code: the runtime's name for the reason, as "cudaErrorMemoryAllocation".
        detail: what more there is to say.

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
    """The runtime of some devices: memory, events, streams and virtual memory, all numbers.

    Calls refer to the calling thread's current device. Each may raise RuntimeFailure, and has then changed nothing.
    """

    def device_count(self) -> int:
        """The number of devices."""

    def get_device(self) -> int:
        """The calling thread's current device."""

    def set_device(self, device: int) -> None:
        """Make a device the calling thread's current one."""

    def current_stream(self) -> int:
        """The stream that the calling thread's work goes to where it names none."""

    def malloc(self, nbytes: int) -> int:
        """The address of device memory."""

    def free(self, address: int) -> None:
        """Give back what `malloc` or `malloc_managed` gave."""

    def malloc_managed(self, nbytes: int) -> int:
        """The address of memory that moves between the host and the devices."""

    def malloc_host(self, nbytes: int) -> int:
        """The address of pinned host memory, which every device can copy from and to."""

    def free_host(self, address: int) -> None:
        """Give back what `malloc_host` gave."""

    def memory_info(self) -> tuple[int, int]:
        """The device's bytes: (free, total)."""

    def synchronize(self) -> None:
        """Wait until all work on the device is over."""

    def event_create(self) -> int:
        """An event without timing."""

    def event_record(self, event: int, stream: int) -> None:
        """Let the event, which may have been recorded before, come after what is queued on `stream` now."""

    def event_query(self, event: int) -> bool:
        """Whether the work before the event is over."""

    def event_destroy(self, event: int) -> None:
        """Give an event back; streams that wait for it go on doing so."""

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Let work queued on `stream` from now on begin after the event, as it was recorded last."""

    def stream_is_capturing(self, stream: int) -> bool:
        """Whether a graph is captured on `stream`.

        RuntimeFailure with the code IMPLICIT_CAPTURE where it is not, but on a stream that it waits for.
        """

    def exchange_capture_mode(self, mode: int) -> int:
        """Set the calling thread's capture mode; the previous one."""

    def page_size(self) -> int:
        """The bytes of a page of virtual memory on the device; 0 where there is none."""

    def address_reserve(self, nbytes: int, alignment: int) -> int:
        """The address of a range without memory."""

    def address_free(self, address: int, nbytes: int) -> None:
        """Give back a range, behind which there is no memory."""

    def memory_create(self, nbytes: int) -> int:
        """A handle of device memory without an address."""

    def memory_map(self, address: int, nbytes: int, handle: int) -> None:
        """Put memory behind addresses, where the device may not yet use it.

        Arguments:
            address: within a reserved range.
            nbytes: all of the memory's.
            handle: the memory's.
        """

    def memory_set_access(self, address: int, nbytes: int) -> None:
        """Let the device read and write mapped addresses."""

    def memory_unmap(self, address: int, nbytes: int) -> None:
        """Take memory from behind addresses: the whole of what `memory_map` put there."""

    def memory_release(self, handle: int) -> None:
        """Give memory back, once it is mapped nowhere."""


def checked_runtime(name: str, runtime: Runtime) -> Runtime:
    """The runtime, if it has all functions; InvalidTypeError names what is missing. `name`: of the driver."""
    missing = [one for one in vars(Runtime) if not one.startswith("_") and not callable(getattr(runtime, one, None))]
    if missing:
        names = ", ".join(missing)
        raise InvalidTypeError(f"{name}: expected runtime, as FakeRuntime(), or None; got {runtime!r} without {names}")
    return runtime
