"""Expandable segments: pages are added where they are missing, and idle pages serve all requests."""

import pytest
from simulated import MIB, current, on_fake_runtime

from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, use_mem_pool
from facula_allocator.drivers import SimulatedDriver

PAGE = 2 * MIB


@pytest.fixture(params=[SimulatedDriver, on_fake_runtime], ids=["simulated", "cuda"])
def driver(request):
    return request.param(64 * MIB, page_size=PAGE)


def mapped(driver):
    free, total = driver.memory_info()
    return total - free


def test_a_segment_grows_by_the_missing_pages(caching, driver):
    first = caching.allocate(5 * MIB)
    assert mapped(driver) == 6 * MIB
    second = caching.allocate(4 * MIB)
    assert second.ptr == first.ptr + 5 * MIB and mapped(driver) == 10 * MIB, "the idle end of the segment is used"
    (segment,) = caching.memory_snapshot()["segments"]
    assert segment["is_expandable"] and segment["total_size"] == 10 * MIB
    second.free()
    first.free()
    whole = caching.allocate(16 * MIB)
    assert whole.ptr == first.ptr and mapped(driver) == 16 * MIB and not driver.calls("allocate")


def test_idle_pages_serve_other_requests(caching, driver):
    held = [caching.allocate(4 * MIB, stream=number % 4) for number in range(16)]
    for block in held[::2]:
        block.free()
    block = caching.allocate(32 * MIB, stream=7)  # from eight holes in other streams' segments
    assert mapped(driver) == 64 * MIB and current(caching, "allocated_bytes") == 64 * MIB
    with pytest.raises(OutOfMemoryError):
        caching.allocate(1)
    del held[1], block
    again = caching.allocate(36 * MIB, stream=7)
    assert again.capacity == 36 * MIB


def test_a_hole_is_filled_before_the_end_grows(caching, driver):
    held = [caching.allocate(8 * MIB) for _ in range(4)]
    address = held[1].ptr
    held[1].free()
    assert caching.empty_cache() == 8 * MIB
    assert [s["total_size"] for s in caching.memory_snapshot()["segments"]] == [8 * MIB, 16 * MIB]
    assert caching.allocate(7 * MIB).ptr == address
    assert caching.allocate(8 * MIB).ptr == address and mapped(driver) == 32 * MIB
    assert [s["total_size"] for s in caching.memory_snapshot()["segments"]] == [32 * MIB]


def test_pages_at_both_ends_of_a_segment_are_released(caching, driver):
    held = [caching.allocate(3 * MIB) for _ in range(4)]
    held[0].free()
    held[3].free()
    assert caching.empty_cache() == 4 * MIB, "two of six pages are idle as a whole"
    assert current(caching, "reserved_bytes") == mapped(driver) == 8 * MIB
    assert current(caching, "inactive_split") == 2


def test_private_pools_keep_their_pages_while_they_live(caching, driver):
    pool = MemPool(caching)
    driver.begin_capture(1)
    with use_mem_pool(pool):
        caching.allocate(4 * MIB, stream=1).free()
    driver.end_capture(1)
    assert caching.empty_cache() == 0
    del pool
    assert caching.empty_cache() == 4 * MIB


def test_everything_is_released_with_the_last_block(driver):
    allocator = CachingAllocator(driver)
    kept = [allocator.allocate(n * MIB, stream=n) for n in (1, 3, 5)]
    kept[1].free()
    allocator.empty_cache()
    del allocator
    assert mapped(driver) == 8 * MIB
    kept.clear()
    assert mapped(driver) == 0 and not driver._memory._table.ranges


@pytest.mark.parametrize("call", ["reserve_addresses", "map"])
def test_ordinary_segments_without_addresses_or_pages(caching, driver, call):
    driver.fail_next(call, count=100)
    assert caching.allocate(3 * MIB).capacity == 3 * MIB
    assert driver.calls("allocate") == 1 and not caching.memory_snapshot()["segments"][0]["is_expandable"]


def test_pages_that_the_driver_keeps_stay_reserved(caching, driver):
    caching.allocate(4 * MIB).free()
    driver.fail_next("unmap")
    assert caching.empty_cache() == 0 and current(caching, "reserved_bytes") == 4 * MIB
    assert caching.empty_cache() == 4 * MIB


def test_expandable_segments_can_be_disabled(driver):
    allocator = CachingAllocator(driver, expandable_segments=False)
    allocator.allocate(3 * MIB)
    assert driver.calls("allocate") == 1 and not driver.calls("map")


def test_a_limit_counts_pages(driver):
    allocator = CachingAllocator(driver, limit=7 * MIB)
    block = allocator.allocate(6 * MIB)
    with pytest.raises(OutOfMemoryError):
        allocator.allocate(2 * MIB)
    block.free()
    assert allocator.allocate(5 * MIB, stream=3).capacity == 5 * MIB
