"""Pinned host memory: one caching allocator for each device whose streams copy from and to it."""

from __future__ import annotations

from facula_allocator import Block, CachingAllocator
from facula_allocator.drivers import PinnedDriver
from facula_errors.extend import boundary

from .devices import AnyDevice, index_of
from .driver import on_close
from .runtime import DriverRuntime

#: CUDA's other name for the default stream: stream 0 of a pinned allocator is the host.
LEGACY_STREAM = 1

_allocators: dict[int, CachingAllocator] = {}


@on_close
def _forget(alive: bool) -> None:
    _allocators.clear()


@boundary
def pinned_allocator(device: AnyDevice = None) -> CachingAllocator:
    """Return the process's allocator of pinned host memory that the streams of a device use.

    Its stream 0 is the host: blocks are allocated for it. A copy that is queued on a stream is registered by
    `record_use` of this module, so that the block is not reused before the copy is complete.

    Raises:
        OperationError: there is no driver or no device.
    """
    index = index_of("pinned_allocator", device)
    found = _allocators.get(index)
    if found is None:
        found = _allocators.setdefault(index, CachingAllocator(PinnedDriver(index, DriverRuntime())))
    return found


def record_use(block: Block, stream: int) -> None:
    """Keep a pinned block from being reused before the work that is now queued on a stream.

    Arguments:
        block: a block of `pinned_allocator`.
        stream: the handle of a stream; 0 is the default stream.
    """
    block.record_use(stream or LEGACY_STREAM)
