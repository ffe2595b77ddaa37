"""Storages: allocation, borrowing, aliases, and interaction with the garbage collector."""

import gc
import pickle
import sys
import types
import weakref

import numpy as np
import pytest
from storage_helpers import Owner, counting, live, require_own_backend

from facula_errors.testing import raises
from facula_storage import contiguous, float32, from_numpy, to_numpy, uint8
from facula_storage.extend import (
    alias,
    allocate,
    borrow,
    collecting,
    collection_callback,
    host_view,
    replace_buffer,
    take_block,
)

LAYOUT = contiguous((2, 3), float32)


# Allocation -----------------------------------------------------------------------------------------------------------
def test_a_fresh_storage(no_collector):
    before = live()
    storage = allocate(LAYOUT)
    assert (storage.ptr % 64, storage.version) == (0, 0)
    assert live() == (before[0] + 24, before[1] + 1)
    assert repr(storage) == f"<Storage at {storage.ptr:#x}, version 0>"
    del storage
    assert live() == before


def test_an_empty_storage():
    storage = allocate(contiguous((0, 3), float32))
    assert storage.ptr == storage.ptr == 0


def test_no_memory_left():
    require_own_backend()
    with raises(MemoryError, "refill", "cannot allocate 9007199254740992 bytes"):
        allocate(contiguous((1 << 53,), uint8))


def test_storages_cannot_be_pickled_alone():
    with raises(TypeError, "Storage", "pickle the tensor"):
        pickle.dumps(allocate(LAYOUT))


def test_freeing_runs_no_python_code(no_collector):
    """Otherwise a Ctrl-C could arrive there and be swallowed."""
    storage = allocate(LAYOUT)
    called = []
    sys.setprofile(lambda frame, event, argument: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        del storage
    finally:
        sys.setprofile(None)
    assert called == []


def test_borrowed_memory(no_collector):
    owner = Owner()
    watch = weakref.ref(owner)
    storage = borrow(4096, 24, owner)
    assert (storage.ptr, storage.nbytes, storage.version) == (4096, 24, 0)
    assert borrow(4096, 24, owner, "it is mine").version is None
    assert borrow(4096, 24, owner, "it is mine").readonly == "it is mine"
    with pytest.raises(RuntimeError, match="belongs to Owner"):
        replace_buffer(storage, 64, int, 24)
    assert storage.ptr == 4096
    del owner
    assert watch() is not None
    del storage
    assert watch() is None


# Garbage collection -------------------------------------------------------------------------------------------------
class Thin:
    """An allocator that counts calls of its two methods."""

    def __init__(self):
        self.log = []

    def take_block(self):
        self.log.append("take")
        return 0, int

    def refill(self):
        self.log.append("refill")
        return 0, int


def test_the_fast_path_is_disabled_during_collections():
    """Memory freed during a collection must not be reused before it ends, because finalizers may read it."""
    thin, seen = Thin(), []

    class Dying:
        def __del__(self):
            take_block(thin)
            seen.append(bool(collecting))

    dying = Dying()
    dying.me = dying
    del dying
    assert not collecting
    gc.collect()
    assert seen == [True]
    assert not collecting
    take_block(thin)
    assert thin.log == ["refill", "take"]


def test_an_empty_free_list_is_refilled():
    class Empty(Thin):
        def take_block(self):
            raise IndexError

    empty = Empty()
    assert take_block(empty) == (0, int)
    assert empty.log == ["refill"]


def test_the_callback_is_a_c_function():
    kinds = [type(callback) for callback in gc.callbacks if "on_collection" in repr(callback)]
    assert set(kinds) == {types.BuiltinFunctionType}


def test_the_callback_removes_only_its_entry():
    """Siblings keep their own entries in such a dict."""
    shared = {"mode": None}
    callback = collection_callback(shared)
    callback("stop", {})  # created while the collector ran: its own allocation is empty
    assert list(shared) == ["mode"]
    callback("start", {})
    callback("start", {})
    assert len(shared) == 2
    shared.pop("mode")
    callback("stop", {})
    callback("stop", {})
    assert shared == {}
    callback("start", {})
    shared.clear()
    callback("stop", {})
    assert shared == {}
    with pytest.raises(IndexError):
        callback()
    with pytest.raises(TypeError, match="expected a dict"):
        collection_callback([])


# Aliases --------------------------------------------------------------------------------------------------------------
def test_an_alias_has_its_own_version():
    storage, layout = counting()
    storage.version = 5
    other = alias(storage)
    again = alias(other)
    assert (other.version, again.version, storage.version) == (0, 0, 5)
    other.version += 1
    assert (storage.version, again.version) == (5, 0)
    assert other.ptr == again.ptr == storage.ptr
    assert other.base is again.base is storage
    to_numpy(again, layout)[0, 0] = 9
    assert to_numpy(storage, layout)[0, 0] == 9


def test_an_alias_keeps_the_memory(no_collector):
    before = live()
    storage, layout = counting()
    other = alias(alias(storage))
    del storage
    assert to_numpy(other, layout).tolist() == [[0, 1, 2], [3, 4, 5]]
    del other
    assert live() == before


def test_an_alias_of_read_only_memory_is_read_only():
    array = np.zeros(3)
    array.flags.writeable = False
    other = alias(from_numpy(array)[0])
    assert (other.version, other.nbytes) == (None, 24)
    assert "read-only" in other.readonly
    with pytest.raises(RuntimeError, match="belongs to ndarray"):
        replace_buffer(other, 64, int, 24)


def test_many_short_lived_aliases_do_not_leak():
    storage, _ = counting()
    for _ in range(1000):
        alias(storage)
    assert len(storage.aliases) <= 32
    kept = [alias(storage) for _ in range(100)]
    replace_buffer(storage, 0, int, 0)
    assert [other.ptr for other in kept] == [0] * 100


def test_host_view_shows_bfloat16_as_its_bits():
    from facula_storage import bfloat16

    layout = contiguous((2,), bfloat16)
    storage = allocate(layout)
    view = host_view(storage.ptr, layout)
    view[...] = [0x3F80, 0x4000]
    assert view.dtype == np.uint16
    assert host_view(storage.ptr, contiguous((4,), uint8)).tolist() == [0x80, 0x3F, 0, 0x40]
