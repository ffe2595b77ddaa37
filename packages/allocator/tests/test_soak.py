"""After the first steps, further steps of random sizes leave no memory behind."""

import gc
import random

import pytest
from blocks import take

from facula_allocator import HostAllocator

pytestmark = pytest.mark.unsanitized  # sanitizers keep freed memory for a while


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def step(allocator, choose, largest=19):
    held = [take(allocator, int(2 ** choose.uniform(3, largest))) for _ in range(60)]
    choose.shuffle(held)
    for _, release in held:
        release()


def test_memory_stays_flat(no_collection):
    allocator, choose = HostAllocator(), random.Random(0)
    for _ in range(200):
        step(allocator, choose, 15)
    gc.collect()
    before, objects, reserved = resident(), len(gc.get_objects()), allocator.statistics()["reserved_bytes"]
    for _ in range(1000):
        step(allocator, choose, 15)
    gc.collect()
    now = allocator.statistics()
    assert now["allocated_blocks"] == now["allocated_bytes"] == 0
    assert now["reserved_bytes"] - reserved <= 1 << 20, "random sizes find nearly all they need"
    assert resident() - before <= 2 << 20
    assert len(gc.get_objects()) - objects <= 3 * 500


def test_repeated_release_leaks_nothing(no_collection):
    allocator, choose = HostAllocator(), random.Random(1)

    def rounds(count):
        for _ in range(count):
            step(allocator, choose)
            allocator.trim()
        gc.collect()
        return resident(), len(gc.get_objects())

    memory, objects = rounds(30)
    later, later_objects = rounds(150)
    assert allocator.statistics()["reserved_bytes"] == 0
    assert later - memory <= 1 << 20 and later_objects - objects < 50


def test_every_block_is_released_without_pools(no_collection):
    allocator, choose = HostAllocator(pools=False), random.Random(2)
    for _ in range(100):
        step(allocator, choose)
    now = allocator.memory_stats()
    assert now["reserved_bytes.all.current"] == 0 and now["num_device_alloc"] == now["num_device_free"] == 6000


def test_a_dropped_block_is_released_without_pools(no_collection):
    allocator = HostAllocator(pools=False)
    allocator.refill(100)
    assert allocator.statistics()["reserved_bytes"] == 0
