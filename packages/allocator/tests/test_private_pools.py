"""Private pools, and calls that a capture forbids."""

import pytest
from simulated import MIB

from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, use_mem_pool


def test_a_private_pool_has_its_own_memory(caching, driver):
    caching.allocate(1000).free()
    pool = MemPool(caching)
    with use_mem_pool(pool):
        block = caching.allocate(1000)
    assert driver.calls("allocate") == 2
    address = block.ptr
    block.free()
    outside = caching.allocate(1000)
    assert caching.empty_cache() == 0, "a graph may write to the pool's idle memory"
    with use_mem_pool(pool):
        assert caching.allocate(1000).ptr == address
    assert CachingAllocator(driver).allocate(1) and repr(pool).startswith("<MemPool")
    del pool
    assert caching.empty_cache() == 2 * MIB and outside


def test_no_forbidden_call_during_capture(caching, driver):
    pool = MemPool(caching)
    used = caching.allocate(1000)
    used.record_use(1)
    driver.launch(1, reads=[(used.ptr, 1000, "used")])
    driver.begin_capture(5)
    with use_mem_pool(pool):
        block = caching.allocate(1000, stream=5)
        address = block.ptr
        driver.launch(5, writes=[(address, 1000, "graph")])
        used.free()
        block.free()
        assert caching.allocate(1000, stream=5).ptr == address
        with pytest.raises(OutOfMemoryError):
            caching.allocate(200 * MIB, stream=5)
        assert caching.empty_cache() == 0
    graph = driver.end_capture(5)
    driver.replay(5, graph)
    driver.complete_all()
    assert not driver.calls("record_event")
    caching.allocate(3 * MIB)  # the first request after the capture that finds no idle block
    assert driver.calls("record_event") == 1
