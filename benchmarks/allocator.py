"""A block taken and given back, 4 KiB: what a library pays that has its memory from a caching allocator.

PyTorch has no such call for the host; the nearest is an empty tensor, made and dropped.
"""

from __future__ import annotations

import torch

from facula_allocator import HostAllocator
from facula_allocator._caching import CachingAllocator
from facula_allocator.drivers import HostDriver, SimulatedDriver

from .measure import Loop, Row

NBYTES = 4096
REFERENCE = "torch.empty(4096, dtype=torch.uint8)"


def caching(driver: HostDriver | SimulatedDriver) -> Loop:
    """The pair on this driver, which is called for the first block alone."""
    allocator = CachingAllocator(driver)
    kept = [allocator.allocate(97 * n) for n in range(1, 2000)]
    del kept[::2]  # so that there are idle blocks of many sizes to choose from

    def loop(times):
        allocate = allocator.allocate
        for _ in times:
            allocate(NBYTES).free()

    loop.kept = kept
    return loop


def taking() -> Loop:
    allocator = HostAllocator()
    allocator.refill(NBYTES)[1]()

    def loop(times):
        take_for = allocator.take_for
        for _ in times:
            take_for(NBYTES)()[1]()

    return loop


def empty_tensor() -> Loop:
    def loop(times):
        empty, dtype = torch.empty, torch.uint8
        for _ in times:
            empty(NBYTES, dtype=dtype)

    return loop


rows = [
    Row(
        "allocate and free, CachingAllocator, host", lambda: caching(HostDriver()), empty_tensor, None,
        f"other: {REFERENCE}",
    ),
    Row(
        "allocate and free, CachingAllocator, simulated", lambda: caching(SimulatedDriver(1 << 34)), empty_tensor, None,
        f"other: {REFERENCE}",
    ),
    Row("take and release, HostAllocator", taking, empty_tensor, None, f"other: {REFERENCE}"),
]  # fmt: skip
