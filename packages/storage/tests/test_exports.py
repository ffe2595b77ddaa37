"""Exports pin the buffer: released from any thread, at interpreter exit, exactly once, without leaks."""

import gc
import threading
import weakref

import numpy as np
import pytest
from storage_helpers import Owner, Running, counting, live

from facula_storage import contiguous, float32, from_buffer, from_dlpack, from_numpy, to_buffer, to_dlpack, to_numpy
from facula_storage.extend import alias, allocate, check_replaceable, replace_buffer

EXPORTS = {
    "numpy": to_numpy,
    "buffer": to_buffer,
    "memoryview": lambda storage, layout: memoryview(to_buffer(storage, layout)),
    "capsule": to_dlpack,
    "versioned capsule": lambda storage, layout: to_dlpack(storage, layout, max_version=(1, 0)),
    "consumed capsule": lambda storage, layout: from_dlpack(to_dlpack(storage, layout)),
    "numpy's view": lambda storage, layout: to_numpy(storage, layout)[:1, 1:].T,
}


@pytest.fixture(params=EXPORTS)
def export(request):
    return EXPORTS[request.param]


def test_the_buffer_is_held_until_released(export, no_collector):
    before = live()
    storage, layout = counting()
    watch = weakref.ref(storage)
    held = export(storage, layout)
    assert storage.exports == [None]
    del storage
    assert watch() is not None
    assert live() == (before[0] + 24, before[1] + 1)
    del held
    assert watch() is None
    assert live() == before


def test_exports_refuse_a_replacement(export):
    storage, layout = counting()
    first, second = export(storage, layout), export(storage, layout)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"in use by 2 export\(s\)"):
            replace_buffer(storage, 64, int, 24)
    del first
    with pytest.raises(RuntimeError, match=r"in use by 1 export\(s\).*delete them, or work on a clone"):
        check_replaceable(storage)
    del second
    check_replaceable(storage)


def test_an_export_of_an_alias_holds_the_same_buffer(export):
    """The alias shares the root's memory: both must keep it while an export exists."""
    storage, layout = counting()
    other = alias(alias(storage))
    held = export(other, layout)
    for one in (storage, other):
        with pytest.raises(RuntimeError, match=r"in use by 1 export\(s\)"):
            replace_buffer(one, 64, int, 24)
    assert storage.ptr == other.ptr != 64
    del held
    check_replaceable(other)


def test_released_from_another_thread(export, no_collector):
    before = live()
    storage, layout = counting()
    held = [export(storage, layout)]
    Running(held.clear).finish()
    assert storage.exports == []
    held = [export(storage, layout)]
    del storage
    Running(held.clear).finish()
    assert live() == before


def test_exporting_in_many_threads(often_switching):
    """The first exports of a storage start at once in many threads: none is lost or counted twice."""
    for _ in range(50):
        storage, layout = counting()
        start = threading.Barrier(4)

        def work(storage=storage, layout=layout, start=start):
            start.wait()
            return [to_numpy(storage, layout) for _ in range(5)]

        threads = [Running(work) for _ in range(4)]
        held = [thread.finish() for thread in threads]
        for thread in threads:
            thread.result = None
        assert len(storage.exports) == 20
        held.clear()
        assert storage.exports == []


def test_no_replacement_between_reading_the_address_and_counting(often_switching):
    """An export shares the storage's buffer during its whole lifetime."""
    released, stop = [], threading.Event()
    storage, layout = allocate(contiguous((64,), float32)), contiguous((64,), float32)

    def replace():
        swapped = 0
        while not stop.is_set():
            address, release = layout.refill()
            try:
                replace_buffer(storage, address, Release(address, release, released), layout.nbytes)
                swapped += 1
            except RuntimeError:
                release()
        return swapped

    class Release:
        """A callable that records the address, like a C release."""

        def __init__(self, address, release, notes):
            self.address, self.release, self.notes = address, release, notes

        def __call__(self):
            self.notes.append(self.address)
            self.release()

    thread = Running(replace)
    for _ in range(1500):
        array = to_numpy(storage, layout)
        mark = len(released)
        assert array.ctypes.data == storage.ptr
        assert array.ctypes.data not in released[mark:]
        del array
    stop.set()
    assert thread.finish() > 0


def test_a_read_only_borrowed_array_lives_on(no_collector):
    array = np.arange(5)
    array.flags.writeable = False
    watch = weakref.ref(array)
    view = memoryview(to_buffer(*from_numpy(array)))
    del array
    assert view.tolist() == [0, 1, 2, 3, 4]
    assert watch() is not None
    view.release()
    del view
    assert watch() is None


def test_the_owner_of_borrowed_memory_goes_with_the_last_export(no_collector):
    class Source(bytearray):
        """A bytearray that supports weak references."""

    source = Source(8)
    watch = weakref.ref(source)
    storage, layout = from_buffer(source, float32)
    array = to_numpy(storage, layout)
    del source, storage
    assert watch() is not None
    del array
    assert watch() is None


def test_an_owner_in_a_cycle_with_its_array_is_freed():
    """The collector frees the cycle; a C callable releases the block during the collection."""
    before = live()
    for _ in range(10):
        owner = Owner()
        storage, layout = counting()
        owner.array, owner.storage, owner.me = to_numpy(storage, layout), storage, owner
        del owner, storage
    gc.collect()
    assert live() == before


def test_at_interpreter_exit(run_python):
    """Exports of every kind are alive at interpreter exit, in modules, threads and cycles."""
    program = """
import atexit, threading
import numpy as np
from facula_storage import contiguous, float32, from_buffer, from_dlpack, from_numpy, to_buffer, to_dlpack, to_numpy
from facula_storage.extend import alias, allocate
layout = contiguous((2, 3), float32)
storage = allocate(layout)
array = to_numpy(storage, layout)
array[...] = 7
view = memoryview(to_buffer(storage, layout))
fresh = to_dlpack(storage, layout)
used = to_dlpack(storage, layout, max_version=(1, 0))
consumed = from_dlpack(used)
theirs = from_dlpack(np.ones(3))
other = alias(storage)
class Cycle: pass
cycle = Cycle()
cycle.me, cycle.array = cycle, to_numpy(storage, layout)
atexit.register(lambda: print(array.sum(), view.tolist()[0][0], to_numpy(other, layout).shape))
thread = threading.Thread(target=lambda array: threading.Event().wait(), args=(array[1:],), daemon=True)
thread.start()
import sys
sys.keep = [to_numpy(storage, layout), to_dlpack(storage, layout)]
"""
    assert run_python(program) == "42.0 7.0 (2, 3)\n"


def test_exceptions_pending_while_an_export_ends():
    """The end of an export must neither swallow nor replace the exception that unwinds the stack."""
    storage, layout = counting()

    def work():
        kept = to_numpy(storage, layout), to_dlpack(storage, layout), memoryview(to_buffer(storage, layout))
        raise ZeroDivisionError(len(kept))

    with pytest.raises(ZeroDivisionError, match="3"):
        work()
    gc.collect()
    assert storage.exports == []
