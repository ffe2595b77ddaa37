"""The allocators of a process for its CUDA devices: one per device, shared by all libraries."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary

from ..drivers.cuda import CudaDriver
from ..drivers.pinned import PinnedDriver
from .caching_allocator import CachingAllocator

if TYPE_CHECKING:
    from collections.abc import Callable

_of_devices: dict[int, CachingAllocator] = {}
_pinned: dict[int, CachingAllocator] = {}


@boundary
def device_allocator(device: int = 0) -> CachingAllocator:
    """Return the process's allocator for the memory of a CUDA device, created on first use.

    Raises:
        MissingPackageError: CuPy is not installed.
        OperationError: there is no NVIDIA driver, or no device.

    >>> from facula_allocator.drivers import CudaDriver, FakeRuntime
    >>> mine = CachingAllocator(CudaDriver(7, FakeRuntime(devices=8)))
    >>> set_device_allocator(7, mine)
    >>> device_allocator(7) is mine
    True
    >>> set_device_allocator(7, None)
    """
    found = _of_devices.get(device)
    return _of_devices.setdefault(device, CachingAllocator(CudaDriver(device))) if found is None else found


@boundary
def set_device_allocator(device: int, allocator: CachingAllocator | None) -> None:
    """Make `device_allocator` return `allocator`.

    It replaces the previous allocator, which lives as long as its blocks. None removes the present one.
    """
    if type(device) is not int:
        raise InvalidTypeError(f"set_device_allocator: expected device, an int; got {device!r}")
    if device < 0:
        raise InvalidValueError(f"set_device_allocator: expected device >= 0; got {device}")
    if allocator is None:
        _of_devices.pop(device, None)
        return
    if not isinstance(allocator, CachingAllocator):
        expected = "allocator, a CachingAllocator or None"
        raise InvalidTypeError(f"set_device_allocator: expected {expected}; got {allocator!r}")
    if _of_devices.setdefault(device, allocator) is not allocator:
        expected = f"device {device} without an allocator"
        raise OperationError(f"set_device_allocator: expected {expected}; got {_of_devices[device]!r}. Call this first")


def known_device_allocators() -> dict[int, CachingAllocator]:
    """Return the allocators of devices used so far, by device. Creates no allocator and uses no device."""
    return dict(sorted(_of_devices.copy().items()))


def observe_segments(observer: Callable[[int, int], object] | None) -> dict[int, int]:
    """Call `observer(device, nbytes)` when an allocator of a device takes memory from it, or returns -nbytes.

    None ends the observation. Only allocators that exist now are observed. Returns the bytes that each has now.
    """
    found = known_device_allocators()
    for device, allocator in found.items():
        allocator._listeners.on_segment = None if observer is None else partial(observer, device)
    return {device: allocator.memory_stats()["reserved_bytes.all.current"] for device, allocator in found.items()}


@boundary
def pinned_allocator(device: int = 0) -> CachingAllocator:
    """Return the process's allocator for pinned host memory that the streams of a CUDA device use."""
    found = _pinned.get(device)
    return _pinned.setdefault(device, CachingAllocator(PinnedDriver(device))) if found is None else found
