"""Streams: the order of work on a device, with PyTorch's names and semantics.

Note [Streams are kept]: the caching allocator knows streams by their handles, and asks for the state of those on which
its blocks were used. A stream therefore is never destroyed while its driver is open: when the last object of a stream
is gone, its handle waits in a list, and the next `Stream` of that device and priority uses it. Work that was queued on
it completes as before.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from weakref import WeakValueDictionary

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import Exit, boundary, guarded
from facula_storage import Device

from .._driver import ffi, lib
from .devices import AnyDevice, context, current_index, index_of
from .driver import check, on_close, opened
from .events import DeviceQueue, Event, is_done
from .waits import waiting

_NON_BLOCKING = 1  # a stream that does not wait for the default stream

#: Handles of streams without an object, by device and priority.
_idle: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
#: The streams that this module made, by device and handle.
_known: WeakValueDictionary[tuple[int, int], Stream] = WeakValueDictionary()


class _Selected(threading.local):
    """The stream objects that are current in a thread, by device, and those that the end of each block restores."""

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}  # which keeps them alive
        self.blocks: list[tuple[int, Stream]] = []


_selected = _Selected()


@on_close
def _forget(alive: bool) -> None:
    if alive:
        for handles in _idle.values():
            for handle in handles:
                lib.driver.cuStreamDestroy_v2(handle)
    _idle.clear()
    _known.clear()
    for index in range(lib.MAX_DEVICES):
        lib.facula_cuda_set_stream_of(index, 0)
    lib.facula_cuda_set_index(0)


class Stream(DeviceQueue):
    """A queue of work on a device. Work on one stream runs in order; work on different streams in any order.

    It does not wait for the default stream, nor the default stream for it. `with stream:` makes it the calling
    thread's current stream, as `facula_cuda.stream` does.

    Arguments:
        device: the device, the thread's current one by default.
        priority: smaller numbers are more urgent; the driver limits it to the device's range, usually -5 to 0.

    Raises:
        OperationError: there is no driver or no device.
    """

    __slots__ = ("__weakref__", "priority")

    priority: int

    @boundary
    def __init__(self, device: AnyDevice = None, priority: int = 0):
        if type(priority) is not int:
            raise InvalidTypeError(f"Stream: expected priority, an int; got {priority!r:.60}")
        index = index_of("Stream", device)
        context(index)
        idle = _idle[index, priority]
        try:
            handle = idle.pop()
        except IndexError:
            number = ffi.new("int64_t *")
            check("Stream", lib.driver.cuStreamCreateWithPriority(number, _NON_BLOCKING, priority))
            handle = int(number[0])
        self._set(index, handle, priority)
        _known[index, handle] = self

    def _set(self, index: int, handle: int, priority: int) -> None:
        self.device_index, self.handle, self.priority = index, handle, priority
        self._session = opened.session

    def __del__(self) -> None:
        # A stream has no handle if its creation failed, and an external one belongs to another library.
        if getattr(self, "handle", 0) and self._owned and self._session == opened.session:
            _idle[self.device_index, self.priority].append(self.handle)

    _owned = True

    @property
    def device(self) -> Device:
        """The device of this stream."""
        return Device("cuda", self.device_index)

    @property
    def cuda_stream(self) -> int:
        """The driver's handle, under PyTorch's name."""
        return self.handle

    @property
    def stream_id(self) -> int:
        """A number that identifies the stream on its device: its handle."""
        return self.handle

    @boundary
    def query(self) -> bool:
        """Return whether all work queued on this stream is complete."""
        self._use()
        return is_done("Stream.query", lib.driver.cuStreamQuery(self.handle))

    @boundary
    def synchronize(self) -> None:
        """Wait until all work queued on this stream is complete.

        Raises:
            CudaError: work on the device failed.
        """
        self._use()
        with waiting(self.device_index, self.handle):
            check("Stream.synchronize", lib.driver.cuStreamSynchronize(self.handle))

    @boundary
    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, a new one by default, after the work queued so far, and return it."""
        if event is None:
            event = Event()
        event.record(self)
        return event

    @boundary
    def wait_event(self, event: Event) -> None:
        """Make work queued on this stream from now on wait for an event; the caller does not wait."""
        event.wait(self)

    @boundary
    def wait_stream(self, stream: Stream) -> None:
        """Make work queued on this stream from now on wait for all work queued on another one so far."""
        self.wait_event(stream.record_event())

    @boundary
    def __enter__(self) -> Stream:
        _selected.blocks.append(_switch(self))
        return self

    def _leave(self, *exc: object) -> None:
        _restore(*_selected.blocks.pop())

    __exit__ = Exit(_leave)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return (self.device_index, self.handle) == (other.device_index, other.handle)

    def __hash__(self) -> int:
        return hash((self.device_index, self.handle))

    def __repr__(self) -> str:
        return f"<facula_cuda.{type(self).__name__} device=cuda:{self.device_index} cuda_stream={self.handle:#x}>"


class ExternalStream(Stream):
    """A stream that another library created and owns, which must keep it alive.

    Arguments:
        stream_ptr: the driver's handle of the stream.
        device: the stream's device, the thread's current one by default.
    """

    __slots__ = ()

    @boundary
    def __init__(self, stream_ptr: int, device: AnyDevice = None):
        if type(stream_ptr) is not int or stream_ptr < 0:
            raise InvalidValueError(f"ExternalStream: expected stream_ptr, a handle >= 0; got {stream_ptr!r:.60}")
        if stream_ptr == _PER_THREAD:
            raise InvalidValueError(
                "ExternalStream: expected a handle of one stream; got 2, CUDA's default stream of each thread. Use 0, "
                "or create a stream"
            )
        self._set(index_of("ExternalStream", device), stream_ptr, 0)

    _owned = False


_PER_THREAD = 2


def _checked_stream(operation: str, stream: object) -> Stream:
    if not isinstance(stream, Stream):
        raise InvalidTypeError(f"{operation}: expected stream, a Stream; got {stream!r:.60}")
    return stream


@boundary
def current_stream(device: AnyDevice = None) -> Stream:
    """Return the calling thread's current stream of a device, by default of the current device."""
    index = index_of("current_stream", device)
    handle = int(lib.facula_cuda_stream_of(index))
    kept = _selected.streams.get(index)
    if kept is not None and kept.handle == handle and kept._session == opened.session:
        return kept
    return _known.get((index, handle)) or ExternalStream(handle, index)


@boundary
def default_stream(device: AnyDevice = None) -> Stream:
    """Return the default stream of a device, by default of the current device. Its handle is 0."""
    return ExternalStream(0, index_of("default_stream", device))


@boundary
def set_stream(stream: Stream | None) -> None:
    """Make a stream the calling thread's current one, and its device the current device. None has no effect.

    `with facula_cuda.stream(s)` also restores the previous ones.
    """
    if stream is None:
        return
    _checked_stream("set_stream", stream)._use()
    _select(stream)
    lib.facula_cuda_set_index(stream.device_index)


def _select(stream: Stream) -> None:
    lib.facula_cuda_set_stream_of(stream.device_index, stream.handle)
    _selected.streams[stream.device_index] = stream


@guarded
def stream(stream: Stream | None) -> Iterator[None]:
    """Return a context manager: a block in which a stream is the calling thread's current one, as is its device.

    None has no effect.

    >>> with stream(None):
    ...     pass
    """
    if stream is None:
        yield
        return
    before = _switch(_checked_stream("stream", stream))
    try:
        yield
    finally:
        _restore(*before)


def _switch(stream: Stream) -> tuple[int, Stream]:
    """Make a stream current; return what `_restore` needs: the current device, and its device's current stream."""
    before = current_index(), current_stream(stream.device_index)
    set_stream(stream)
    return before


def _restore(index: int, stream: Stream) -> None:
    if stream._session == opened.session:
        _select(stream)
        lib.facula_cuda_set_index(index)
