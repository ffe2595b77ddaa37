"""The caching allocator: blocks, sizes, options, bad requests."""

import pytest
from simulated import MIB, current

from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, use_mem_pool
from facula_allocator.drivers import DriverError, HostDriver, SimulatedDriver
from facula_errors.testing import raises


def test_a_freed_block_is_reused_immediately_on_its_stream(caching, driver):
    block = caching.allocate(1000, stream=3)
    driver.launch(3, writes=[(block.ptr, 1000, "first")])
    address = block.ptr
    block.free()
    again = caching.allocate(900, stream=3)
    assert again.ptr == address and again.stream == 3
    driver.launch(3, writes=[(again.ptr, 900, "second")])
    driver.complete_all()
    assert driver.calls("allocate") == 1


def test_a_free_block_of_the_exact_size_is_reused(caching):
    """The segment is a single block, without a remainder."""
    address = caching.allocate(30 << 20).ptr
    again = caching.allocate(30 << 20)
    assert again.ptr == address
    assert caching.memory_stats()["reserved_bytes.all.peak"] == 30 << 20


def test_dropping_the_last_reference_frees(caching):
    block = caching.allocate(5 * MIB)
    assert current(caching, "allocated_bytes") == 5 * MIB
    del block
    assert current(caching, "allocated_bytes") == 0 == current(caching, "active_bytes")


def test_freeing_twice_is_an_error(caching):
    block = caching.allocate(100)
    block.free()
    with raises(ValueError, "Block.free", "expected a block in use", value="the one of 100 bytes at 0x10000000000"):
        block.free()
    with raises(ValueError, "Block.record_use", "expected a block in use"):
        block.record_use(1)
    assert block.freed and block.capacity == 0 and "freed" in repr(block)
    assert current(caching, "allocation") == 0


def test_blocks_cannot_be_constructed(caching):
    with pytest.raises(TypeError):
        type(caching.allocate(1))()


def test_zero_bytes(caching, driver):
    block = caching.allocate(0, stream=2)
    assert (block.ptr, block.nbytes, block.capacity, block.stream) == (0, 0, 0, 2)
    block.record_use(1)
    block.free()
    with raises(ValueError, "Block.free", "freed before"):
        block.free()
    assert not driver.calls("allocate") and current(caching, "allocation") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1,), "expected nbytes >= 0; got -1"),
        ((1.5,), "nbytes: expected an int"),
        ((True,), "nbytes: expected an int"),
        ((1, "a"), "expected stream, an int of 64 bits; got 'a'"),
        ((1, 1 << 63), "expected stream, an int of 64 bits"),
    ],
)
def test_invalid_requests(caching, arguments, message):
    with raises((ValueError, TypeError), "allocate", message):
        caching.allocate(*arguments)


def test_record_use_expects_a_stream(caching):
    for stream in ("a", 1 << 63, True, 1.5, -(1 << 63) - 1):
        with raises(TypeError, "Block.record_use", "expected stream"):
            caching.allocate(1).record_use(stream)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_split": 1}, "expected options among small_size ... got 'max_split'"),
        ({"small_size": 1000}, "expected small_size, a positive multiple of the driver's granularity, 512; got 1000"),
        ({"max_split_size": MIB}, "expected max_split_size >= large_segment"),
        ({"roundup_power2_divisions": 3}, "expected roundup_power2_divisions, 0 or a power of two; got 3"),
        ({"lend": 1}, "expected lend, True or False; got 1"),
        ({"huge_step": 1.5}, "expected huge_step, an int; got 1.5"),
        ({"garbage_collection_threshold": 1.0}, "expected 0 < garbage_collection_threshold < 1, or None; got 1.0"),
        ({"garbage_collection_threshold": "a"}, "expected 0 < garbage_collection_threshold < 1, or None; got 'a'"),
        ({"limit": -1}, "expected limit >= 0; got -1"),
        ({"max_split_size": 1 << 63}, "expected max_split_size <= 2**62; got 9223372036854775808"),
        ({"huge_step": 1 << 80}, "expected huge_step <= 2**62; got"),
        (
            {"expandable_segments": True},
            "expected expandable_segments=True with a driver that has pages, as CudaDriver",
        ),
    ],
)
def test_invalid_options(driver, options, message):
    with raises((ValueError, TypeError), "CachingAllocator", message):
        CachingAllocator(driver, **options)


def test_options_from_the_environment(driver, monkeypatch):
    settings = "max_split_size=64MiB, lend=no,garbage_collection_threshold=0.5,small_size=4096"
    monkeypatch.setenv("FACULA_ALLOCATOR_OPTIONS", settings)
    options = CachingAllocator(driver, small_size=8192).options
    assert (options.max_split_size, options.lend, options.small_size) == (64 * MIB, False, 8192)
    assert options.garbage_collection_threshold == 0.5
    for wrong in ("max_split=1", "lend=1", "max_split_size=many", "garbage_collection_threshold=x", "lend",
                  "lend=no,lend=yes", "roundup_power2_divisions=4MiB"):  # fmt: skip
        monkeypatch.setenv("FACULA_ALLOCATOR_OPTIONS", wrong)
        with raises(ValueError, "FACULA_ALLOCATOR_OPTIONS"):
            CachingAllocator(driver)
    monkeypatch.setenv("FACULA_ALLOCATOR_OPTIONS", "expandable_segments=yes,roundup_power2_divisions=4")
    assert CachingAllocator(driver).options[-2] is None  # a setting for all allocators applies where supported
    assert CachingAllocator(SimulatedDriver(64 * MIB, page_size=MIB)).options.expandable_segments is True


def test_a_threshold_releases_idle_memory_early(driver):
    for limit, reserved in ((40 * MIB, 22 * MIB), (None, 34 * MIB)):
        caching = CachingAllocator(driver, limit, garbage_collection_threshold=0.6)
        caching.allocate(12 * MIB).free()
        kept = caching.allocate(22 * MIB)
        assert current(caching, "reserved_bytes") == reserved
        kept.free()
        assert caching.empty_cache()


def test_invalid_drivers_and_limits(caching):
    with raises(
        TypeError, "CachingAllocator", "expected driver, as HostDriver()", value="7 without granularity, memory"
    ):
        CachingAllocator(7)
    with raises(TypeError, "add_listener", "expected listener, a function", value=5):
        caching.add_listener(5)
    with raises(TypeError, "MemPool", "expected allocator, a CachingAllocator", value=7):
        MemPool(7)
    with raises(TypeError, "use_mem_pool", "expected pool, a MemPool", value=None):
        use_mem_pool(None).__enter__()
    with raises(ValueError, "HostDriver", "expected limit >= 0 bytes, an int, or None", value=-1):
        HostDriver(-1)


def test_the_class_of_a_driver_is_refused():
    with raises(
        TypeError, "CachingAllocator", "expected driver, as HostDriver()", value="the class HostDriver; call it"
    ):
        CachingAllocator(HostDriver)


def test_segments_grow_in_steps(caching, driver):
    kept = [caching.allocate(n) for n in (1, MIB, MIB + 1, 9 * MIB, 10 * MIB + 1)]
    assert [entry[1] for entry in driver.log if entry[0] == "allocate"] == [2 * MIB, 20 * MIB, 12 * MIB]
    assert len(kept) == 5 and current(caching, "segment") == 3


def test_sizes_per_power_of_two(driver):
    caching = CachingAllocator(driver, roundup_power2_divisions=4)
    assert [caching.allocate(n).capacity for n in (1, 1000, 5 << 10, (5 << 10) + 1, (1 << 20) + 1)] == [
        512, 1024, 5 << 10, 6 << 10, 5 << 18,
    ]  # fmt: skip


def test_max_split_size_keeps_large_blocks_whole(driver):
    caching = CachingAllocator(driver, max_split_size=20 * MIB)
    caching.allocate(30 * MIB).free()
    kept = caching.allocate(2 * MIB)
    assert current(caching, "reserved_bytes") == 50 * MIB, "the idle 30 MiB are not split"
    again = caching.allocate(29 * MIB)
    assert again.capacity == 30 * MIB and current(caching, "reserved_bytes") == 50 * MIB
    del kept, again


class Careless(SimulatedDriver):
    """A custom driver that raises Python's MemoryError and can return unaligned addresses."""

    shift = 0

    def allocate(self, nbytes):
        try:
            return super().allocate(nbytes) + self.shift
        except DriverError:
            raise MemoryError("full") from None

    def free(self, address, nbytes):
        super().free(address - self.shift, nbytes)

    def map(self, address, nbytes):
        try:
            super().map(address, nbytes)
        except DriverError:
            raise MemoryError("full") from None


@pytest.mark.parametrize("page_size", [0, MIB])
def test_a_driver_may_raise_memory_error(page_size):
    caching = CachingAllocator(Careless(32 * MIB, page_size=page_size))
    caching.allocate(20 * MIB, 1).free()
    caching.allocate(30 * MIB, 2).free()  # replaces idle memory
    with pytest.raises(OutOfMemoryError) as caught:
        caching.allocate(40 * MIB)
    assert "MemoryError: full" in str(caught.value.__cause__)


def test_results_of_a_driver_are_checked():
    driver = Careless(32 * MIB)
    driver.shift = 8
    with raises(ValueError, "allocate", "expected an address from the driver, a multiple of 512"):
        CachingAllocator(driver).allocate(1)
    assert driver.memory_info()[0] == 32 * MIB
    for name, wrong in (("granularity", 0), ("granularity", 1.5), ("page_size", 100), ("page_size", -512)):
        driver = Careless(32 * MIB)
        setattr(driver, name, wrong)
        with raises(ValueError, "CachingAllocator", f"expected driver.{name}", value=wrong):
            CachingAllocator(driver)
