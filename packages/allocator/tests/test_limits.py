"""The limit, the bound on idle memory, and refusals by the system."""

import pickle

import pytest
from blocks import take

from facula_allocator import HostAllocator, OutOfMemoryError
from facula_allocator.extend import setting_bytes, usable_memory
from facula_errors.testing import raises

MIB = 1 << 20


def test_the_limit_is_exact():
    allocator = HostAllocator(limit=6 * MIB)
    held = [allocator.refill(2 * MIB) for _ in range(3)]
    with pytest.raises(OutOfMemoryError):
        allocator.refill(1)
    held.pop()[1]()
    held += [allocator.refill(64) for _ in range(100)]
    assert allocator.statistics()["reserved_bytes"] <= 6 * MIB


def test_near_the_limit_slabs_shrink_to_one_block():
    allocator = HostAllocator(limit=3 * 4096)
    held = [allocator.refill(4096) for _ in range(3)]
    assert len({address for address, _ in held}) == 3
    with pytest.raises(OutOfMemoryError):
        allocator.refill(4096)


def test_idle_memory_is_released_before_a_request_fails():
    allocator = HostAllocator(limit=8 * MIB)
    for _, release in [allocator.refill(100_000) for _ in range(60)]:
        release()
    assert allocator.statistics()["cached_bytes"] > 4 * MIB
    address, _ = allocator.refill(7 * MIB)
    assert address and allocator.statistics()["reserved_bytes"] <= 8 * MIB


def test_a_refusal_by_the_system_triggers_a_trim(allocator, refuse):
    allocator.refill(4 * MIB)[1]()
    refuse(1)
    allocator.refill(64)
    assert allocator.statistics()["cached_bytes"] < 4 * MIB, "the idle block went back before the second try"


def test_memory_taken_by_another_thread_is_retried(allocator, refuse):
    """Simulates another thread that takes the memory first, twice in a row, after a trim."""
    refuse(3)
    assert allocator.refill(64)[0]


@pytest.mark.parametrize("pools", [True, False])
@pytest.mark.parametrize("nbytes", [64, 5 * MIB])
def test_a_failed_request_changes_nothing(pools, nbytes, refuse):
    allocator = HostAllocator(pools=pools)
    held = allocator.refill(1000)
    allocator.trim()
    before = allocator.statistics()
    refuse(1000)
    with pytest.raises(OutOfMemoryError) as caught:
        allocator.refill(nbytes)
    refuse(0)
    assert allocator.statistics() == before
    assert caught.value.requested == nbytes and caught.value.allocated == before["allocated_bytes"]
    assert take(allocator, nbytes)[0] and held[0]


def test_sizes_beyond_any_machine_are_refused(allocator):
    for nbytes in (1 << 56, (1 << 56) + 1, 1 << 63, 10**40):
        with pytest.raises(OutOfMemoryError) as caught:
            take(allocator, nbytes)
        assert caught.value.requested == nbytes
        str(caught.value)


def test_the_error_has_a_remedy_and_pickles():
    allocator = HostAllocator(limit=4 * MIB)
    held = allocator.refill(3 * MIB)
    with raises(MemoryError, "out of memory", "2 MiB", "3 MiB in use", "limit 4 MiB. Keep", "limit") as caught:
        allocator.refill(2 * MIB)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is OutOfMemoryError and str(copy) == str(caught.value)
    assert (copy.requested, copy.allocated, copy.reserved, copy.cached, copy.limit) == (
        2 * MIB, 3 * MIB, 3 * MIB, 0, 4 * MIB,
    )  # fmt: skip
    held[1]()


def test_the_error_without_a_limit_names_the_system(allocator, refuse):
    refuse(1000)
    with raises(OutOfMemoryError, "out of memory", "system refused"):
        allocator.refill(64)


def test_idle_memory_is_bounded_when_more_is_taken(no_collection):
    allocator = HostAllocator(cache_limit=4 * MIB)
    for _, release in [allocator.refill(2 * MIB) for _ in range(10)]:
        release()
    assert allocator.statistics()["cached_bytes"] == 20 * MIB, "a release gives nothing back"
    allocator.refill(3 * MIB)
    assert allocator.statistics()["cached_bytes"] == 4 * MIB


def test_idle_memory_is_bounded_by_tidy(no_collection):
    allocator = HostAllocator(cache_limit=4 * MIB)
    held = [allocator.refill(2 * MIB) for _ in range(10)]
    assert allocator.tidy() == 0, "nothing is idle"
    for _, release in held:
        release()
    assert allocator.tidy() == 16 * MIB
    assert allocator.statistics()["cached_bytes"] == 4 * MIB
    assert allocator.tidy() == 0


def burst(allocator):
    """Allocate blocks of many sizes, about 60 MiB, keep all alive, then release them."""
    sizes = (100, 7000, 300_000, 3 * MIB, 16 * MIB, 20 * MIB)
    for _, release in [allocator.refill(nbytes) for nbytes in sizes for _ in range(MIB // nbytes + 1)]:
        release()


def test_idle_memory_is_bounded_whenever_a_large_block_is_taken(no_collection):
    """The request takes no more memory from the system, so only its size triggers the check."""
    allocator = HostAllocator(cache_limit=4 * MIB)
    burst(allocator)
    before = allocator.memory_stats()["num_device_alloc"]
    assert allocator.statistics()["cached_bytes"] > 40 * MIB
    take(allocator, 16 * MIB)
    now = allocator.statistics()
    assert allocator.memory_stats()["num_device_alloc"] == before, "what is about to be used does not go"
    assert 0 < now["cached_bytes"] <= 4 * MIB
    assert now["reserved_bytes"] == now["allocated_bytes"] + now["cached_bytes"]
    assert (now["allocated_bytes"], now["allocated_blocks"]) == (16 * MIB, 1)


def test_large_blocks_are_reused(no_collection):
    allocator = HostAllocator()
    for _ in range(20):
        take(allocator, 40 * MIB)[1]()
        with pytest.raises(IndexError):
            allocator.take_for(40 * MIB)()
    assert allocator.memory_stats()["num_device_alloc"] == 1


def test_trim_releases_large_blocks_first(allocator, no_collection):
    held = [allocator.refill(nbytes) for nbytes in (1000, 2 * MIB, 8 * MIB)]
    for _, release in held:
        release()
    cached = allocator.statistics()["cached_bytes"]
    assert allocator.trim(keep=cached - 1) == 8 * MIB
    assert [row.block_bytes for row in allocator.size_classes()] == [1024, 2 * MIB]


def test_trim_leaves_slabs_that_are_in_use(allocator):
    blocks = [allocator.refill(64) for _ in range(2000)]
    kept = blocks[::500]
    for block in blocks:
        if block not in kept:
            block[1]()
    allocator.trim()
    now = allocator.statistics()
    assert now["allocated_blocks"] == 4 and now["cached_bytes"] > 0
    for _, release in kept:
        release()
    assert allocator.trim() == now["reserved_bytes"]
    assert allocator.statistics()["reserved_bytes"] == 0 and allocator.trim() == 0


def test_trim_really_returns_pages():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    import ctypes

    allocator = HostAllocator()
    blocks = [allocator.refill(nbytes) for nbytes in (3000, 50_000, 6 * MIB) for _ in range((30 * MIB) // nbytes)]
    for address, _ in blocks:
        ctypes.memset(address, 1, 3000)
    for address, _ in blocks[-5:]:
        ctypes.memset(address, 1, 6 * MIB)
    full = resident()
    for _, release in blocks:
        release()
    allocator.trim()
    assert full - resident() > 50 * MIB


@pytest.mark.parametrize("name", ["limit", "cache_limit"])
def test_invalid_limits_are_refused(name):
    with raises(ValueError, "HostAllocator", name, "-1"):
        HostAllocator(**{name: -1})
    for wrong in (1.5, "1GiB", True):
        with raises(TypeError, "HostAllocator", name):
            HostAllocator(**{name: wrong})
    with raises(ValueError, "trim", "keep", "-1"):
        HostAllocator().trim(-1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", None), ("4096", 4096), ("512MiB", 512 << 20), (" 4 GiB ", 4 << 30), ("2kib", 2048), ("7B", 7)],
)
def test_sizes_in_the_environment(monkeypatch, text, expected):
    monkeypatch.setenv("FACULA_TRY", text)
    assert setting_bytes("FACULA_TRY") == expected


@pytest.mark.parametrize("text", ["many", "-1", "1.5GiB", "4 GB", "GiB", "4GiBB", "\u0664"])
def test_invalid_sizes_in_the_environment(monkeypatch, text):
    monkeypatch.setenv("FACULA_TRY", text)
    with raises(ValueError, "FACULA_TRY"):
        setting_bytes("FACULA_TRY")


def test_the_default_cache_limit_is_a_quarter_of_the_memory(allocator):
    assert allocator.cache_limit == usable_memory() // 4 > 0


def test_the_remedy_names_the_limit_that_refused():
    allocator = HostAllocator(limit=1 << 30)
    for fraction, remedy in ((1e-9, "raise the memory fraction"), (None, "raise the allocator's limit")):
        allocator.set_memory_fraction(fraction)
        with raises(OutOfMemoryError, "out of memory", remedy):
            allocator.refill(2 << 30)
