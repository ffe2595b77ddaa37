"""Blocks are aligned, large enough and reused; blocks of zero bytes use no memory."""

import gc
import types

import pytest
from blocks import holds, take, write

from facula_allocator import HostAllocator
from facula_allocator.extend import block_size
from facula_errors.testing import raises

SIZES = [1, 63, 64, 65, 256, 257, 1000, 4096, 4097, 5121, 65536, 100_000, 1 << 20, (1 << 20) + 1, 5 << 20, 9 << 20]


@pytest.mark.parametrize("nbytes", SIZES)
@pytest.mark.parametrize("pools", [True, False])
def test_every_byte_is_usable_and_aligned(nbytes, pools):
    allocator = HostAllocator(pools=pools)
    blocks = [take(allocator, nbytes) for _ in range(5)]
    for value, (address, _) in enumerate(blocks):
        assert address % 64 == 0
        write(address, nbytes, value)
    for value, (address, release) in enumerate(blocks):
        assert holds(address, nbytes, value)
        release()


@pytest.mark.parametrize("nbytes", SIZES)
def test_capacity_is_four_sizes_per_power_of_two(allocator, nbytes):
    capacity = block_size(nbytes)
    take(allocator, nbytes)
    assert allocator.statistics()["allocated_bytes"] == capacity
    assert nbytes <= capacity <= max(64 * -(-nbytes // 64), nbytes * 5 / 4)


def test_classes_between_two_powers_of_two():
    between = {block_size(n) for n in range(4097, 8193)}
    assert between == {5120, 6144, 7168, 8192}
    large = {block_size(n) for n in range((8 << 20) + 1, (32 << 20) + 1, 1 << 18)}
    assert all(size % (2 << 20) == 0 for size in large) and len(large) == 8


@pytest.mark.parametrize("nbytes", [100, 3 << 20])
def test_a_released_block_is_the_next_one_taken(allocator, nbytes):
    address, release = allocator.refill(nbytes)
    release()
    quick = allocator.take_for(nbytes)
    assert quick()[0] == address
    release()
    assert allocator.refill(nbytes)[0] == address


def test_large_blocks_are_aligned_to_huge_pages(allocator):
    assert allocator.refill(16 << 20)[0] % (2 << 20) == 0


def test_zero_bytes_use_no_memory(allocator):
    for address, release in (allocator.take_for(0)(), allocator.refill(0), HostAllocator(pools=False).refill(0)):
        assert address == 0
        release()
    assert allocator.memory_stats()["num_device_alloc"] == 0


def test_taking_and_releasing_runs_no_python_code(allocator):
    for nbytes in (0, 64, 3 << 20):
        quick, release = allocator.take_for(nbytes), allocator.refill(nbytes)[1]
        assert not isinstance(quick, types.FunctionType | types.MethodType)
        assert not isinstance(release, types.FunctionType | types.MethodType)
        assert not isinstance(getattr(release, "func", None), types.FunctionType | types.MethodType)
        release()
    assert not isinstance(HostAllocator(pools=False).refill(8)[1].func, types.FunctionType | types.MethodType)


def test_take_for_raises_without_idle_blocks(allocator):
    for nbytes in (64, 3 << 20, 1 << 60):
        with pytest.raises(IndexError):
            allocator.take_for(nbytes)()


@pytest.mark.parametrize("method", ["take_for", "refill"])
@pytest.mark.parametrize(
    ("nbytes", "error"),
    [(-1, ValueError), (-(1 << 40), ValueError), (1.5, TypeError), (5e6, TypeError), ("8", TypeError)],
)
def test_invalid_sizes_are_refused_by_name(allocator, method, nbytes, error):
    with raises(error, method, "nbytes", str(nbytes)):
        getattr(allocator, method)(nbytes)
    assert allocator.statistics()["reserved_bytes"] == 0


def test_any_integer_type_is_accepted_as_a_size(allocator):
    class Count:
        def __index__(self):
            return 100

    assert allocator.refill(Count())[0] and allocator.statistics()["allocated_bytes"] == 128


def test_blocks_outlive_their_allocator():
    allocator = HostAllocator()
    small, large = allocator.refill(1000), allocator.refill(4 << 20)
    write(small[0], 1000, 1)
    write(large[0], 4 << 20, 2)
    del allocator
    gc.collect()
    assert holds(small[0], 1000, 1) and holds(large[0], 4 << 20, 2)
    small[1]()
    large[1]()


def test_slabs_grow_with_use_and_start_small(allocator):
    allocator.refill(64)
    assert allocator.statistics()["reserved_bytes"] <= 16 << 10
    for _ in range(10_000):
        allocator.refill(64)
    now = allocator.statistics()
    assert allocator.memory_stats()["num_device_alloc"] < 30 and now["reserved_bytes"] < 11_000 * 64
