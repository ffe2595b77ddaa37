"""A block taken and given back, 4 KiB: what a library pays that has its memory from a caching allocator.

PyTorch has no such call for the host; the nearest is an empty tensor, made and dropped.
"""

from __future__ import annotations

from functools import partial

import torch

from facula_allocator import CachingAllocator, HostAllocator
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


HOST, SIMULATED = partial(caching, HostDriver()), partial(caching, SimulatedDriver(1 << 34))
rows = [
    Row("allocate and free, host, other: empty", HOST, empty_tensor, None, REFERENCE),
    Row("allocate and free, simulated device, other: empty", SIMULATED, empty_tensor, None, REFERENCE),
    Row("take and release, HostAllocator, other: empty", taking, empty_tensor, None, REFERENCE),
]
