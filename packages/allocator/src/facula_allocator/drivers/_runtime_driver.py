"""What all drivers over a runtime share: their device, its memory, its streams and events."""

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
    """A driver without `memory`, `_take` and `_give`. Safe from any thread; the caller's current device stays as it is.

    Note [Captures]: events that are recorded on a stream under capture become part of the graph, and a stream that
    waits for one of them too; so neither is done. All calls are made in the relaxed capture mode: a capture elsewhere
    forbids none of them, and none of them makes it invalid.

    Note [Streams live as long as their blocks]: an allocator asks about the streams of its idle blocks, too, and a
    runtime need not survive the handle of a stream that was destroyed.
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
        self._regions: dict[int, int] = {}  # address: bytes
        self._events: set[int] = set()
        self._idle_events: list[int] = []  # creating one takes longer than recording it
        finalize(self, _destroy_events, runtime, self._idle_events).atexit = False

    def allocate(self, nbytes: int) -> int:
        """The address of fresh memory; DriverError when the device refuses."""
        name = type(self).__name__
        if nbytes <= 0 or nbytes % self.granularity:
            raise DriverError(f"{name}.allocate: expected a multiple of {self.granularity} bytes; got {nbytes}")
        address = self._ask(f"allocate: expected {nbytes} bytes of {self.memory}", self._take, nbytes)
        self._regions[address] = nbytes
        return address

    def free(self, address: int, nbytes: int) -> None:
        """Give memory back."""
        name = type(self).__name__
        if self._regions.get(address) != nbytes:
            raise DriverError(f"{name}.free: expected a region of {nbytes} bytes at {address:#x}; got none")
        del self._regions[address]  # before: another thread may be given the address at once
        try:
            self._ask(f"free: expected {nbytes} bytes at {address:#x} to be given back", self._give, address)
        except BaseException:
            self._regions[address] = nbytes
            raise

    def record_event(self, stream: int) -> int:
        """An event after what is queued on `stream`; DriverError while it is captured."""
        return self._ask(f"record_event: expected an event on stream {stream:#x}", self._record, stream)

    def wait_event(self, stream: int, event: int) -> None:
        """Let `stream` go on after the event; DriverError while it is captured."""
        self._check_event("wait_event", event)
        self._ask(f"wait_event: expected stream {stream:#x} to wait", self._wait, stream, event)

    def event_done(self, event: int) -> bool:
        """Whether the work before the event is over."""
        self._check_event("event_done", event)
        return self._ask("event_done: expected an event's state", self.runtime.event_query, event)

    def free_event(self, event: int) -> None:
        """Keep an event for reuse; streams that wait for it go on doing so."""
        self._check_event("free_event", event)
        self._events.discard(event)
        self._idle_events.append(event)

    def synchronize(self) -> None:
        """Wait until all work on the device is over."""
        self._ask("synchronize: expected the device to finish", self.runtime.synchronize)

    def is_capturing(self, stream: int | None = None) -> bool:
        """Whether a graph is captured on `stream`.

        For None: whether on the calling thread's current stream, or on a stream that waits for the default one. Not
        seen are captures by other threads on streams that do not; `record_event` and `wait_event` refuse those.
        """
        try:
            return self._in_device(self._capturing, stream)
        except RuntimeFailure:
            return False  # a device that fails says so at the next call that may raise

    def memory_info(self) -> tuple[int, int]:
        """The device's bytes: (free, total), those that other programs use counted; (0, 0) where it fails."""
        try:
            return self._in_device(self.runtime.memory_info)
        except RuntimeFailure:
            return 0, 0

    def __repr__(self) -> str:
        held = sum(self._regions.copy().values())
        return f"<{type(self).__name__} of device {self.device}, {len(self._regions)} regions, {held} bytes>"

    # ---------------------------------------------------------------------------------------------------------- inside
    @abstractmethod
    def _take(self, nbytes: int) -> int:
        """Memory from the runtime."""

    @abstractmethod
    def _give(self, address: int) -> None:
        """Give memory back to the runtime."""

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
        """The call's result; a failure becomes a DriverError, which keeps no frame of the runtime's."""
        try:
            return self._in_device(call, *arguments)
        except RuntimeFailure as failure:
            refusal = f"{type(self).__name__}.{expected}; got {failure}"
        raise DriverError(refusal)

    def _in_device(self, call: Callable[..., T], *arguments: int | None) -> T:
        """Call with this device current, in the relaxed capture mode."""
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
    """Give idle events back, when their driver is gone; those in use are their allocator's until the process ends."""
    try:
        while events:
            runtime.event_destroy(events.pop())
    except RuntimeFailure:
        pass  # the device is gone, and its events with it
