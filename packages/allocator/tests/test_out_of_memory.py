"""What is tried before an error, and what the error says."""

import pickle

import pytest
from simulated import MIB, current

from facula_allocator import CachingAllocator, OutOfMemoryError
from facula_allocator.drivers import DriverError


def test_cached_memory_goes_before_an_error(caching, driver):
    caching.allocate(40 * MIB).free()
    block = caching.allocate(60 * MIB)
    assert block.capacity == 60 * MIB and driver.calls("free") == 1
    assert caching.memory_stats()["num_alloc_retries"] == 1


def test_memory_that_is_used_elsewhere_is_waited_for(caching, driver):
    block = caching.allocate(40 * MIB, stream=1)
    block.record_use(2)
    driver.launch(2, reads=[(block.ptr, 1000, "first")])
    block.free()
    assert caching.allocate(50 * MIB, stream=3).capacity == 50 * MIB
    assert driver.calls("synchronize") == 1


def test_the_error_says_what_is_held(caching, driver):
    block = caching.allocate(40 * MIB)
    with pytest.raises(OutOfMemoryError, match=r"^out of memory: 30 MiB of device memory requested; ") as caught:
        caching.allocate(30 * MIB)
    error = caught.value
    first = "out of memory: 30 MiB of device memory requested; 40 MiB in use, 0 B idle, 24 MiB of the device free"
    assert str(error).partition("\n")[0] == first
    assert (error.requested, error.allocated, error.reserved, error.cached) == (30 * MIB, 40 * MIB, 40 * MIB, 0)
    assert isinstance(error.__cause__, DriverError) and isinstance(error, MemoryError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert caching.memory_stats()["num_ooms"] == 1
    with pytest.raises(OutOfMemoryError):
        caching.allocate(1 << 62)
    block.free()
    assert caching.allocate(30 * MIB).capacity == 30 * MIB


def test_a_limit_and_a_fraction_bound_what_is_reserved(driver):
    caching = CachingAllocator(driver, limit=3 * MIB)
    held = caching.allocate(2 * MIB)
    with pytest.raises(OutOfMemoryError, match=r"2 MiB in use, .*, limit 3 MiB\n[^$]*raise the limit or the memory"):
        caching.allocate(2 * MIB)
    held.free()
    caching = CachingAllocator(driver)
    caching.set_memory_fraction(0.25)
    with pytest.raises(OutOfMemoryError, match="limit 16 MiB\n"):
        caching.allocate(17 * MIB)
    assert caching.allocate(16 * MIB)
    caching.set_memory_fraction(None)
    assert caching.allocate(17 * MIB)
    for fraction in (0, 1.5, "a", True):
        with pytest.raises((ValueError, TypeError), match="set_memory_fraction: expected"):
            caching.set_memory_fraction(fraction)


def test_a_refused_segment_is_asked_for_in_the_exact_size(driver):
    caching = CachingAllocator(driver)
    kept = caching.allocate(62 * MIB)
    small = caching.allocate(MIB + 1)
    assert small.capacity == MIB + 512 and kept
    with pytest.raises(OutOfMemoryError):
        caching.allocate(MIB)


def test_a_device_that_fails_changes_nothing(caching, driver):
    block = caching.allocate(40 * MIB)
    driver.fail_next("synchronize", RuntimeError("device lost"))
    with pytest.raises(RuntimeError, match="device lost"):
        caching.allocate(30 * MIB)
    driver.fail_next("free")
    block.free()
    assert caching.empty_cache() == 0 and current(caching, "reserved_bytes") == 40 * MIB
    assert caching.empty_cache() == 40 * MIB and driver.memory_info() == (64 * MIB, 64 * MIB)
