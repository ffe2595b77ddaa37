"""Events: points in the work of streams, with PyTorch's names and semantics."""

from __future__ import annotations

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_storage import Device

from .._driver import ffi, lib
from .devices import context, index_of
from .driver import check, check_session, open_driver, opened
from .waits import SOME_WORK, waiting

_BLOCKING_SYNC, _DISABLE_TIMING = 1, 2


class DeviceQueue:
    """A stream as the driver knows it: the base of `Stream`, which events need."""

    __slots__ = ("_session", "device_index", "handle")

    #: The index of the device.
    device_index: int
    #: The driver's handle; 0 for the default stream.
    handle: int
    _session: int

    def _use(self) -> None:
        """Make the context of this stream's device current. Raises OperationError if the driver was closed since."""
        check_session("Stream", self._session, "a stream", "Make a new one")
        context(self.device_index)


def _queue_of(operation: str, stream: object) -> DeviceQueue:
    """Return a stream; None stands for the calling thread's current one."""
    if stream is None:
        queue = DeviceQueue()
        queue.device_index, queue._session = index_of(operation, None), opened.session
        queue.handle = int(lib.facula_cuda_stream_of(queue.device_index))
        return queue
    if not isinstance(stream, DeviceQueue):
        raise InvalidTypeError(f"{operation}: expected stream, a Stream; got {stream!r:.60}")
    return stream


def is_done(operation: str, code: int) -> bool:
    """Return whether the code of a query is that of complete work; raise CudaError for other codes than "not ready"."""
    if code == lib.DRIVER_NOT_READY:
        return False
    check(operation, code)
    return True


class Event:
    """A point in the work of a stream, for waiting and for measuring time. It exists once it is recorded.

    Arguments:
        enable_timing: whether `elapsed_time` is supported.
        blocking: whether `synchronize` lets other threads run instead of polling the device.
        interprocess: events of several processes are not supported.
    """

    __slots__ = ("__weakref__", "_session", "blocking", "device_index", "enable_timing", "handle")

    #: The device on which the event was recorded; None before.
    device_index: int | None
    #: The driver's handle; 0 before the event is recorded.
    handle: int

    @boundary
    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False):
        if interprocess:
            raise UnsupportedError("Event: expected interprocess=False; got True. Events are local to a process")
        open_driver()
        self.enable_timing, self.blocking = bool(enable_timing), bool(blocking)
        self.device_index, self.handle = None, 0
        self._session = opened.session

    def __del__(self) -> None:
        if getattr(self, "handle", 0) and self._session == opened.session:
            lib.driver.cuEventDestroy_v2(self.handle)  # queued work still waits for it

    @property
    def device(self) -> Device | None:
        """The device on which the event was recorded; None before."""
        return None if self.device_index is None else Device("cuda", self.device_index)

    @property
    def cuda_event(self) -> int:
        """The driver's handle, under PyTorch's name."""
        return self.handle

    @boundary
    def record(self, stream: DeviceQueue | None = None) -> None:
        """Record the event after the work queued so far on a stream, by default the current one.

        A new record replaces an earlier one; work that is already queued still waits for the earlier one.
        """
        stream = _queue_of("Event.record", stream)
        stream._use()
        if self.handle and self._session == opened.session and self.device_index != stream.device_index:
            raise OperationError(
                f"Event.record: expected a stream of cuda:{self.device_index}, where the event was first recorded; got "
                f"one of cuda:{stream.device_index}. Use another event"
            )
        if not self.handle or self._session != opened.session:
            number = ffi.new("int64_t *")
            flags = (not self.enable_timing) * _DISABLE_TIMING | self.blocking * _BLOCKING_SYNC
            check("Event", lib.driver.cuEventCreate(number, flags))
            self.handle, self.device_index, self._session = int(number[0]), stream.device_index, opened.session
        check("Event.record", lib.driver.cuEventRecord(self.handle, stream.handle))

    @boundary
    def wait(self, stream: DeviceQueue | None = None) -> None:
        """Make work queued from now on on a stream, by default the current one, wait for the event.

        Without effect before the event is recorded.
        """
        stream = _queue_of("Event.wait", stream)
        if self._use():
            stream._use()
            check("Event.wait", lib.driver.cuStreamWaitEvent(stream.handle, self.handle, 0))

    @boundary
    def query(self) -> bool:
        """Return whether the work before the event is complete; True before the event is recorded."""
        return not self._use() or is_done("Event.query", lib.driver.cuEventQuery(self.handle))

    @boundary
    def synchronize(self) -> None:
        """Wait until the work before the event is complete. Without effect before the event is recorded."""
        if self._use() and self.device_index is not None:
            with waiting(self.device_index, SOME_WORK):
                check("Event.synchronize", lib.driver.cuEventSynchronize(self.handle))

    @boundary
    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds between this event and a later one, both complete, with a resolution of 0.5 µs.

        Raises:
            OperationError: an event was made without `enable_timing`, is not recorded or not complete.
        """
        if not isinstance(end_event, Event):
            raise InvalidTypeError(f"Event.elapsed_time: expected end_event, an Event; got {end_event!r:.60}")
        both = (("the start", self), ("end_event", end_event))
        for name, event in both:
            if not event.enable_timing:
                raise InvalidValueError(
                    f"Event.elapsed_time: expected {name} to be made with enable_timing=True; got False"
                )
        for name, event in both:
            if not event._use():
                raise InvalidValueError(
                    f"Event.elapsed_time: expected {name} to be recorded; got none. Call record() before"
                )
            if not event.query():
                raise OperationError(
                    f"Event.elapsed_time: expected {name} to be complete; got work that still runs. Call synchronize() "
                    "before"
                )
        milliseconds = ffi.new("float *")
        check("Event.elapsed_time", lib.driver.cuEventElapsedTime(milliseconds, self.handle, end_event.handle))
        return float(milliseconds[0])

    def _use(self) -> bool:
        """Return whether the event is recorded, with the context of its device as the current one."""
        if self.device_index is None:
            return False
        check_session("Event", self._session, "an event", "Record it again")
        context(self.device_index)
        return True

    def __repr__(self) -> str:
        return f"<facula_cuda.Event {self.handle:#x}>" if self.handle else "<facula_cuda.Event uninitialized>"
