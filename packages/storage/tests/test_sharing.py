"""Storages in memory that other processes can access."""

import gc
import os
import pickle

import numpy as np
import pytest

from facula_errors.testing import raises
from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing.extend import arena_usage, encode
from facula_storage import contiguous, float32, from_numpy, int64, meta, to_numpy, uint8
from facula_storage.extend import alias, allocate, capacity, host_view, replace_buffer, take_block
from facula_storage.sharing import is_shared, move_to_shared_memory

LAYOUT = contiguous((50, 40), float32)


def filled():
    storage = allocate(LAYOUT)
    host_view(storage.ptr, LAYOUT)[:] = np.arange(2000).reshape(50, 40)
    return storage


def seen(storage, layout=LAYOUT):
    return host_view(storage.ptr, layout, storage).tolist()


def received(*storages):
    return pickle.loads(encode(storages))


def test_contents_are_preserved():
    storage = filled()
    before, version = seen(storage), storage.version
    move_to_shared_memory(storage)
    assert is_shared(storage) and seen(storage) == before and storage.version == version
    address = storage.ptr
    move_to_shared_memory(storage)
    assert storage.ptr == address


def test_aliases_move_along():
    storage = filled()
    other = alias(storage)
    move_to_shared_memory(other)
    assert other.ptr == storage.ptr and is_shared(storage) and is_shared(other)


def test_exported_memory_is_not_moved():
    storage = filled()
    array = to_numpy(storage, LAYOUT, 0)
    with pytest.raises(RuntimeError, match="1 export"):
        move_to_shared_memory(storage)
    assert not is_shared(storage)
    del array
    gc.collect()
    move_to_shared_memory(storage)
    borrowed, _ = from_numpy(np.ones(3))
    with pytest.raises(RuntimeError, match="belongs to ndarray"):
        move_to_shared_memory(borrowed)


def test_shared_memory_is_not_moved():
    storage = filled()
    move_to_shared_memory(storage)
    address, release = take_block(LAYOUT)
    with pytest.raises(RuntimeError, match="belongs to SharedBlock"):
        replace_buffer(storage, address, release, LAYOUT.nbytes)
    release()


def test_too_little_memory_changes_nothing(monkeypatch):
    def none(nbytes):
        raise SharedMemoryError("none", nbytes)

    monkeypatch.setattr("facula_storage.sharing.new_block", none)
    storage = filled()
    before = storage.ptr
    with pytest.raises(MemoryError):
        move_to_shared_memory(storage)
    assert storage.ptr == before and not is_shared(storage)


@pytest.mark.parametrize("device", ["cpu", meta])
def test_empty_storages_are_not_shared(device):
    layout = contiguous((0,), int64) if device == "cpu" else contiguous((3,), int64, device)
    storage = allocate(layout)
    move_to_shared_memory(storage)
    assert capacity(storage) == 0 or is_shared(storage)
    (got,) = received(storage)
    assert capacity(got) == 0


def test_sender_and_receiver_see_each_others_changes():
    storage = filled()
    (got,) = received(storage)
    assert got is not storage and is_shared(storage) and is_shared(got)
    assert seen(got) == seen(storage) and capacity(got) == capacity(storage)
    host_view(got.ptr, LAYOUT)[3, 4] = -1
    assert seen(storage)[3][4] == -1


def test_one_storage_in_a_message_is_one_storage():
    storage = filled()
    first, second = received(storage, storage)
    assert first is second


def test_small_storages_are_shared_too():
    small = contiguous((1,), uint8)
    storage = allocate(small)
    (got,) = received(storage)
    host_view(got.ptr, small)[0] = 9
    assert seen(storage, small) == [9]


def test_borrowed_memory_is_sent_as_a_copy():
    array = np.arange(5000.0)
    storage, layout = from_numpy(array)
    (got,) = received(storage)
    assert host_view(got.ptr, layout).tolist() == array.tolist()
    host_view(got.ptr, layout)[0] = 5
    assert array[0] == 0 and not is_shared(storage)


def test_read_only_memory_stays_read_only():
    array = np.arange(5000.0)
    array.flags.writeable = False
    storage, _ = from_numpy(array)
    (got,) = received(storage)
    assert got.version is None and "read" in got.readonly


def test_an_array_in_shared_memory_is_sent_without_a_copy():
    from facula_multiprocessing import shared_empty

    array = shared_empty(5000, "float32")
    array[:] = 2
    storage, layout = from_numpy(array[1000:])
    assert is_shared(storage)
    (got,) = received(storage)
    host_view(got.ptr, layout)[0] = 7
    assert array[1000] == 7 and array[999] == 2


def test_plain_pickling_is_still_rejected():
    with raises(TypeError, "Storage", "cannot be pickled by itself"):
        pickle.dumps(filled())


def test_shared_memory_is_freed():
    def rounds(count):
        for _ in range(count):
            storage = filled()
            (got,) = received(storage)
            assert got.ptr == storage.ptr

    def figures():
        gc.collect()
        return *arena_usage(), len(os.listdir("/proc/self/fd"))

    rounds(5)
    before = figures()
    rounds(200)
    assert all(now <= most for now, most in zip(figures(), before))
