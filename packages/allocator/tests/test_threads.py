"""Eight threads that take, release, refill and trim concurrently, switched as often as Python can."""

import ctypes
import random
import sys
import threading

import pytest
from blocks import collection_in_another_thread, take

from facula_allocator import HostAllocator, default_host_allocator

THREADS = 8
MIB = 1 << 20


@pytest.fixture(autouse=True)
def switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_together(work):
    """Call `work(number)` in eight threads concurrently; raise the error of the first thread that failed."""
    errors, start = [], threading.Barrier(THREADS)

    def body(number):
        start.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_idle_memory_is_bounded_under_eight_threads():
    """Bursts of many sizes, with blocks of 16 MiB in between, at which the allocator tidies."""
    allocator = HostAllocator(cache_limit=8 * MIB)

    def work(number):
        choose = random.Random(number)
        for _ in range(8):
            for _, release in [take(allocator, int(2 ** choose.uniform(6, 21))) for _ in range(40)]:
                release()
            address, release = take(allocator, 16 * MIB)
            ctypes.memset(address, number, 64)
            assert ctypes.string_at(address, 64) == bytes([number]) * 64
            release()

    run_together(work)
    take(allocator, 16 * MIB)[1]()
    now = allocator.statistics()
    assert now["allocated_bytes"] == now["allocated_blocks"] == 0
    assert now["cached_bytes"] == now["reserved_bytes"] <= (8 + 16) * MIB
    rows = sum(row.block_bytes * row.cached_blocks for row in allocator.size_classes())
    assert rows == now["cached_bytes"]


@pytest.mark.parametrize("pools", [True, False])
def test_no_block_has_two_owners(pools):
    allocator = HostAllocator(cache_limit=1 * MIB, pools=pools)
    sizes = [64, 64, 200, 3000, 40_000, 2 * MIB]

    def work(number):
        choose = random.Random(number)
        held = []
        for step in range(600):
            if len(held) > 6 or (held and choose.random() < 0.4):
                address, tag, release = held.pop(choose.randrange(len(held)))
                assert ctypes.c_int64.from_address(address).value == tag
                release()
            else:
                address, release = take(allocator, choose.choice(sizes))
                tag = number << 32 | step
                ctypes.c_int64.from_address(address).value = tag
                held.append((address, tag, release))
            if step % 50 == number:
                allocator.trim()
                allocator.statistics()
        for address, tag, release in held:
            assert ctypes.c_int64.from_address(address).value == tag
            release()

    run_together(work)
    now = allocator.statistics()
    assert now["allocated_blocks"] == now["allocated_bytes"] == 0
    assert now["reserved_bytes"] == now["cached_bytes"] == allocator.trim()
    assert allocator.statistics()["reserved_bytes"] == 0
    now = allocator.memory_stats()
    assert now["num_device_alloc"] == now["num_device_free"]


def test_threads_together_never_exceed_the_limit():
    limit = THREADS * 5 * MIB // 2
    allocator = HostAllocator(limit=limit)

    def work(number):
        choose = random.Random(number)
        for _ in range(150):
            _, release = take(allocator, choose.choice([2 * MIB - 1, 2 * MIB + 1]))  # at most 2.5 MiB
            assert allocator.statistics()["reserved_bytes"] <= limit
            release()

    run_together(work)
    assert allocator.memory_stats()["reserved_bytes.all.peak"] <= limit
    assert allocator.statistics()["allocated_blocks"] == 0


def test_idle_memory_is_found_after_the_collection_of_another_thread():
    """The collection calls a finaliser that waits while this thread needs idle memory of another size."""
    allocator = HostAllocator(limit=4 * MIB)
    take(allocator, 3 * MIB)[1]()
    with collection_in_another_thread():
        take(allocator, 2 * MIB)[1]()
    assert allocator.statistics()["reserved_bytes"] <= 4 * MIB


def test_one_size_class_and_one_default_allocator_for_all():
    allocator, seen = HostAllocator(), []

    def work(number):
        seen.append((default_host_allocator(), [allocator.take_for(n * MIB + 1).__self__ for n in range(1, 30)]))

    run_together(work)
    first, lists = seen[0]
    for other, other_lists in seen[1:]:
        assert other is first
        assert all(a is b for a, b in zip(lists, other_lists, strict=True))


def test_blocks_may_be_released_in_another_thread():
    allocator, handed = HostAllocator(), []

    def work(number):
        for _ in range(500):
            handed.append(take(allocator, 500)[1])
            try:
                handed.pop(0)()
            except IndexError:
                pass

    run_together(work)
    for release in handed:
        release()
    assert allocator.statistics()["allocated_blocks"] == 0
