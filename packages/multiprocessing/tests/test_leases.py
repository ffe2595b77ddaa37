"""A block is freed when its last view ends, and not before."""

import ctypes
import gc
import os
import threading

import numpy as np
import pytest

from facula_multiprocessing.extend import Arena, Leases, starting_workers

NBYTES = 64


@pytest.fixture
def arena():
    return Arena(1 << 20)


@pytest.fixture
def leases(arena):
    return Leases(arena)


class Consumer:
    """The object that another library keeps for an array received through DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def _own_attribute(array):
    holder = Consumer(array)
    holder.itself = holder  # a cycle
    return holder


VIEWS = {
    "itself": lambda array: array,
    "slice": lambda array: array[3:9],
    "step": lambda array: array[::-2],
    "dtype": lambda array: array.view(np.float32),
    "shape": lambda array: array.reshape(8, 8).T[1],
    "asarray": lambda array: np.asarray(array),
    "broadcast": lambda array: np.broadcast_to(array, (3, NBYTES)),
    "iterator": lambda array: np.nditer(array),
    "flat": lambda array: array.flat,
    "memoryview": lambda array: memoryview(array),
    "cast memoryview": lambda array: memoryview(array)[4:].cast("B"),
    "frombuffer": lambda array: np.frombuffer(memoryview(array), np.int16),
    "masked": lambda array: np.ma.masked_array(array, array > 3)[2:],
    "ctypes from_buffer": lambda array: (ctypes.c_char * NBYTES).from_buffer(array),
    "ctypes of ctypes": lambda array: np.ctypeslib.as_array((ctypes.c_uint8 * NBYTES).from_buffer(array)),
    "array.ctypes": lambda array: array.ctypes,
    "record": lambda array: array.view(np.dtype([("a", "u4"), ("b", "u4")]))["b"],
    "DLPack": lambda array: np.from_dlpack(Consumer(array)),
    "DLPack, a view": lambda array: np.from_dlpack(Consumer(array[2:10]))[1:],
    "unconsumed capsule": lambda array: array.__dlpack__(),
    "cycle": _own_attribute,
    "closure": lambda array: lambda: array,
}


@pytest.mark.parametrize("name", VIEWS)
def test_each_kind_of_view_holds_the_block(name, arena, leases):
    offset = arena.take(NBYTES)
    array = leases.array(offset, NBYTES)
    assert array.flags.writeable and array.ctypes.data == arena.address + offset
    view = VIEWS[name](array)
    del array
    gc.collect()
    assert leases.gone() == [] and len(leases) == 1
    del view
    gc.collect()
    assert leases.gone() == [offset] and len(leases) == 0
    assert leases.gone() == []


def test_the_last_of_several_views_counts(arena, leases):
    offset = arena.take(NBYTES)
    array = leases.array(offset, NBYTES)
    views = [view(array) for name, view in VIEWS.items() if name != "itself"]
    del array
    while views:
        assert leases.gone() == []
        views.pop()
        gc.collect()
    assert leases.gone() == [offset]


def test_a_view_holds_the_arena():
    arena = Arena(1 << 20)
    array = Leases(arena).array(arena.take(NBYTES), NBYTES)
    array[:] = 5
    del arena
    gc.collect()
    assert array.tolist() == [5] * NBYTES


def test_a_copy_does_not_hold_the_block(arena, leases):
    array = leases.array(arena.take(NBYTES), NBYTES)
    copies = [array.copy(), array + 1, array.tobytes(), array[array > 3]]
    del array
    assert len(leases.gone()) == 1
    assert copies


def test_blocks_end_in_other_threads_and_finalisers(arena, leases):
    """Many at once: none is lost, and none is freed twice."""
    offsets = [arena.take(NBYTES) for _ in range(800)]
    parts = [[leases.array(offset, NBYTES) for offset in offsets[start::4]] for start in range(4)]
    found = []

    def drop(part):
        while part:
            part.pop()
            found.extend(leases.gone())

    threads = [threading.Thread(target=drop, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found += leases.gone()
    assert sorted(found) == sorted(offsets)


def test_a_block_that_is_leased_again_is_its_second_lease(arena, leases):
    """The block is leased again before the first lease's end is reported."""
    offset = arena.take(NBYTES)
    first = leases.array(offset, NBYTES)
    del first
    second = leases.array(offset, NBYTES)
    assert leases.gone() == []
    del second
    assert leases.gone() == [offset]


def test_blocks_leased_at_a_fork_are_freed_after_the_child(arena, leases):
    before, after, ended = (arena.take(NBYTES) for _ in range(3))
    old, gone = leases.array(before, NBYTES), leases.array(ended, NBYTES)
    del gone
    old[:] = 1
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.read(read, 1)
        os._exit(0 if old[0] == 1 else 1)
    new = leases.array(after, NBYTES)
    del old, new
    assert sorted(leases.gone()) == sorted([ended, after])
    os.write(write, b"x")
    assert os.waitpid(pid, 0)[1] == 0
    assert leases.gone() == [before] and len(leases) == 0
    os.close(read)
    os.close(write)


def test_a_forked_child_frees_no_blocks_of_its_parent(arena, leases):
    array = leases.array(arena.take(NBYTES), NBYTES)
    pid = os.fork()
    if not pid:
        del array
        os._exit(len(leases.gone()))
    assert os.waitpid(pid, 0)[1] == 0
    assert leases.gone() == []
    del array
    assert leases.gone() == [0]


def test_the_start_of_a_worker_retires_nothing(arena, leases):
    offset = arena.take(NBYTES)
    array = leases.array(offset, NBYTES)
    with starting_workers():
        pid = os.fork()
        if not pid:
            os._exit(0)
    os.waitpid(pid, 0)
    del array
    assert leases.gone() == [offset]


def test_many_rounds_do_not_leak(arena, leases):
    for _ in range(2000):
        offset = arena.take(NBYTES)
        array = leases.array(offset, NBYTES)
        del array
        for one in leases.gone():
            arena.give(one)
    assert arena.taken == 0 and len(leases) == 0
    assert arena.reserved <= 1 << 20
