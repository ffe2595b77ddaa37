"""Blocks of an arena: disjoint, reserved and reused."""

import multiprocessing
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_errors.testing import raises
from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing._arenas import arena as _arena
from facula_multiprocessing._arenas.arena import ALIGNMENT, IDLE_INTERVAL, PAGE, STEP, size_class
from facula_multiprocessing._arenas.room import Room
from facula_multiprocessing.extend import Arena

SIZES = st.one_of(st.integers(0, 5000), st.sampled_from([STEP - 1, STEP, STEP + 1, 3 * STEP]))


STEPS = st.one_of(
    st.tuples(st.just("take"), SIZES),
    st.tuples(st.just("give"), st.integers(0, 1000)),
    st.tuples(st.just("pages"), st.sampled_from([None, 1, 3 * STEP])),
)


@given(st.lists(STEPS))
def test_blocks_are_disjoint_and_freed_ones_are_reused_first(steps):
    """Compare with a model: a list of allocated blocks, and of the sizes of freed ones."""
    arena = Arena(64 << 20)
    taken, idle = [], {}
    for kind, number in steps:
        if kind == "take":
            reserved = arena.reserved
            offset, size = arena.take(number), size_class(number)
            assert size >= max(number, 1) and offset % ALIGNMENT == 0 and offset + size <= arena.capacity
            assert all(offset + size <= other or other + length <= offset for other, length in taken)
            arena.bytes_at(offset, size)[:] = offset % 251
            if idle.get(size):
                assert arena.reserved == reserved
                idle[size].discard(offset)
            taken.append((offset, size))
        elif kind == "pages":
            reserved = arena.reserved
            assert arena.give_back(number) == reserved - arena.reserved
            assert os.fstat(arena.fd).st_blocks * 512 == arena.reserved >= arena.taken
            idle = {}  # a part of it
        elif taken:
            offset, size = taken.pop(number % len(taken))
            assert (arena.bytes_at(offset, size) == offset % 251).all()
            arena.give(offset)
            idle.setdefault(size, set()).add(offset)
        assert arena.taken == sum(size for _, size in taken)


@given(st.integers(0, 1 << 40))
def test_a_block_is_slightly_larger_than_requested(nbytes):
    size = size_class(nbytes)
    assert size >= nbytes and size % ALIGNMENT == 0
    assert size <= max(ALIGNMENT, nbytes * 1.25 + ALIGNMENT)
    assert size_class(size) == size


def test_many_rounds_use_no_more_memory():
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


MAX_IDLE = 6 * STEP  # smaller than the default, so that tests need little memory


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(_arena, "MAX_IDLE", MAX_IDLE)
    now = [100.0]
    monkeypatch.setattr(_arena, "monotonic", lambda: now[0])
    return now


def pages(arena):
    return os.fstat(arena.fd).st_blocks * 512


def test_idle_pages_are_returned_after_a_while(clock):
    arena = Arena(1 << 30)
    kept = arena.take(1000)
    arena.bytes_at(kept, 1000)[:] = 7
    for nbytes in (5000, 5 << 20, 70_000):
        for offset in [arena.take(nbytes) for _ in range((30 << 20) // nbytes)]:
            arena.give(offset)
    most = arena.reserved
    assert most > 90 << 20 and pages(arena) == most
    for turn in range(4):
        clock[0] += IDLE_INTERVAL
        arena.give(arena.take(1000))
        assert turn or arena.reserved >= 30 << 20  # recently allocated
    assert pages(arena) == arena.reserved <= MAX_IDLE + 2 * STEP
    assert (arena.bytes_at(kept, 1000) == 7).all()
    assert arena.take(60 << 20) >= 0  # from gaps of all three sizes
    assert pages(arena) == arena.reserved


def test_after_a_long_rest_idle_pages_are_returned_at_once(clock):
    arena = Arena(1 << 30)
    arena.give(arena.take(50 << 20))
    clock[0] += 10 * IDLE_INTERVAL
    arena.give(arena.take(1000))
    assert arena.reserved <= MAX_IDLE + STEP


def test_pages_used_occasionally_stay(clock):
    arena = Arena(1 << 30)
    for _ in range(20):
        for offset in [arena.take(2 << 20) for _ in range(12)]:
            arena.give(offset)
        assert arena.reserved == 12 * (2 << 20)
        clock[0] += 0.9 * IDLE_INTERVAL


def test_idle_pages_are_returned_before_an_error():
    arena = Arena(8 * STEP)
    for _ in range(3):
        for nbytes in (100, 2 * STEP, 3 * STEP + 1, 7 * STEP):
            offset = arena.take(nbytes)
            assert arena.reserved <= arena.capacity
            arena.give(offset)


def test_idle_pages_stay_if_the_kernel_rejects_them(monkeypatch):
    monkeypatch.setattr(_arena, "give_back", lambda *_: False)
    arena = Arena(8 * STEP)
    arena.give(arena.take(5 * STEP))
    assert arena.give_back() == 0
    with raises(SharedMemoryError, "shared memory", "full"):
        arena.take(6 * STEP)
    assert arena.take(5 * STEP) == 0


@given(st.lists(st.integers(1, 20), max_size=12), st.data())
def test_free_ranges_are_unused(lengths, data):
    room, used = Room(0, 100), {}
    for length in lengths:
        if used and data.draw(st.booleans()):
            start = data.draw(st.sampled_from(sorted(used)))
            room.free(start, used.pop(start))
        taken = {place for start, size in used.items() for place in range(start, start + size)}
        whole = "".join("x" if place in taken else " " for place in range(100))
        assert room.largest == max(map(len, whole.split("x")))
        start = room.find(length)
        assert (-1 if start is None else start) == whole.find(" " * length)
        if start is not None:
            room.use(start, length)
            used[start] = length


def test_a_full_arena_raises_and_stays_usable():
    arena = Arena(3 * STEP)
    first = arena.take(2 * STEP)
    with raises(SharedMemoryError, "shared memory", "full") as caught:
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


def test_freeing_a_block_twice_is_an_error():
    arena = Arena(1 << 20)
    offset = arena.take(10)
    arena.give(offset)
    with pytest.raises(KeyError):
        arena.give(offset)
    assert arena.taken == 0


def test_an_arena_cannot_be_truncated():
    arena = Arena(1 << 20)
    with pytest.raises(PermissionError):
        os.ftruncate(arena.fd, 0)


def _write(arena, offset):
    arena.bytes_at(offset, 4)[:] = 9


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_process_that_receives_an_arena_sees_the_same_bytes(method):
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
