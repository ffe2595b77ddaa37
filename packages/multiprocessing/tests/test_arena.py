"""Blocks of an arena: apart from each other, reserved, used again."""

import multiprocessing
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing._arena import ALIGNMENT, PAGE, STEP, size_class
from facula_multiprocessing.extend import Arena

SIZES = st.one_of(st.integers(0, 5000), st.sampled_from([STEP - 1, STEP, STEP + 1, 3 * STEP]))


@given(st.lists(st.one_of(st.tuples(st.just("take"), SIZES), st.tuples(st.just("give"), st.integers(0, 1000)))))
def test_blocks_lie_apart_and_what_is_given_back_is_used_first(steps):
    """Against a model: a list of blocks that are taken, and of sizes that were given back."""
    arena = Arena(64 << 20)
    taken, idle = [], {}
    for kind, number in steps:
        if kind == "take":
            reserved = arena.reserved
            offset, size = arena.take(number), size_class(number)
            assert size >= max(number, 1) and offset % ALIGNMENT == 0 and offset + size <= arena.reserved
            assert all(offset + size <= other or other + length <= offset for other, length in taken)
            if idle.get(size):
                assert arena.reserved == reserved
                idle[size].discard(offset)
            taken.append((offset, size))
        elif taken:
            offset, size = taken.pop(number % len(taken))
            arena.give(offset)
            idle.setdefault(size, set()).add(offset)
        assert arena.taken == sum(size for _, size in taken)


@given(st.integers(0, 1 << 40))
def test_a_block_is_little_larger_than_what_was_asked_for(nbytes):
    size = size_class(nbytes)
    assert size >= nbytes and size % ALIGNMENT == 0
    assert size <= max(ALIGNMENT, nbytes * 1.25 + ALIGNMENT)
    assert size_class(size) == size


def test_many_rounds_take_no_more_memory():
    arena = Arena(64 << 20)
    for _ in range(3):
        for offset in [arena.take(nbytes) for nbytes in (100, 5000, 70_000, 2 << 20)]:
            arena.give(offset)
        if arena.reserved:
            reserved = arena.reserved
    for _ in range(500):
        for offset in [arena.take(nbytes) for nbytes in (100, 5000, 70_000, 2 << 20)]:
            arena.give(offset)
    assert arena.reserved == reserved and arena.taken == 0


def test_a_full_arena_says_so_and_goes_on():
    arena = Arena(3 * STEP)
    first = arena.take(2 * STEP)
    with pytest.raises(SharedMemoryError, match="full") as caught:
        arena.take(2 * STEP)
    assert caught.value.available == STEP
    assert arena.taken == size_class(2 * STEP)
    arena.give(first)
    assert arena.take(2 * STEP) == first


def test_an_arena_smaller_than_a_step():
    arena = Arena(PAGE)
    assert arena.capacity == PAGE
    offsets = [arena.take(1024) for _ in range(4)]
    assert len(set(offsets)) == 4
    with pytest.raises(SharedMemoryError):
        arena.take(1024)


def test_addresses_and_offsets_agree():
    arena = Arena(1 << 20)
    offset = arena.take(100)
    block = arena.bytes_at(offset, 100)
    assert block.ctypes.data % ALIGNMENT == 0
    assert arena.offset_of(block.ctypes.data) == offset
    assert arena.offset_of(arena.address + arena.capacity) is None
    assert arena.offset_of(np.zeros(3).ctypes.data) is None
    assert "reserved bytes" in repr(arena)


def test_a_block_given_back_twice_is_an_error():
    arena = Arena(1 << 20)
    offset = arena.take(10)
    arena.give(offset)
    with pytest.raises(KeyError):
        arena.give(offset)
    assert arena.taken == 0


def test_what_lies_in_one_cannot_be_truncated_away():
    arena = Arena(1 << 20)
    with pytest.raises(PermissionError):
        os.ftruncate(arena.fd, 0)


def _write(arena, offset):
    arena.bytes_at(offset, 4)[:] = 9


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_process_that_is_given_an_arena_sees_the_same_bytes(method):
    arena = Arena(1 << 20)
    offset = arena.take(4)
    process = multiprocessing.get_context(method).Process(target=_write, args=(arena, offset))
    process.start()
    process.join()
    assert process.exitcode == 0
    assert arena.bytes_at(offset, 4).tolist() == [9] * 4


def test_an_arena_is_not_pickled_elsewhere():
    with pytest.raises(RuntimeError, match="inheritance"):
        multiprocessing.reduction.ForkingPickler.dumps(Arena(4096))
