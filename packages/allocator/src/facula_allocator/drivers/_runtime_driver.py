"""Base class of all drivers over a runtime: their device, its memory, its streams and events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from facula_errors import InvalidTypeError, InvalidValueError

from ._cupy_runtime import cupy_runtime
from ._runtime import IMPLICIT_CAPTURE, RELAXED, Runtime, RuntimeFailure, checked_runtime
from .protocol import DriverError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class RuntimeDriver(ABC):
    """Driver base class without `memory`, `_take` and `_give`. Thread-safe; keeps the caller's current device.

    Note [Captures]: an event recorded on a stream under capture becomes part of the graph, and so does a stream that
    waits for such an event. The driver therefore does neither. All calls run in the relaxed capture mode: captures
    elsewhere forbid none of them, and no call invalidates a capture.

    Note [Streams live as long as their blocks]: an allocator also queries the streams of its idle blocks, and a runtime
    may fail when it is given the handle of a destroyed stream.
    """

    granularity = 512
    survives_fork = False
    memory: str

    def __init__(self, device: int, runtime: Runtime | None):
        name = type(self).__name__
        if type(device) is not int:
            raise InvalidTypeError(f"{name}: expected device, an int; got {device!r}")
        if runtime is None:
            runtime = cupy_runtime(name)
        count = checked_runtime(name, runtime).device_count()
        if not 0 <= device < count:
            raise InvalidValueError(f"{name}: expected 0 <= device < {count}, the number of devices; got {device}")
        self.device = device
        self.runtime = runtime
        self._regions: dict[int, int] = {}  # bytes by address
        self._events: set[int] = set()
        self._idle_events: list[int] = []  # kept, because creating an event takes longer than recording it
        finalize(self, _destroy_events, runtime, self._idle_events).atexit = False

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory. Raises DriverError if the device refuses."""
        name = type(self).__name__
        if nbytes <= 0 or nbytes % self.granularity:
            raise DriverError(f"{name}.allocate: expected a multiple of {self.granularity} bytes; got {nbytes}")
        address = self._ask(f"allocate: expected {nbytes} bytes of {self.memory}", self._take, nbytes)
        self._regions[address] = nbytes
        return address

    def free(self, address: int, nbytes: int) -> None:
        """Free memory from `allocate`."""
        name = type(self).__name__
        if self._regions.get(address) != nbytes:
            raise DriverError(f"{name}.free: expected a region of {nbytes} bytes at {address:#x}; got none")
        del self._regions[address]  # before freeing: afterwards another thread may receive the address
        try:
            self._ask(f"free: expected {nbytes} bytes at {address:#x} to be released", self._give, address)
        except BaseException:
            self._regions[address] = nbytes
            raise

    def record_event(self, stream: int) -> int:
        """Return an event after the work queued on `stream`. Raises DriverError during a capture of the stream."""
        return self._ask(f"record_event: expected an event on stream {stream:#x}", self._record, stream)

    def wait_event(self, stream: int, event: int) -> None:
        """Make `stream` wait for the event. Raises DriverError during a capture of the stream."""
        self._check_event("wait_event", event)
        self._ask(f"wait_event: expected stream {stream:#x} to wait", self._wait, stream, event)

    def event_done(self, event: int) -> bool:
        """Return whether the work before the event is complete."""
        self._check_event("event_done", event)
        return self._ask("event_done: expected an event's state", self.runtime.event_query, event)

    def free_event(self, event: int) -> None:
        """Keep an event for reuse; streams that wait for it continue to wait."""
        self._check_event("free_event", event)
        self._events.discard(event)
        self._idle_events.append(event)

    def synchronize(self) -> None:
        """Wait until all work on the device is complete."""
        self._ask("synchronize: expected the device to finish", self.runtime.synchronize)

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return whether a graph is captured on `stream`.

        None checks the calling thread's current stream, and streams that wait for the default stream. Captures by other
        threads on other streams are not detected; `record_event` and `wait_event` refuse those.
        """
        try:
            return self._in_device(self._capturing, stream)
        except RuntimeFailure:
            return False  # a failing device reports its error at the next call that may raise

    def memory_info(self) -> tuple[int, int]:
        """Return the device's bytes: (free, total), including use by other programs; (0, 0) if the device fails."""
        try:
            return self._in_device(self.runtime.memory_info)
        except RuntimeFailure:
            return 0, 0

    def __repr__(self) -> str:
        held = sum(self._regions.copy().values())
        return f"<{type(self).__name__} of device {self.device}, {len(self._regions)} regions, {held} bytes>"

    # -------------------------------------------------------------------------------------------------- implementation
    @abstractmethod
    def _take(self, nbytes: int) -> int:
        """Allocate memory from the runtime."""

    @abstractmethod
    def _give(self, address: int) -> None:
        """Return memory to the runtime."""

    def _record(self, stream: int) -> int:
        runtime = self.runtime
        if self._capturing(stream):
            raise RuntimeFailure("a stream under capture")
        try:
            event = self._idle_events.pop()
        except IndexError:
            event = runtime.event_create()
        try:
            runtime.event_record(event, stream)
        except BaseException:
            self._idle_events.append(event)
            raise
        self._events.add(event)
        return event

    def _wait(self, stream: int, event: int) -> None:
        if self._capturing(stream):
            raise RuntimeFailure("a stream under capture")
        self.runtime.stream_wait_event(stream, event)

    def _capturing(self, stream: int | None) -> bool:
        try:
            if stream is not None:
                return self.runtime.stream_is_capturing(stream)
            current = self.runtime.current_stream()
            return self.runtime.stream_is_capturing(0) or (current != 0 and self.runtime.stream_is_capturing(current))
        except RuntimeFailure as failure:
            if failure.code == IMPLICIT_CAPTURE:
                return True
            raise

    def _check_event(self, name: str, event: int) -> None:
        if event not in self._events:
            raise DriverError(f"{type(self).__name__}.{name}: expected an event that was not freed; got {event}")

    def _ask(self, expected: str, call: Callable[..., T], *arguments: int) -> T:
        """Return the call's result. A failure becomes a DriverError that keeps no frame of the runtime's alive."""
        try:
            return self._in_device(call, *arguments)
        except RuntimeFailure as failure:
            refusal = f"{type(self).__name__}.{expected}; got {failure}"
        raise DriverError(refusal)

    def _in_device(self, call: Callable[..., T], *arguments: int | None) -> T:
        """Make a call with this device as the current one, in the relaxed capture mode."""
        runtime = self.runtime
        before = runtime.get_device()
        if before != self.device:
            runtime.set_device(self.device)
        try:
            mode = runtime.exchange_capture_mode(RELAXED)
            try:
                return call(*arguments)
            finally:
                if mode != RELAXED:
                    runtime.exchange_capture_mode(mode)
        finally:
            if before != self.device:
                runtime.set_device(before)


def _destroy_events(runtime: Runtime, events: list[int]) -> None:
    """Destroy idle events when their driver is gone. Events in use stay with their allocator until the process ends."""
    try:
        while events:
            runtime.event_destroy(events.pop())
    except RuntimeFailure:
        pass  # the device is gone, with its events
