"""The caching allocator with threads, during collections, across forks and at interpreter exit."""

import gc
import random
import threading
from queue import Queue

import pytest
from blocks import collection_in_another_thread
from simulated import on_fake_runtime
from test_processes import in_child, run

from facula_allocator import CachingAllocator
from facula_allocator.drivers import HostDriver, SimulatedDriver

MIB = 1 << 20


def in_use(allocator):
    """Return (address, bytes) of all blocks in use; check that segments are complete and blocks do not overlap."""
    found = []
    for segment in allocator.memory_snapshot()["segments"]:
        at = segment["address"]
        for block in segment["blocks"]:
            assert block["address"] == at
            at += block["size"]
            if block["state"] == "active_allocated":
                found.append((block["address"], block["size"]))
        assert at == segment["address"] + segment["total_size"]
    return found


def recount(allocator):
    now, used = allocator.memory_stats(), in_use(allocator)
    assert now["allocation.all.current"] == len(used)
    assert now["allocated_bytes.all.current"] == sum(size for _, size in used)
    return now


def test_memory_freed_during_the_collection_of_another_thread_is_found():
    """The collection calls a finaliser that waits while this thread needs the memory that it freed before."""
    allocator = CachingAllocator(SimulatedDriver(64 * MIB))
    block = allocator.allocate(40 * MIB)
    with collection_in_another_thread():
        block.free()
        assert allocator.allocate(40 * MIB).capacity == 40 * MIB


@pytest.mark.parametrize("driver", [HostDriver, lambda: SimulatedDriver(1 << 30)], ids=["host", "simulated"])
def test_four_threads_free_while_one_allocates(driver):
    allocator = CachingAllocator(driver())
    handed: Queue = Queue(50)
    errors = []

    def freeing(seed):
        choose = random.Random(seed)
        held = []
        try:
            while (block := handed.get()) is not None:
                held.append(block)
                del block
                if len(held) > 20:
                    victim = held.pop(choose.randrange(len(held)))
                    if choose.random() < 0.5:
                        victim.free()
                    del victim
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=freeing, args=(seed,), daemon=True) for seed in range(4)]
    for thread in threads:
        thread.start()
    choose = random.Random(7)
    for turn in range(20_000):
        block = allocator.allocate(choose.choice([64, 1000, 70_000, 3 * MIB]) + choose.randrange(64), turn % 3)
        if turn % 5 == 0:
            block.record_use(4)
        handed.put(block)
        del block
        if turn % 2000 == 0:
            in_use(allocator)  # while other threads change the figures
            allocator.empty_cache()
    for _ in threads:
        handed.put(None)
    for thread in threads:
        thread.join()
    assert not errors
    assert recount(allocator)["allocation.all.current"] == 0
    allocator.empty_cache()
    assert allocator.memory_stats()["reserved_bytes.all.current"] == 0


def test_four_threads_allocate_and_free():
    allocator = CachingAllocator(SimulatedDriver(256 * MIB))
    owners = {}
    errors = []

    def work(number):
        choose = random.Random(number)
        held = []
        try:
            for turn in range(4000):
                block = allocator.allocate(choose.randrange(1, 40_000), number % 2)
                assert owners.setdefault(block.ptr, number) == number, "two blocks at one address"
                held.append(block)
                del block
                if len(held) > 30:
                    victim = held.pop(choose.randrange(30))
                    del owners[victim.ptr]
                    victim.free()
                if turn % 500 == 0:
                    allocator.empty_cache()
                    allocator.memory_stats()
            for victim in held:
                del owners[victim.ptr]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    allocator.empty_cache()
    assert recount(allocator)["reserved_bytes.all.current"] == 0


class Cycle:
    """Dies in a collection; its finaliser records the allocator's behaviour at that moment."""

    def __init__(self, allocator, nbytes, seen):
        self.block = allocator.allocate(nbytes)
        self.me = self
        self.allocator, self.seen = allocator, seen

    def __del__(self):
        address = self.block.ptr
        before = self.allocator.memory_stats()["allocation.all.current"]
        self.block.free()
        after = self.allocator.memory_stats()["allocation.all.current"]
        again = self.allocator.allocate(self.block.nbytes)
        self.seen.append((address, again.ptr, before - after))


def test_blocks_freed_in_a_collection_are_reused_after_it(no_collection):
    allocator = CachingAllocator(SimulatedDriver(64 * MIB))
    seen = []
    for nbytes in (1000, 3 * MIB):
        Cycle(allocator, nbytes, seen)
    gc.collect()
    assert len(seen) == 2
    freed = {address for address, _, _ in seen}
    assert not freed & {again for _, again, _ in seen}, "a later finaliser may still look at the memory"
    assert [count for _, _, count in seen] == [1, 1], "statistics count it as free at once"
    assert recount(allocator)["allocation.all.current"] == 0
    assert allocator.allocate(1000).ptr in freed
    allocator.empty_cache()
    assert allocator.memory_stats()["reserved_bytes.all.current"] == 0


def test_an_allocator_finalised_in_a_collection_releases_later(no_collection):
    driver = SimulatedDriver(64 * MIB)
    cycle = [CachingAllocator(driver)]
    cycle += [cycle, cycle[0].allocate(1000)]
    del cycle
    gc.collect()
    assert driver.memory_info()[0] == 62 * MIB
    other = CachingAllocator(driver)
    other.allocate(1)
    assert driver.calls("free") == 1
    other.empty_cache()
    assert driver.memory_info()[0] == 64 * MIB


def test_collections_during_snapshots():
    """Creating a snapshot runs collections whose finalisers allocate, free and empty the cache."""
    allocator = CachingAllocator(SimulatedDriver(1 << 30))

    class Busy:
        def __init__(self):
            self.me = self
            self.block = allocator.allocate(random.randrange(1, 3 * MIB), random.randrange(3))

        def __del__(self):
            self.block.record_use(9)
            del self.block
            allocator.allocate(5000)
            allocator.empty_cache()

    before = gc.get_threshold()
    gc.set_threshold(5, 2, 2)
    try:
        for _ in range(300):
            Busy()
            recount_while_collecting = allocator.memory_snapshot()
            assert recount_while_collecting["segments"]
            allocator.memory_stats()
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert recount(allocator)["allocation.all.current"] == 0


def test_a_forked_child_keeps_host_memory():
    import ctypes

    allocator = CachingAllocator(HostDriver())
    held = allocator.allocate(5000)
    ctypes.memset(held.ptr, 1, 5000)
    idle = allocator.allocate(3000)
    address = idle.ptr
    del idle

    def child():
        assert ctypes.string_at(held.ptr, 5000) == b"\x01" * 5000
        assert allocator.allocate(3000).ptr == address
        held.free()
        assert recount(allocator)["allocation.all.current"] == 0
        assert allocator.empty_cache() > 0

    assert in_child(child)
    assert recount(allocator)["allocation.all.current"] == 1


@pytest.mark.parametrize("kind", [SimulatedDriver, on_fake_runtime])
def test_a_forked_child_abandons_device_memory(kind):
    driver = kind(64 * MIB)
    allocator = CachingAllocator(driver)
    held, idle = allocator.allocate(5000), allocator.allocate(20 * MIB)
    idle.free()
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            allocator.allocate(30 * MIB, stream=1).free()
            allocator.empty_cache()

    thread = threading.Thread(target=busy, daemon=True)
    thread.start()

    def child():
        calls = driver.calls("free")
        assert recount(allocator)["reserved_bytes.all.current"] == 0
        held.record_use(7)
        held.free()
        assert recount(allocator)["allocation.all.freed"] == 0
        gc.collect()
        assert driver.calls("free") == calls, "it is the parent's"

    try:
        assert all([in_child(child) for _ in range(5)])
    finally:
        stop.set()
        thread.join()
    assert recount(allocator)["allocation.all.current"] == 1


def test_blocks_are_freed_at_interpreter_exit():
    done = run(
        """
        import builtins, gc, sys
        from facula_allocator import CachingAllocator
        from facula_allocator.drivers import CudaDriver, FakeRuntime, HostDriver, PinnedDriver, SimulatedDriver

        class Late:
            def __init__(self, allocator):
                self.allocator, self.me, self.block = allocator, self, allocator.allocate(1000)
            def __del__(self):
                self.block.free()
                self.allocator.allocate(10)
                self.allocator.allocate(5 << 20).record_use(3)

        fake = FakeRuntime()
        for driver in (HostDriver(), SimulatedDriver(1 << 30), CudaDriver(0, fake), PinnedDriver(0, fake)):
            allocator = CachingAllocator(driver)
            builtins.__dict__[f"kept {driver}"] = [Late(allocator), allocator.allocate(4000)]
            sys.modules[f"kept {driver}"] = Late(allocator)
            forgotten = Late(allocator)
        del allocator, driver, forgotten
        """
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
