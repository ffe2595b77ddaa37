"""Blocks for tensors: from a caching allocator through storage's interface, and from a followed host allocator."""

import ctypes
import gc
import os
import threading

import pytest

from facula_allocator import (
    Block,
    CachingAllocator,
    HostAllocator,
    MemPool,
    OutOfMemoryError,
    StorageAllocator,
    default_host_allocator,
    follow,
    unfollow,
    use_mem_pool,
)
from facula_allocator._reports.call_sites import call_site
from facula_allocator.drivers import CudaDriver, FakeRuntime, HostDriver, SimulatedDriver
from facula_errors.testing import raises

MIB = 1 << 20


# ------------------------------------------------------------------------------------------------- storage's interface
@pytest.fixture
def front():
    return StorageAllocator(CachingAllocator(HostDriver(), limit=64 * MIB))


def test_a_taken_block_counts_until_it_is_released(front):
    take = front.take_for(1000)
    with pytest.raises(IndexError):
        take()
    front.refill(1000)[1]()
    address, release = take()
    assert front.statistics() == {"allocated_bytes": 1024, "allocated_blocks": 1, "reserved_bytes": 2 * MIB}
    assert release() is None and front.statistics()["allocated_bytes"] == 0
    assert take()[0] == address
    assert front.statistics()["allocated_bytes"] == 0, "dropped is freed, too"
    with raises(ValueError, "Block.free", "expected a block in use"):
        release()
    with pytest.raises(TypeError, match="takes no arguments"):
        release(1)


@pytest.mark.parametrize("nbytes", [0, 1, 64, 5000, 3 * MIB])
def test_taken_blocks_are_aligned_and_large_enough(front, nbytes):
    address, release = front.refill(nbytes)
    assert address % 64 == 0 and bool(address) == bool(nbytes)
    release()
    assert front.take_for(nbytes)()[0] == address


def test_listeners_see_all_blocks(front):
    take = front.take_for(100)
    front.refill(100)[1]()
    told = []
    front.allocator.add_listener(told.append)
    with pytest.raises(IndexError):
        take()
    front.refill(100)[1]()
    front.statistics()
    assert [event.action for event in told] == ["alloc", "free_requested", "free_completed"]
    front.allocator.remove_listener(told.append)
    assert take()


def test_a_private_pool_serves_the_tensors_inside(front):
    front.refill(100)[1]()
    take, pool = front.take_for(100), MemPool(front.allocator)
    with use_mem_pool(pool):
        with pytest.raises(IndexError):
            take()
        held = front.refill(100)
    segments = front.allocator.memory_snapshot()["segments"]
    assert [one["allocated_size"] for one in segments if one["segment_pool_id"] == pool.id] == [128]
    assert held[1]() is None and take()


def test_kept_blocks_merge_for_other_sizes_and_before_memory_is_released(front):
    take = front.take_for(1000)
    front.refill(1000)[1]()
    blocks = [take()[1] for _ in range(2048)]
    with pytest.raises(IndexError):
        take()
    for block in blocks[::2] + blocks[1::2]:
        block()
    held = [take()[1], take()[1]]
    assert [block.ptr for block in held] == [blocks[2047].ptr, blocks[2045].ptr], "the last one first"
    assert front.refill(MIB)[1]() is None and front.segments()[1] == 1, "no new memory"
    for block in held:
        block()
    assert front.trim() == 2 * MIB


def test_blocks_that_a_listener_must_be_told_of_are_not_kept(front):
    front.refill(1000)[1]()
    told, (_, release) = [], front.take_for(1000)()
    front.allocator.add_listener(told.append)
    release()
    front.statistics()
    front.allocator.remove_listener(told.append)
    assert [event.action for event in told] == ["free_requested", "free_completed"]


def test_blocks_that_are_freed_in_a_collection_are_not_kept(front):
    take, seen = front.take_for(1000), []
    front.refill(1000)[1]()

    class Cycle:
        def __init__(self):
            self.me, (self.address, self.release) = self, take()

        def __del__(self):
            self.release()
            seen.append((self.address, take()[0]))

    Cycle()
    gc.collect()
    assert len(seen) == 1 and seen[0][0] != seen[0][1]


@pytest.fixture
def on_streams():
    """A front over a simulated device, whose current stream is `runtime`'s, read by a C function."""
    runtime = FakeRuntime(capacity=64 * MIB)
    current = ctypes.PYFUNCTYPE(ctypes.c_int64)(runtime.current_stream)
    allocator = CachingAllocator(CudaDriver(0, runtime), lend=False)
    yield runtime, StorageAllocator(allocator, current_stream=ctypes.cast(current, ctypes.c_void_p).value)
    current.restype = None  # used until here: the function lives as long as `current`


def test_blocks_belong_to_the_current_stream(on_streams):
    runtime, front = on_streams
    take = front.take_for(1000)
    for stream in (7, 0, 9):
        runtime.set_current_stream(stream)
        _, block = front.refill(1000)
        assert block.stream == stream
        block()
        assert take()[1].stream == stream


def test_memory_is_not_reused_on_another_stream_while_work_uses_it(on_streams):
    runtime, front = on_streams
    device, take = runtime.device(0), front.take_for(1000)
    runtime.set_current_stream(7)
    address, block = front.refill(1000)
    device.launch(7, writes=[(address, 1000)])
    block()
    runtime.set_current_stream(8)
    with pytest.raises(IndexError):
        take()
    other, kept = front.refill(1000)
    assert other != address
    device.launch(8, writes=[(other, 1000)])
    runtime.set_current_stream(7)
    assert take()[0] == address  # the work on stream 7 runs in order
    assert in_thread(lambda: front.refill(1000)[1].stream) == 0  # another thread's current stream
    device.complete(7), device.complete(8)
    assert kept() is None


def in_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_a_child_does_not_reuse_its_parents_memory():
    front = StorageAllocator(CachingAllocator(SimulatedDriver(64 * MIB)))
    front.refill(100)[1]()
    take = front.take_for(100)
    child = os.fork()
    if not child:
        try:
            take()
        except IndexError:
            os._exit(0 if front.statistics()["reserved_bytes"] == 0 else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert take()


def test_tidy_releases_idle_memory_above_the_limit():
    front = StorageAllocator(CachingAllocator(HostDriver()), cache_limit=24 * MIB)
    front.refill(2 * MIB)[1]()
    assert front.idle_bytes() == 20 * MIB and front.tidy() == 0
    kept, large = front.refill(100), front.refill(30 * MIB)
    assert front.tidy() == 0
    large[1]()
    assert front.tidy() == 50 * MIB and 0 < front.idle_bytes() < 2 * MIB
    assert front.tidy() == 0 and kept[1]() is None
    assert StorageAllocator(CachingAllocator(SimulatedDriver(MIB))).cache_limit is None
    assert front.trim() == 2 * MIB


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: StorageAllocator(HostAllocator()), TypeError, "StorageAllocator: allocator, ... got <HostAllocator"),
        (lambda: StorageAllocator(CachingAllocator(HostDriver()), -1), ValueError, "StorageAllocator: got -1"),
        (
            lambda: StorageAllocator(CachingAllocator(HostDriver()), current_stream=None),
            TypeError,
            "StorageAllocator: current_stream",
        ),
        (lambda: StorageAllocator(CachingAllocator(HostDriver())).take_for(-1), ValueError, "take_for: nbytes >= 0"),
        (lambda: StorageAllocator(CachingAllocator(HostDriver())).refill("1"), TypeError, "allocate: an ... got '1'"),
        (lambda: follow(7), TypeError, "follow: expected allocator, a HostAllocator or None; got 7"),
        (lambda: unfollow(CachingAllocator(HostDriver())), TypeError, "unfollow: expected allocator, a HostAllocator"),
        (lambda: HostAllocator().set_memory_fraction(2), ValueError, "set_memory_fraction: 0 < fraction <= 1; got 2"),
        (lambda: HostAllocator().set_memory_fraction("1"), TypeError, "set_memory_fraction: fraction, ... got '1'"),
    ],
)
def test_invalid_arguments(call, error, message):
    with raises(error, message):
        call()


# -------------------------------------------------------------------------------------------------- followed memory
def test_followed_and_other_blocks_may_be_mixed():
    allocator = HostAllocator()
    plain = [allocator.refill(5000) for _ in range(3)]
    caching = follow(allocator)
    followed = [allocator.refill(5000) for _ in range(3)]
    assert not any(isinstance(release, Block) for _, release in plain)
    assert all(isinstance(release, Block) for _, release in followed)
    assert caching.memory_stats()["requested_bytes.all.current"] == 15_000
    assert allocator.statistics()["allocated_blocks"] == 6
    unfollow(allocator)
    assert type(allocator) is HostAllocator and not isinstance(allocator.refill(5000)[1], Block)
    for _, release in plain + followed:
        release()
    assert allocator.statistics()["allocated_blocks"] == 1
    assert follow(allocator) is caching and "HostAllocator" in repr(allocator)
    unfollow(allocator)
    unfollow(allocator)


def test_idle_memory_of_both_kinds_is_released_before_an_error(no_collection):
    allocator = HostAllocator(limit=32 * MIB)
    allocator.refill(20 * MIB)[1]()
    follow(allocator)
    block = allocator.refill(24 * MIB)
    with pytest.raises(OutOfMemoryError) as caught:
        allocator.refill(24 * MIB)
    assert caught.value.limit == 32 * MIB and caught.value.allocated == 24 * MIB
    assert allocator.memory_stats()["num_ooms"] == 1
    block[1]()
    unfollow(allocator)
    allocator.refill(24 * MIB)
    assert allocator.statistics()["reserved_bytes"] == 24 * MIB


def test_resetting_a_peak_excludes_freed_blocks():
    allocator = HostAllocator()
    follow(allocator)
    allocator.refill(MIB)[1]()
    allocator.reset_peak_memory_stats()
    assert allocator.memory_stats()["allocated_bytes.all.peak"] == 0
    release = allocator.refill(100)[1]
    assert allocator.memory_stats()["allocated_bytes.all.peak"] == 128 and release() is None


def test_the_error_of_a_followed_allocator_names_lines():
    allocator = HostAllocator(limit=4 * MIB)
    with pytest.raises(OutOfMemoryError) as caught:
        allocator.refill(16 * MIB)
    assert "\n" not in str(caught.value), "nobody knows who holds what"
    follow(allocator).record_history()
    held, line = allocator.refill(3 * MIB), call_site().line
    with pytest.raises(OutOfMemoryError) as caught:
        allocator.refill(2 * MIB)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("out of memory: 2 MiB of host memory requested; 3 MiB in use")
    assert any(f"test_fronts.py:{line} test_the_error" in one for one in lines) and held[1]() is None


def test_counts_restart():
    allocator = HostAllocator(limit=MIB)
    allocator.refill(100)
    with pytest.raises(OutOfMemoryError):
        allocator.refill(2 * MIB)
    now = allocator.memory_stats()
    assert (now["num_device_alloc"], now["num_ooms"], now["num_alloc_retries"]) == (1, 1, 1)
    allocator.reset_accumulated_memory_stats()
    now = allocator.memory_stats()
    assert (now["num_device_alloc"], now["num_ooms"], now["num_alloc_retries"]) == (0, 0, 0)
    assert now["segment.all.current"] == 1


def test_idle_followed_memory_is_bounded(no_collection):
    allocator = HostAllocator(cache_limit=4 * MIB)
    follow(allocator)
    for nbytes in (8 * MIB, 30 * MIB):
        allocator.refill(nbytes)[1]()
    allocator.tidy()
    assert allocator.statistics()["cached_bytes"] <= 4 * MIB


def test_the_limit_follows_the_fraction():
    allocator = HostAllocator(limit=1 << 40)
    allocator.set_memory_fraction(1e-6)
    with pytest.raises(OutOfMemoryError):
        allocator.refill(MIB)
    assert allocator.limit == 1 << 40
    allocator.set_memory_fraction(None)
    assert allocator.refill(MIB)


def test_memory_freed_in_a_collection_stays_until_it_ends():
    allocator = HostAllocator()
    follow(allocator)
    seen = []

    class Cycle:
        def __init__(self):
            self.me, (self.address, self.release) = self, allocator.refill(4096)

        def __del__(self):
            self.release()
            seen.append((self.address, allocator.refill(4096)[0]))

    Cycle()
    gc.collect()
    assert len(seen) == 1 and seen[0][0] != seen[0][1]
    assert allocator.statistics()["allocated_blocks"] == 0


def test_following_begins_and_ends_while_others_allocate():
    allocator, failures = HostAllocator(), []

    def work(tag):
        try:
            for i in range(400):
                held = [allocator.refill(64 * (1 + (i + j) % 50)) for j in range(4)]
                for _, release in held:
                    release()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(tag,)) for tag in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        follow(allocator)
        unfollow(allocator)
    for thread in threads:
        thread.join()
    assert not failures and allocator.statistics()["allocated_bytes"] == 0
    assert allocator.empty_cache() > 0 and allocator.statistics()["reserved_bytes"] == 0


def test_the_shared_allocator_is_followed_by_default():
    caching = follow()
    try:
        assert isinstance(default_host_allocator().refill(10)[1], Block) and caching.limit is None
        assert "followed" in default_host_allocator().memory_summary()
    finally:
        unfollow()
