"""CuPy on this package's memory: `install()` for a whole process, `using()` for a `with` block.

CuPy's arrays then count in `memory_stats` and appear in snapshots, and CuPy shares idle memory with other libraries.
Requires `pip install 'facula-allocator[cupy]'`. CuPy is imported when one of the functions is called.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from facula_errors import InvalidTypeError, InvalidValueError, MissingPackageError, UnsupportedError
from facula_errors.extend import boundary, published

from ._caching.caching_allocator import CachingAllocator
from ._caching.devices import device_allocator, known_device_allocators, pinned_allocator
from ._errors import OutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ._core import Block

__all__ = ["install", "record_use", "uninstall", "using"]

LEGACY, PER_THREAD = 1, 2  # CUDA's numbers for the default stream and the default stream of each thread
_MANY = 64

_streams: dict[tuple[int, int], object] = {}  # CuPy's streams by (device, number); kept alive as long as their blocks
_recorded_streams: set[tuple[int, int]] = set()  # streams passed to `record_use`
_custom_allocators: WeakKeyDictionary[CachingAllocator, int] = WeakKeyDictionary()  # the callers', with their devices
_previous_allocator: list[Callable[[int], object]] = []  # CuPy's allocator before `install`


@boundary
def install(allocator: CachingAllocator | None = None) -> None:
    """Make CuPy allocate device memory and pinned memory from this package, in all threads.

    Existing arrays keep their memory. Call this before creating the first array, or release CuPy's idle memory with
    `cupy.get_default_memory_pool().free_all_blocks()`.

    Arguments:
        allocator: serves the device of its driver; other devices use `device_allocator(device)`, which is also the
            default.
    """
    cuda = _cuda("install")
    function = _memory_function(cuda, "install", allocator)
    if not _previous_allocator:
        _previous_allocator.append(cuda.get_allocator())
    cuda.set_allocator(function)
    cuda.set_pinned_memory_allocator(_pinned_function(cuda))


@boundary
def uninstall() -> None:
    """Restore the allocator that CuPy had before `install`. Existing arrays keep their memory."""
    cuda = _cuda("uninstall")
    if _previous_allocator:
        cuda.set_allocator(_previous_allocator.pop())
        cuda.set_pinned_memory_allocator(import_module("cupy").get_default_pinned_memory_pool().malloc)


@boundary
@contextmanager
def using(allocator: CachingAllocator | None = None) -> Iterator[None]:
    """Make CuPy allocate device memory from this package within a `with` block, in this thread.

    Arguments:
        allocator: serves the device of its driver; other devices use `device_allocator(device)`, which is also the
            default.
    """
    cuda = _cuda("using")
    with cuda.using_allocator(_memory_function(cuda, "using", allocator)):
        yield


@boundary
def record_use(array: Any, stream: Any = None) -> None:
    """Record that `stream` uses an array of another stream: its memory is not reused before that work is done.

    Arguments:
        array: a `cupy.ndarray` in this package's memory, or a view of one.
        stream: a `cupy.cuda.Stream`; the current one by default.
    """
    cuda = _cuda("record_use")
    memory: Any = getattr(getattr(array, "data", None), "mem", None)
    block: Any = getattr(memory, "_owner", None)
    if not hasattr(block, "record_use"):
        raise InvalidTypeError(f"record_use: expected array, with memory of this package; got {type(array).__name__}")
    found = cuda.get_current_stream() if stream is None else stream
    number = _stream_number(memory.device_id, found)
    _recorded_streams.add((memory.device_id, number))
    block.record_use(number)


def _cuda(name: str) -> Any:
    """Return the module `cupy.cuda`."""
    try:
        import_module("cupy")
        return import_module("cupy.cuda")
    except ImportError as error:
        remedy = "Run pip install 'facula-allocator[cupy]'"
        raise MissingPackageError(f"{name}: expected CuPy to be installed; got {error}. {remedy}") from None


def _memory_function(cuda: Any, name: str, given: CachingAllocator | None) -> Callable[[int], object]:
    """Return the function that CuPy calls to allocate device memory."""
    own = None
    if given is not None:
        if not isinstance(given, CachingAllocator):
            raise InvalidTypeError(f"{name}: expected allocator, a CachingAllocator or None; got {given!r}")
        own = getattr(given.driver, "device", None)
        if own is None:
            raise InvalidValueError(f"{name}: expected an allocator over CudaDriver or ManagedDriver; got {given!r}")
        _custom_allocators[given] = own
    memory, pointer = cuda.UnownedMemory, cuda.MemoryPointer
    current_device, current_stream = cuda.runtime.getDevice, cuda.get_current_stream

    def allocate(nbytes: int) -> object:
        device = current_device()
        allocator = given if given is not None and own == device else device_allocator(device)
        number = _stream_number(device, current_stream())
        try:
            block = allocator.allocate(nbytes, number)
        except OutOfMemoryError as error:
            error.__class__ = _error_class(cuda)
            raise
        return pointer(memory(block.ptr, nbytes, block, device), 0)

    return allocate


class _PinnedMemory:
    """A block behind CuPy's pointers. When it is finalised, copies on streams that CuPy has used may still run."""

    __slots__ = ("block", "device", "ptr", "size")

    def __init__(self, block: Block, nbytes: int, device: int):
        self.block = block
        self.device = device
        self.ptr = block.ptr
        self.size = nbytes

    # A default argument, since module globals are already gone at interpreter exit.
    def __del__(self, streams: dict[tuple[int, int], object] = _streams) -> None:
        for device, number in list(streams):
            if device == self.device:
                self.block.record_use(number or LEGACY)


def _pinned_function(cuda: Any) -> Callable[[int], object]:
    """Return the function that CuPy calls to allocate pinned memory."""
    pointer, current_device, current_stream = cuda.PinnedMemoryPointer, cuda.runtime.getDevice, cuda.get_current_stream

    def allocate(nbytes: int) -> object:
        device = current_device()
        _stream_number(device, current_stream())
        try:
            block = pinned_allocator(device).allocate(nbytes)
        except OutOfMemoryError as error:
            error.__class__ = _error_class(cuda)
            raise
        return pointer(_PinnedMemory(block, nbytes, device), 0)

    return allocate


def _stream_number(device: int, stream: Any) -> int:
    """Return the number of one of CuPy's streams, and keep the stream alive from now on."""
    number = stream.ptr
    if (device, number) not in _streams:
        if type(number) is not int:
            raise InvalidTypeError(f"record_use: expected stream, a cupy.cuda.Stream or None; got {stream!r}")
        if number == PER_THREAD:
            expected = "streams with a number each; got the default stream per thread"
            raise UnsupportedError(f"allocate: expected {expected}. Unset CUPY_CUDA_PER_THREAD_DEFAULT_STREAM")
        if len(_streams) >= _MANY:
            _forget_idle_streams()
        _streams[device, number] = stream
    return int(number)


def _forget_idle_streams() -> None:
    """Drop streams without allocated or idle blocks, so that CuPy may destroy them."""
    held = set(_recorded_streams)
    for device, allocator in [
        *known_device_allocators().items(),
        *((number, key) for key, number in _custom_allocators.items()),
    ]:
        for segment in allocator.memory_snapshot()["segments"]:
            held |= {(device, block.get("stream", segment["stream"])) for block in segment["blocks"]}
    for key in set(_streams) - held:
        del _streams[key]


@cache
def _error_class(cuda: Any) -> type[OutOfMemoryError]:
    """Return an out-of-memory error class that derives from CuPy's, for programs that catch CuPy's error."""
    theirs = cuda.memory.OutOfMemoryError

    def plain(self: OutOfMemoryError) -> tuple[object, ...]:
        return OutOfMemoryError, self.args, self.__dict__

    names = {"__module__": OutOfMemoryError.__module__, "__doc__": OutOfMemoryError.__doc__, "__reduce__": plain}
    return type("OutOfMemoryError", (OutOfMemoryError, theirs), names)


__dir__ = published(__name__)
