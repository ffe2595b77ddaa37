"""The caching allocator case by case: blocks, streams, limits, pools, what is told and shown."""

import gc
import pickle
import re

import pytest
from devices import on_fake_runtime

from facula_allocator import OutOfMemoryError
from facula_allocator._caching import CachingAllocator
from facula_allocator._pools import MemPool, use_mem_pool
from facula_allocator.drivers import DriverError, HostDriver, SimulatedDriver

MIB = 1 << 20


@pytest.fixture(params=[SimulatedDriver, on_fake_runtime], ids=["simulated", "cuda"])
def driver(request):
    return request.param(64 * MIB)


@pytest.fixture
def allocator(driver):
    return CachingAllocator(driver)


def current(allocator, name):
    return allocator.memory_stats()[f"{name}.all.current"]


def test_a_freed_block_is_reused_at_once_on_its_stream(allocator, driver):
    block = allocator.allocate(1000, stream=3)
    driver.launch(3, writes=[(block.ptr, 1000, "first")])
    address = block.ptr
    block.free()
    again = allocator.allocate(900, stream=3)
    assert again.ptr == address and again.stream == 3
    driver.launch(3, writes=[(again.ptr, 900, "second")])
    driver.complete_all()
    assert driver.calls("allocate") == 1


def test_dropping_frees(allocator):
    block = allocator.allocate(5 * MIB)
    assert current(allocator, "allocated_bytes") == 5 * MIB
    del block
    assert current(allocator, "allocated_bytes") == 0 == current(allocator, "active_bytes")


def test_freeing_twice_is_an_error(allocator):
    block = allocator.allocate(100)
    block.free()
    with pytest.raises(ValueError, match=r"^Block\.free: expected a block in use; got the one of 100 bytes at 0x\w+"):
        block.free()
    with pytest.raises(ValueError, match=r"^Block\.record_use: expected a block in use"):
        block.record_use(1)
    assert block.freed and block.capacity == 0 and "freed" in repr(block)
    assert current(allocator, "allocation") == 0


def test_blocks_are_made_by_allocators_alone(allocator):
    with pytest.raises(TypeError):
        type(allocator.allocate(1))()


def test_zero_bytes(allocator, driver):
    block = allocator.allocate(0, stream=2)
    assert (block.ptr, block.nbytes, block.capacity, block.stream) == (0, 0, 0, 2)
    block.record_use(1)
    block.free()
    with pytest.raises(ValueError, match="freed before"):
        block.free()
    assert not driver.calls("allocate") and current(allocator, "allocation") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1,), "allocate: expected nbytes >= 0; got -1"),
        ((1.5,), "allocate: nbytes: expected an int"),
        ((True,), "allocate: nbytes: expected an int"),
        ((1, "a"), "allocate: expected stream, an int of 64 bits; got 'a'"),
        ((1, 1 << 63), "allocate: expected stream, an int of 64 bits"),
    ],
)
def test_bad_requests(allocator, arguments, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        allocator.allocate(*arguments)


def test_uses_of_a_block_must_be_streams(allocator):
    for stream in ("a", 1 << 63):
        with pytest.raises(ValueError, match=r"Block\.record_use: expected stream"):
            allocator.allocate(1).record_use(stream)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_split": 1}, "expected options among small_size.*; got 'max_split'"),
        ({"small_size": 1000}, "expected small_size, a positive multiple of the driver's granularity, 512; got 1000"),
        ({"max_split_size": MIB}, "expected max_split_size >= large_segment"),
        ({"roundup_power2_divisions": 3}, "expected roundup_power2_divisions, 0 or a power of two; got 3"),
        ({"lend": 1}, "expected lend, True or False; got 1"),
        ({"huge_step": 1.5}, "expected huge_step, an int; got 1.5"),
        ({"garbage_collection_threshold": 1.0}, "expected 0 < garbage_collection_threshold < 1, or None; got 1.0"),
        ({"garbage_collection_threshold": "a"}, "expected 0 < garbage_collection_threshold < 1, or None; got 'a'"),
        ({"limit": -1}, "expected limit >= 0; got -1"),
    ],
)
def test_bad_options(driver, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        CachingAllocator(driver, **options)


def test_options_from_the_environment(driver, monkeypatch):
    settings = "max_split_size=64MiB, lend=no,garbage_collection_threshold=0.5,small_size=4096"
    monkeypatch.setenv("FACULA_ALLOCATOR_OPTIONS", settings)
    options = CachingAllocator(driver, small_size=8192).options
    assert (options.max_split_size, options.lend, options.small_size) == (64 * MIB, False, 8192)
    assert options.garbage_collection_threshold == 0.5
    for wrong in ("max_split=1", "lend=1", "max_split_size=many", "garbage_collection_threshold=x", "lend"):
        monkeypatch.setenv("FACULA_ALLOCATOR_OPTIONS", wrong)
        with pytest.raises(ValueError, match=r"^FACULA_ALLOCATOR_OPTIONS: "):
            CachingAllocator(driver)


def test_a_threshold_gives_idle_memory_back_early(driver):
    for limit, reserved in ((40 * MIB, 22 * MIB), (None, 34 * MIB)):
        allocator = CachingAllocator(driver, limit, garbage_collection_threshold=0.6)
        allocator.allocate(12 * MIB).free()
        kept = allocator.allocate(22 * MIB)
        assert current(allocator, "reserved_bytes") == reserved
        kept.free()
        assert allocator.empty_cache()


def test_bad_objects(allocator):
    with pytest.raises(TypeError, match=r"expected driver, as HostDriver\(\); got 7 without granularity, memory"):
        CachingAllocator(7)
    with pytest.raises(TypeError, match="MemPool: expected allocator, a CachingAllocator; got 7"):
        MemPool(7)
    with pytest.raises(TypeError, match="use_mem_pool: expected pool, a MemPool; got None"):
        use_mem_pool(None).__enter__()
    with pytest.raises(ValueError, match="HostDriver: expected limit >= 0 bytes, an int, or None; got -1"):
        HostDriver(-1)


def test_segments_grow_in_steps(allocator, driver):
    kept = [allocator.allocate(n) for n in (1, MIB, MIB + 1, 9 * MIB, 10 * MIB + 1)]
    assert [entry[1] for entry in driver.log if entry[0] == "allocate"] == [2 * MIB, 20 * MIB, 12 * MIB]
    assert len(kept) == 5 and current(allocator, "segment") == 3


def test_sizes_per_power_of_two(driver):
    allocator = CachingAllocator(driver, roundup_power2_divisions=4)
    assert [allocator.allocate(n).capacity for n in (1, 1000, 5 << 10, (5 << 10) + 1, (1 << 20) + 1)] == [
        512, 1024, 5 << 10, 6 << 10, 5 << 18,
    ]  # fmt: skip


def test_max_split_size_keeps_large_blocks_whole(driver):
    allocator = CachingAllocator(driver, max_split_size=20 * MIB)
    allocator.allocate(30 * MIB).free()
    kept = allocator.allocate(2 * MIB)
    assert current(allocator, "reserved_bytes") == 50 * MIB, "the idle 30 MiB are not split"
    again = allocator.allocate(29 * MIB)
    assert again.capacity == 30 * MIB and current(allocator, "reserved_bytes") == 50 * MIB
    del kept, again


# --------------------------------------------------------------------------------------------------------- many streams
def test_a_use_delays_reuse_until_its_event(allocator, driver):
    block = allocator.allocate(1000)
    address = block.ptr
    block.record_use(7)
    driver.launch(7, reads=[(address, 1000, "first")])
    block.free()
    assert current(allocator, "allocated_bytes") == 0 and current(allocator, "active_bytes") == 1024
    other = allocator.allocate(1000)
    assert other.ptr != address, "there is idle memory beside it"
    rest = [allocator.allocate(MIB) for _ in range(1)]
    driver.complete(7)
    rest.append(allocator.allocate(MIB))  # no idle block fits: events are looked at
    assert current(allocator, "active_bytes") == current(allocator, "allocated_bytes")
    assert allocator.allocate(1000).ptr == address and driver.calls("wait_event") == 0


def test_a_stream_waits_rather_than_grow(driver):
    allocator = CachingAllocator(driver, small_segment=MIB, small_size=MIB)
    block = allocator.allocate(MIB)
    block.record_use(7)
    driver.launch(7, reads=[(block.ptr, MIB, "first")])
    address = block.ptr
    block.free()
    again = allocator.allocate(MIB)
    assert again.ptr == address and driver.calls("allocate") == 1 and driver.calls("wait_event") == 1
    driver.launch(0, writes=[(again.ptr, MIB, "second")])
    assert driver.complete(0) == 0, "stream 0 waits for stream 7"
    assert driver.complete(7) == 1 and driver.complete(0) == 1


def test_idle_memory_is_lent(allocator, driver):
    block = allocator.allocate(1000, stream=1)
    driver.launch(1, writes=[(block.ptr, 1000, "first")])
    block.free()
    lent = allocator.allocate(1000, stream=2)
    driver.launch(2, writes=[(lent.ptr, 1000, "second")])
    assert driver.calls("allocate") == 1 and driver.complete(2) == 0
    driver.complete(1)
    assert driver.complete(2) == 1
    assert allocator.memory_snapshot()["segments"][0]["blocks"][0]["stream"] == 2
    assert CachingAllocator(driver, lend=False).options.lend is False


def test_lent_memory_goes_home_before_a_new_segment_is_asked_for(driver):
    allocator = CachingAllocator(driver, small_segment=MIB)
    block = allocator.allocate(MIB, stream=1)
    address = block.ptr
    block.free()
    lent = allocator.allocate(1000, stream=2)
    driver.launch(2, writes=[(lent.ptr, 1000, "lent")])
    lent.free()
    assert lent.ptr == address and len(allocator.memory_snapshot()["segments"][0]["blocks"]) == 2
    whole = allocator.allocate(MIB, stream=1)
    assert whole.ptr == address and driver.calls("allocate") == 1
    driver.launch(1, writes=[(address, MIB, "whole")])
    assert driver.complete(1) == 0 and driver.complete(2) == 1 and driver.complete(1) == 1


def test_memory_that_may_not_go_home_stays_lent(allocator, driver):
    allocator.allocate(2 * MIB - 512, stream=1).free()
    for call in ("record_event", "wait_event"):
        allocator.allocate(1000, stream=1).free()
        allocator.allocate(1000, stream=2).free()
        driver.fail_next(call)
        allocator.allocate(MIB, stream=3).free()
        driver.fail_next(call, count=0)
    assert allocator.empty_cache() > 0 and driver.memory_info()[0] == 64 * MIB


def test_a_refused_loan_goes_back(allocator, driver):
    allocator.allocate(1000, stream=1).free()
    driver.fail_next("wait_event")
    block = allocator.allocate(1000, stream=2)
    assert driver.calls("allocate") == 2 and current(allocator, "allocation") == 1
    assert block.ptr != allocator.allocate(1000, stream=1).ptr


def test_a_step_that_repeats_calls_no_driver(allocator, driver):
    def step():
        kept = [allocator.allocate(n, n % 2) for n in (100, 5000, MIB, 3 * MIB, 100, 12 * MIB)]
        allocator.allocate(700).free()
        return kept

    for _ in range(2):
        step()
    calls = len(driver.log)
    for _ in range(20):
        step()
    assert len(driver.log) == calls


# -------------------------------------------------------------------------------------------------------- out of memory
def test_cached_memory_goes_before_an_error(allocator, driver):
    allocator.allocate(40 * MIB).free()
    block = allocator.allocate(60 * MIB)
    assert block.capacity == 60 * MIB and driver.calls("free") == 1
    assert allocator.memory_stats()["num_alloc_retries"] == 1


def test_memory_that_is_used_elsewhere_is_waited_for(allocator, driver):
    block = allocator.allocate(40 * MIB, stream=1)
    block.record_use(2)
    driver.launch(2, reads=[(block.ptr, 1000, "first")])
    block.free()
    assert allocator.allocate(50 * MIB, stream=3).capacity == 50 * MIB
    assert driver.calls("synchronize") == 1


def test_the_error_says_what_is_held(allocator, driver):
    block = allocator.allocate(40 * MIB)
    with pytest.raises(OutOfMemoryError, match=r"^allocate: expected 30 MiB more device memory; the system") as caught:
        allocator.allocate(30 * MIB)
    error = caught.value
    assert (error.requested, error.allocated, error.reserved, error.cached) == (30 * MIB, 40 * MIB, 40 * MIB, 0)
    assert isinstance(error.__cause__, DriverError) and isinstance(error, MemoryError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert allocator.memory_stats()["num_ooms"] == 1
    with pytest.raises(OutOfMemoryError):
        allocator.allocate(1 << 62)
    block.free()
    assert allocator.allocate(30 * MIB).capacity == 30 * MIB


def test_a_limit_and_a_fraction_bound_what_is_reserved(driver):
    allocator = CachingAllocator(driver, limit=3 * MIB)
    held = allocator.allocate(2 * MIB)
    with pytest.raises(OutOfMemoryError, match=r"within limit=3 MiB; 2 MiB are in use.* or raise the limit$"):
        allocator.allocate(2 * MIB)
    held.free()
    allocator = CachingAllocator(driver)
    allocator.set_memory_fraction(0.25)
    with pytest.raises(OutOfMemoryError, match="within limit=16 MiB"):
        allocator.allocate(17 * MIB)
    assert allocator.allocate(16 * MIB)
    allocator.set_memory_fraction(None)
    assert allocator.allocate(17 * MIB)
    for fraction in (0, 1.5, "a", True):
        with pytest.raises((ValueError, TypeError), match="set_memory_fraction: expected"):
            allocator.set_memory_fraction(fraction)


def test_a_refused_segment_is_asked_for_in_the_exact_size(driver):
    allocator = CachingAllocator(driver)
    kept = allocator.allocate(62 * MIB)
    small = allocator.allocate(MIB + 1)
    assert small.capacity == MIB + 512 and kept
    with pytest.raises(OutOfMemoryError):
        allocator.allocate(MIB)


def test_a_device_that_fails_changes_nothing(allocator, driver):
    block = allocator.allocate(40 * MIB)
    driver.fail_next("synchronize", RuntimeError("device lost"))
    with pytest.raises(RuntimeError, match="device lost"):
        allocator.allocate(30 * MIB)
    driver.fail_next("free")
    block.free()
    assert allocator.empty_cache() == 0 and current(allocator, "reserved_bytes") == 40 * MIB
    assert allocator.empty_cache() == 40 * MIB and driver.memory_info() == (64 * MIB, 64 * MIB)


# ----------------------------------------------------------------------------------------------- private pools, capture
def test_a_private_pool_has_memory_of_its_own(allocator, driver):
    allocator.allocate(1000).free()
    pool = MemPool(allocator)
    with use_mem_pool(pool):
        block = allocator.allocate(1000)
    assert driver.calls("allocate") == 2
    address = block.ptr
    block.free()
    outside = allocator.allocate(1000)
    assert allocator.empty_cache() == 0, "a graph may write to the pool's idle memory"
    with use_mem_pool(pool):
        assert allocator.allocate(1000).ptr == address
    assert CachingAllocator(driver).allocate(1) and repr(pool).startswith("<MemPool")
    del pool
    assert allocator.empty_cache() == 2 * MIB and outside


def test_nothing_forbidden_is_called_during_capture(allocator, driver):
    pool = MemPool(allocator)
    used = allocator.allocate(1000)
    used.record_use(1)
    driver.launch(1, reads=[(used.ptr, 1000, "used")])
    driver.begin_capture(5)
    with use_mem_pool(pool):
        block = allocator.allocate(1000, stream=5)
        address = block.ptr
        driver.launch(5, writes=[(address, 1000, "graph")])
        used.free()
        block.free()
        assert allocator.allocate(1000, stream=5).ptr == address
        with pytest.raises(OutOfMemoryError):
            allocator.allocate(200 * MIB, stream=5)
        assert allocator.empty_cache() == 0
    graph = driver.end_capture(5)
    driver.replay(5, graph)
    driver.complete_all()
    assert not driver.calls("record_event")
    allocator.allocate(3 * MIB)  # the next one that finds no idle block
    assert driver.calls("record_event") == 1


# ---------------------------------------------------------------------------------------------------------- told, shown
def test_listeners_are_told_in_order(allocator):
    told = []
    allocator.add_listener(told.append)
    block = allocator.allocate(1000)
    block.record_use(4)
    block.free()
    allocator.allocate(30 * MIB).free()
    allocator.empty_cache()
    with pytest.raises(OutOfMemoryError):
        allocator.allocate(100 * MIB)
    assert [event.action for event in told] == [
        "segment_alloc", "alloc", "free_requested", "free_completed", "segment_alloc", "alloc", "free_requested",
        "free_completed", "segment_free", "segment_free", "oom",
    ]  # fmt: skip
    assert told[2].uses == (4,) and told[1].address == told[2].address == told[3].address
    assert (told[1].nbytes, told[1].capacity, told[-1].nbytes) == (1000, 1024, 100 * MIB)
    allocator.remove_listener(told.append)
    allocator.allocate(1)
    assert len(told) == 11
    with pytest.raises(ValueError, match="remove_listener: expected one that was added"):
        allocator.remove_listener(print)


def test_the_snapshot_has_pytorchs_form(allocator):
    kept = allocator.allocate(1000, stream=1)
    waiting = allocator.allocate(2000, stream=1)
    waiting.record_use(2)
    waiting.free()
    snapshot = allocator.memory_snapshot()
    assert snapshot.keys() == {"segments", "device_traces", "allocator_settings"} and snapshot["device_traces"] == [[]]
    (segment,) = snapshot["segments"]
    assert {name: value for name, value in segment.items() if name != "blocks"} == {
        "device": 0, "address": kept.ptr, "total_size": 2 * MIB, "allocated_size": 1024, "active_size": 1024 + 2048,
        "requested_size": 1000, "stream": 1, "segment_type": "small", "segment_pool_id": (0, 0),
        "is_expandable": False, "frames": [],
    }  # fmt: skip
    states = [(block["size"], block["requested_size"], block["state"]) for block in segment["blocks"]]
    assert states == [
        (1024, 1000, "active_allocated"),
        (2048, 2000, "active_awaiting_free"),
        (2 * MIB - 3072, 0, "inactive"),
    ]


def test_the_summary_and_resets(allocator):
    block = allocator.allocate(3 * MIB)
    block.free()
    lines = allocator.memory_summary().splitlines()
    assert lines[0].split() == ["device", "memory", "now", "peak", "in", "all", "freed"]
    assert lines[1].split() == ["allocated", "memory", "0", "B", "3", "MiB", "3", "MiB", "3", "MiB"]
    assert "1 segments from the driver" in lines[-1] and "20971520 bytes of <" in repr(allocator)
    allocator.reset_peak_memory_stats()
    allocator.reset_accumulated_memory_stats()
    now = allocator.memory_stats()
    assert now["allocated_bytes.all.peak"] == now["allocated_bytes.all.allocated"] == now["num_device_alloc"] == 0
    assert now["reserved_bytes.all.current"] == now["reserved_bytes.all.peak"] == 20 * MIB


def test_host_memory_is_memory():
    import ctypes

    driver = HostDriver()
    allocator = CachingAllocator(driver)
    block = allocator.allocate(10_000)
    ctypes.memset(block.ptr, 7, 10_000)
    assert ctypes.string_at(block.ptr, 10_000) == b"\x07" * 10_000 and block.ptr % 64 == 0
    block.record_use(3)
    block.free()
    assert allocator.empty_cache() == 2 * MIB and "0 regions" in repr(driver)
    with pytest.raises(OutOfMemoryError, match="more host memory"):
        CachingAllocator(HostDriver(limit=MIB)).allocate(2 * MIB)
    with pytest.raises(DriverError, match="expected an address from allocate"):
        driver.free(64, 64)


def test_memory_goes_with_the_last_block(driver):
    allocator = CachingAllocator(driver)
    block = allocator.allocate(1000)
    del allocator
    gc.collect()
    assert driver.memory_info()[0] == 62 * MIB
    del block
    assert driver.memory_info()[0] == 64 * MIB
