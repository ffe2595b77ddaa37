"""Blocks on several streams: uses, events, lent memory."""

from simulated import MIB, current

from facula_allocator import CachingAllocator


def test_a_use_delays_reuse_until_its_event(caching, driver):
    block = caching.allocate(1000)
    address = block.ptr
    block.record_use(7)
    driver.launch(7, reads=[(address, 1000, "first")])
    block.free()
    assert current(caching, "allocated_bytes") == 0 and current(caching, "active_bytes") == 1024
    other = caching.allocate(1000)
    assert other.ptr != address, "there is idle memory beside it"
    rest = [caching.allocate(MIB) for _ in range(1)]
    driver.complete(7)
    rest.append(caching.allocate(MIB))  # no idle block fits, so the allocator queries events
    assert current(caching, "active_bytes") == current(caching, "allocated_bytes")
    assert caching.allocate(1000).ptr == address and driver.calls("wait_event") == 0


def test_a_stream_waits_instead_of_growing(driver):
    caching = CachingAllocator(driver, small_segment=MIB, small_size=MIB)
    block = caching.allocate(MIB)
    block.record_use(7)
    driver.launch(7, reads=[(block.ptr, MIB, "first")])
    address = block.ptr
    block.free()
    again = caching.allocate(MIB)
    assert again.ptr == address and driver.calls("allocate") == 1 and driver.calls("wait_event") == 1
    driver.launch(0, writes=[(again.ptr, MIB, "second")])
    assert driver.complete(0) == 0, "stream 0 waits for stream 7"
    assert driver.complete(7) == 1 and driver.complete(0) == 1


def test_idle_memory_is_lent(caching, driver):
    block = caching.allocate(1000, stream=1)
    driver.launch(1, writes=[(block.ptr, 1000, "first")])
    block.free()
    lent = caching.allocate(1000, stream=2)
    driver.launch(2, writes=[(lent.ptr, 1000, "second")])
    assert driver.calls("allocate") == 1 and driver.complete(2) == 0
    driver.complete(1)
    assert driver.complete(2) == 1
    assert caching.memory_snapshot()["segments"][0]["blocks"][0]["stream"] == 2
    assert CachingAllocator(driver, lend=False).options.lend is False


def test_lent_memory_is_recalled_before_a_new_segment(driver):
    caching = CachingAllocator(driver, small_segment=MIB)
    block = caching.allocate(MIB, stream=1)
    address = block.ptr
    block.free()
    lent = caching.allocate(1000, stream=2)
    driver.launch(2, writes=[(lent.ptr, 1000, "lent")])
    lent.free()
    assert lent.ptr == address and len(caching.memory_snapshot()["segments"][0]["blocks"]) == 2
    whole = caching.allocate(MIB, stream=1)
    assert whole.ptr == address and driver.calls("allocate") == 1
    driver.launch(1, writes=[(address, MIB, "whole")])
    assert driver.complete(1) == 0 and driver.complete(2) == 1 and driver.complete(1) == 1


def test_memory_that_cannot_be_recalled_stays_lent(caching, driver):
    caching.allocate(2 * MIB - 512, stream=1).free()
    for call in ("record_event", "wait_event"):
        caching.allocate(1000, stream=1).free()
        caching.allocate(1000, stream=2).free()
        driver.fail_next(call)
        caching.allocate(MIB, stream=3).free()
        driver.fail_next(call, count=0)
    assert caching.empty_cache() > 0 and driver.memory_info()[0] == 64 * MIB


def test_a_refused_loan_is_returned(caching, driver):
    caching.allocate(1000, stream=1).free()
    driver.fail_next("wait_event")
    block = caching.allocate(1000, stream=2)
    assert driver.calls("allocate") == 2 and current(caching, "allocation") == 1
    assert block.ptr != caching.allocate(1000, stream=1).ptr


def test_a_repeated_step_makes_no_driver_calls(caching, driver):
    def step():
        kept = [caching.allocate(n, n % 2) for n in (100, 5000, MIB, 3 * MIB, 100, 12 * MIB)]
        caching.allocate(700).free()
        return kept

    for _ in range(2):
        step()
    calls = len(driver.log)
    for _ in range(20):
        step()
    assert len(driver.log) == calls
