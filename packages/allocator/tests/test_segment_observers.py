"""Observers of memory that allocators take from the system and from devices, and return."""

import ctypes

from facula_allocator import CachingAllocator, HostAllocator, set_device_allocator
from facula_allocator.drivers import CudaDriver, FakeRuntime
from facula_allocator.extend import observe_regions, observe_segments, reserved_bytes


def test_memory_of_the_host():
    seen = []
    report = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(lambda *values: seen.append(values))
    address = ctypes.cast(report, ctypes.c_void_p).value
    allocator, exact = HostAllocator(), HostAllocator(pools=False)
    before = reserved_bytes()
    former = observe_regions(address, 9, 1, 2)
    try:
        _, release = allocator.refill(3 << 20)
        assert reserved_bytes() == before + (3 << 20)
        release()
        allocator.trim()
        _, release = exact.refill(1000)
        release()
        with_limit = HostAllocator(limit=10)
        try:
            with_limit.refill(1000)
        except MemoryError:
            pass  # nothing was taken
    finally:
        assert observe_regions(*former) == (address, 9, 1, 2)
    HostAllocator().refill(3 << 20)
    assert [(label, lane, nbytes) for label, lane, _, _, nbytes in seen] == [
        (1, 9, 3 << 20), (2, 9, -(3 << 20)), (1, 9, 1000), (2, 9, -1000),
    ]  # fmt: skip
    times = [time for _, _, start, end, _ in seen for time in (start, end)]
    assert times == sorted(times) and times[0] > 0


def test_memory_of_devices():
    seen = []
    allocator = CachingAllocator(CudaDriver(7, FakeRuntime(devices=8)))
    set_device_allocator(7, allocator)
    try:
        kept = allocator.allocate(3 << 20)
        before = observe_segments(lambda *values: seen.append(values))
        assert before == {7: allocator.memory_stats()["reserved_bytes.all.current"]}
        allocator.allocate(30 << 20).free()
        allocator.empty_cache()
        assert {device for device, _ in seen} == {7} and seen[0][1] >= 30 << 20
        now = observe_segments(None)
        assert now[7] - before[7] == sum(nbytes for _, nbytes in seen)
        allocator.allocate(60 << 20).free()
        assert seen[-1][1] < 0 and kept.nbytes >= 3 << 20
    finally:
        set_device_allocator(7, None)
