"""A runtime of simulated devices, for tests and examples without a GPU."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import wraps
from itertools import count
from threading import local
from typing import TYPE_CHECKING
from weakref import WeakSet

from facula_errors import InvalidValueError

from .._locks import ExitLock
from ._runtime import IMPLICIT_CAPTURE, RELAXED, RuntimeFailure
from ._simulated_memory import SimulatedMemory
from .protocol import DriverError
from .simulated import SimulatedDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["FakeRuntime"]

DEVICE_ADDRESSES = 1 << 46  # address space of one device: as in CUDA, an address identifies its device
NO_MEMORY = "cudaErrorMemoryAllocation"
BAD_VALUE = "cudaErrorInvalidValue"
BAD_HANDLE = "cudaErrorInvalidResourceHandle"
CAPTURING = "cudaErrorStreamCaptureUnsupported"

_runtimes: WeakSet[FakeRuntime] = WeakSet()


class _Device(SimulatedDriver):
    """A simulated device whose kernels also use the host's memory."""

    def __init__(self, number: int, capacity: int, page_size: int, host: SimulatedMemory):
        super().__init__(capacity, page_size=page_size)
        self._memory = SimulatedMemory(capacity, self.granularity, page_size, number * DEVICE_ADDRESSES)
        self._host = host

    def _find_regions(self, start: int, end: int) -> tuple[int, ...]:
        return super()._find_regions(start, end) or self._host.regions_of(start, end)

    def check_host(self, address: int, nbytes: int) -> None:
        """Raise DriverError if a kernel may still use this host memory."""
        self._no_hazard("free", address, nbytes)

    def forget_event(self, event: int) -> None:
        """Forget an event without a log entry."""
        self._events.pop(event, None)


class FakeRuntime:
    """CUDA's runtime over simulated devices, for `CudaDriver`, `PinnedDriver` and `ManagedDriver` in tests.

    Each thread has a current device and a current stream. `device(i)` is the simulated device itself. Its streams
    advance under a test's control, and it can be made to fail.

    Arguments:
        devices: the number of devices.
        capacity: the bytes of each device.
        page_size: the bytes of a page of virtual memory; 0 for devices without virtual memory.
        host_capacity: the bytes of pinned and managed memory together.

    >>> from facula_allocator.drivers import CudaDriver
    >>> runtime = FakeRuntime(devices=2, capacity=1 << 30)
    >>> driver = CudaDriver(1, runtime)
    >>> address = driver.allocate(1 << 20)
    >>> runtime.device(1).launch(7, writes=[(address, 1 << 20)])
    1
    >>> event = driver.record_event(7)
    >>> driver.event_done(event), runtime.device(1).complete(7), driver.event_done(event)
    (False, 1, True)
    """

    def __init__(
        self, devices: int = 1, capacity: int = 1 << 30, page_size: int = 2 << 20, host_capacity: int = 1 << 30
    ):
        if type(devices) is not int or not 1 <= devices <= 64:
            raise InvalidValueError(f"FakeRuntime: expected 1 <= devices <= 64, an int; got {devices!r}")
        if type(host_capacity) is not int or host_capacity < 0:
            raise InvalidValueError(f"FakeRuntime: expected host_capacity >= 0 bytes, an int; got {host_capacity!r}")
        self._host = SimulatedMemory(host_capacity, 1, 0, devices * DEVICE_ADDRESSES)
        self._devices = [_Device(i, capacity, page_size, self._host) for i in range(devices)]
        self._lock = ExitLock()
        _runtimes.add(self)
        self._thread = local()
        self._number = count(1).__next__
        self._allocated: dict[int, tuple[_Device | None, int]] = {}  # by address: device (None for the host), bytes
        self._events: dict[int, tuple[_Device, int] | None] = {}  # the device and its event, once recorded
        self._handles: dict[int, tuple[_Device, int]] = {}  # memory without addresses: (device, bytes)
        self._mapped: dict[int, tuple[int, int, bool]] = {}  # by address: (bytes, handle, whether accessible)

    # --------------------------------------------------------------------------------------------------- test controls
    def device(self, device: int) -> SimulatedDriver:
        """Return a simulated device."""
        if type(device) is not int or not 0 <= device < len(self._devices):
            raise InvalidValueError(f"device: expected 0 <= device < {len(self._devices)}; got {device!r}")
        return self._devices[device]

    def set_current_stream(self, stream: int) -> None:
        """Make a stream the calling thread's current one, as CuPy's `with stream:` does."""
        self._thread.stream = stream

    # --------------------------------------------------------------------------------------------------------- devices
    def device_count(self) -> int:
        """Return the number of devices."""
        return len(self._devices)

    def get_device(self) -> int:
        """Return the calling thread's current device."""
        found: int = getattr(self._thread, "device", 0)
        return found

    def set_device(self, device: int) -> None:
        """Make a device the calling thread's current one."""
        if not 0 <= device < len(self._devices):
            raise RuntimeFailure("cudaErrorInvalidDevice", f"device {device} of {len(self._devices)}")
        self._thread.device = device

    def current_stream(self) -> int:
        """Return the calling thread's current stream, which applies to every device."""
        found: int = getattr(self._thread, "stream", 0)
        return found

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes."""
        free, total = self._current().memory_info()
        return free - self._without_addresses(), total

    def synchronize(self) -> None:
        """Run all work queued on the device."""
        with _refused(CAPTURING):
            self._current().synchronize()

    # ---------------------------------------------------------------------------------------------------------- memory
    def malloc(self, nbytes: int) -> int:
        """Allocate device memory; refused while a capture forbids it."""
        device = self._current()
        if device.is_capturing() and self._mode() != RELAXED:
            raise RuntimeFailure(CAPTURING, "malloc while a graph is captured, in a thread whose mode is not relaxed")
        self._check_unused(nbytes)
        with _refused(NO_MEMORY):
            address = device.allocate(nbytes)
        self._allocated[address] = device, nbytes
        return address

    def free(self, address: int) -> None:
        """Free device or managed memory."""
        device, nbytes = self._allocated.get(address, (None, 0))
        if device is None:
            self.free_host(address)
            return
        with _refused(BAD_VALUE):
            device.free(address, nbytes)
        del self._allocated[address]

    def malloc_managed(self, nbytes: int) -> int:
        """Allocate managed memory, which this runtime treats as host memory."""
        return self.malloc_host(nbytes)

    def malloc_host(self, nbytes: int) -> int:
        """Allocate pinned host memory."""
        with _refused(NO_MEMORY):
            address = self._host.allocate(nbytes)
        self._allocated[address] = None, nbytes
        return address

    def free_host(self, address: int) -> None:
        """Free host memory; refused while a kernel of any device may use it."""
        device, nbytes = self._allocated.get(address, (None, 0))
        if device is not None or not nbytes:
            raise RuntimeFailure(BAD_VALUE, f"no memory of the host at {address:#x}")
        with _refused(BAD_VALUE):
            for known in self._devices:
                known.check_host(address, nbytes)
            self._host.free(address, nbytes)
        del self._allocated[address]

    # ------------------------------------------------------------------------------------------------- events, streams
    def event_create(self) -> int:
        """Create an event, which counts as done until it is recorded."""
        event = self._number()
        self._events[event] = None
        return event

    def event_record(self, event: int, stream: int) -> None:
        """Record an event on a stream of the current device."""
        before, device = self._event(event), self._current()
        with _refused(BAD_HANDLE):
            made = device.record_event(stream)
        self._events[event] = device, made
        if before is not None:
            before[0].forget_event(before[1])

    def event_query(self, event: int) -> bool:
        """Return whether the event is done."""
        known = self._event(event)
        with _refused(CAPTURING):
            return known is None or known[0].event_done(known[1])

    def event_destroy(self, event: int) -> None:
        """Destroy an event."""
        known = self._event(event)
        del self._events[event]
        if known is not None:
            known[0].forget_event(known[1])

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Make a stream of the current device wait for an event of the same device."""
        known, device = self._event(event), self._current()
        if known is None:
            return
        if known[0] is not device:
            raise RuntimeFailure(
                BAD_HANDLE, "an event of another device; simulated streams only wait for events of their own device"
            )
        with _refused(BAD_HANDLE):
            device.wait_event(stream, known[1])

    def stream_is_capturing(self, stream: int) -> bool:
        """Return whether a graph is captured on the stream."""
        device = self._current()
        capturing = device.is_capturing(stream)
        if stream == 0 and not capturing and device.is_capturing():
            raise RuntimeFailure(IMPLICIT_CAPTURE, "the default stream waits for one under capture")
        return capturing

    def exchange_capture_mode(self, mode: int) -> int:
        """Set the thread's capture mode, and return the previous one."""
        before, self._thread.mode = self._mode(), mode
        return before

    # -------------------------------------------------------------------------------------------------- virtual memory
    def page_size(self) -> int:
        """Return the bytes of a page."""
        return self._current().page_size

    def address_reserve(self, nbytes: int, alignment: int) -> int:
        """Reserve addresses without memory, aligned to pages."""
        with _refused(BAD_VALUE):
            return self._current().reserve_addresses(nbytes)

    def address_free(self, address: int, nbytes: int) -> None:
        """Release addresses without mapped memory."""
        if any(address <= start < address + nbytes for start in self._mapped):
            raise RuntimeFailure(BAD_VALUE, f"memory is mapped in [{address:#x}, {address + nbytes:#x})")
        with _refused(BAD_VALUE):
            self._current().free_addresses(address, nbytes)

    def memory_create(self, nbytes: int) -> int:
        """Allocate memory without addresses."""
        self._check_unused(nbytes)
        handle = self._number()
        self._handles[handle] = self._current(), nbytes
        return handle

    def memory_map(self, address: int, nbytes: int, handle: int) -> None:
        """Map memory to addresses. Kernels may not use them until `memory_set_access`.

        Arguments:
            address: an address within a reserved range.
            nbytes: the size of the whole memory.
            handle: the handle of the memory.
        """
        if handle not in self._handles or address in self._mapped:
            raise RuntimeFailure(BAD_VALUE, f"handle {handle} at {address:#x}")
        self._mapped[address] = nbytes, handle, False

    def memory_set_access(self, address: int, nbytes: int) -> None:
        """Let the device use mapped memory."""
        for start, (size, handle, accessible) in sorted(self._mapped.items()):
            if address <= start < address + nbytes and not accessible:
                with _refused(BAD_VALUE):
                    self._current().map(start, size)
                self._mapped[start] = size, handle, True

    def memory_unmap(self, address: int, nbytes: int) -> None:
        """Unmap the memory at some addresses."""
        size, _, accessible = self._mapped.get(address, (0, 0, False))
        if size != nbytes:
            raise RuntimeFailure(BAD_VALUE, f"no memory of {nbytes} bytes is mapped at {address:#x}")
        if accessible:
            with _refused(BAD_VALUE):
                self._current().unmap(address, nbytes)
        del self._mapped[address]

    def memory_release(self, handle: int) -> None:
        """Release memory once it is mapped nowhere."""
        if handle not in self._handles or any(mapping[1] == handle for mapping in self._mapped.values()):
            raise RuntimeFailure(BAD_VALUE, f"handle {handle} is mapped, or was released")
        del self._handles[handle]

    def __repr__(self) -> str:
        return f"<FakeRuntime, {len(self._devices)} devices>"

    # -------------------------------------------------------------------------------------------------- implementation
    def _current(self) -> _Device:
        return self._devices[self.get_device()]

    def _mode(self) -> int:
        found: int = getattr(self._thread, "mode", 0)
        return found

    def _event(self, event: int) -> tuple[_Device, int] | None:
        if event not in self._events:
            raise RuntimeFailure(BAD_HANDLE, f"event {event} was destroyed")
        return self._events[event]

    def _without_addresses(self) -> int:
        """Return the bytes of the current device's handles without access; the simulated device counts the others."""
        current = self._current()
        handles = sum(nbytes for device, nbytes in self._handles.values() if device is current)
        usable = (handle for _, handle, accessible in self._mapped.values() if accessible)
        return handles - sum(self._handles[handle][1] for handle in usable if self._handles[handle][0] is current)

    def _check_unused(self, nbytes: int) -> None:
        if nbytes > self.memory_info()[0]:
            raise RuntimeFailure(NO_MEMORY, f"{nbytes} bytes of {self.memory_info()[0]}")


def _serialize(cls: type) -> None:
    """Run the public methods under a lock, one thread at a time: a runtime may be called from any thread."""

    def wrap(method: Callable[..., object]) -> Callable[..., object]:
        @wraps(method)
        def serialized(self: FakeRuntime, *arguments: object) -> object:
            with self._lock:
                return method(self, *arguments)

        return serialized

    for name, method in list(vars(cls).items()):
        if not name.startswith("_"):
            setattr(cls, name, wrap(method))


def _after_fork() -> None:
    """In a forked child: replace locks that the parent's other threads held."""
    for runtime in list(_runtimes):
        runtime._lock = ExitLock()


_serialize(FakeRuntime)
os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def _refused(code: str) -> Iterator[None]:
    """Turn a simulated device's DriverError into the runtime's error."""
    try:
        yield
    except DriverError as error:
        if "while a graph is captured" in str(error):
            code = CAPTURING
        raise RuntimeFailure(code, str(error)) from None  # not bound to a name: the frame would form a cycle with it
