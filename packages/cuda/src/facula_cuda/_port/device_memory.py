"""Device memory: one caching allocator for each device, which all libraries of the process share."""

from __future__ import annotations

from facula_allocator import CachingAllocator, known_device_allocators, set_device_allocator
from facula_allocator.drivers import CudaDriver
from facula_errors.extend import boundary

from .devices import AnyDevice, index_of
from .driver import on_close
from .runtime import DriverRuntime

_made: dict[int, CachingAllocator] = {}


@on_close
def _forget(alive: bool) -> None:
    """Leave no allocator of a closed driver to later users of `facula_allocator.device_allocator`."""
    for index, allocator in _made.items():
        if known_device_allocators().get(index) is allocator:
            set_device_allocator(index, None)
    _made.clear()


@boundary
def device_allocator(device: AnyDevice = None) -> CachingAllocator:
    """Return the process's allocator for the memory of a device, created on first use.

    It is the one of `facula_allocator.device_allocator`, without CuPy: arrays of CuPy and tensors share one pool and
    its statistics.

    Raises:
        OperationError: there is no driver or no device.
    """
    index = index_of("device_allocator", device)
    found = known_device_allocators().get(index)
    if found is None:
        found = _made.setdefault(index, CachingAllocator(CudaDriver(index, DriverRuntime())))
        set_device_allocator(index, found)
    return found
