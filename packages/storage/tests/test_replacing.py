"""Replacement of a storage's buffer: aliases, waiting for threads, locks and forks."""

import ctypes
import gc
import threading
import time
import types
import weakref
from contextlib import contextmanager

import numpy as np
import pytest
from storage_helpers import Owner, Running, counting, live

from facula_storage import LaunchError, Storage, bind, contiguous, float32, to_numpy
from facula_storage._bridge import threads_inside
from facula_storage.extend import (
    alias,
    buffer_lock,
    check_replaceable,
    launching_modules,
    release_idle_memory,
    release_retired,
    replace_buffer,
    take_block,
)

LAYOUT = contiguous((2, 3), float32)


@pytest.fixture
def launching_module():
    """The name of a module in which operators launch."""
    launching_modules.add("launching_test")
    yield "launching_test"
    launching_modules.discard("launching_test")
    release_retired()


def inside(function, module):
    """Return the function as if it were defined in that module."""
    return types.FunctionType(function.__code__, {**globals(), "__name__": module}, closure=function.__closure__)


# Replacing ------------------------------------------------------------------------------------------------------------
def test_aliases_follow(no_collector):
    before = live()
    storage, _ = counting()
    aliases = [alias(storage), alias(alias(storage))]
    bigger = contiguous((10,), float32)
    replace_buffer(aliases[1], *take_block(bigger), bigger.nbytes)
    assert {one.ptr for one in [storage, *aliases]} == {storage.ptr}
    assert {one.nbytes for one in [storage, *aliases]} == {40}
    assert (storage.version, aliases[0].version) == (0, 0)
    assert live() == (before[0] + 40, before[1] + 1)
    del storage, aliases
    assert live() == before


@contextmanager
def parked(module):
    """Keep a thread inside a function of `module`, until the block ends or the function that it yields is called.

    A failed test must not leave the thread there: blocks that are retired later would wait for it.
    """
    go, ready = threading.Event(), threading.Event()

    def operator(ready, go):
        ready.set()
        go.wait(600)

    thread = Running(lambda: inside(operator, module)(ready, go))
    assert ready.wait(600)

    def leave():
        go.set()
        thread.finish()

    try:
        yield leave
    finally:
        leave()


def test_retired_blocks_wait_for_threads_inside_operators(launching_module):
    before = live()
    with parked(launching_module):
        storage, _ = counting()
        replace_buffer(storage, 0, int, 0)
        assert storage.ptr == 0
        assert live() == (before[0] + 24, before[1] + 1)
        assert release_retired() == 1
        replace_buffer(storage, *take_block(LAYOUT), 24)  # the empty buffer is retired too
        assert release_retired() == 2
    assert release_retired() == 0
    assert live() == (before[0] + 24, before[1] + 1)


def test_threads_need_not_be_outside_at_the_same_time(launching_module):
    """Each must have been seen outside since the block was retired, but not at the same time."""
    before = live()
    with parked(launching_module) as let_first_leave:
        storage, _ = counting()
        replace_buffer(storage, 0, int, 0)
        with parked(launching_module):
            assert release_retired() == 1
            let_first_leave()
            assert release_retired() == 0  # the second thread came later and cannot have the old address
            assert live() == before


def test_threads_elsewhere_are_not_waited_for(launching_module):
    before = live()
    with parked("somewhere_else"):
        replace_buffer(counting()[0], 0, int, 0)
        assert release_retired() == 0
        assert live() == before


def test_the_current_operator_is_not_waited_for(launching_module):
    """`resize_` and `out=` replace buffers from inside an operator, before they read an address."""
    before = live()
    inside(lambda: replace_buffer(counting()[0], 0, int, 0), launching_module)()
    assert release_retired() == 0
    assert live() == before


def retired_under(module):
    """A block that was replaced while another thread was inside an operator, which has since ended."""
    with parked(module):
        replace_buffer(counting()[0], 0, int, 0)


@pytest.mark.parametrize("moment", [lambda: LAYOUT.refill()[1](), release_idle_memory])
def test_a_quiet_moment_releases_retired_blocks(launching_module, moment):
    """No other buffer is replaced."""
    before = live()
    retired_under(launching_module)
    assert live() == (before[0] + 24, before[1] + 1)
    moment()
    assert live() == before


def test_a_refill_inside_a_launch_keeps_the_blocks_being_read(launching_module):
    """The launch has read its addresses and allocates a workspace: its own thread must not count as outside."""
    before, step, turn = live(), [threading.Event() for _ in range(4)], []

    def operator():
        step[0].set()
        step[1].wait(600)
        LAYOUT.refill()[1]()
        turn.append(live())
        step[2].set()
        step[3].wait(600)

    def work():
        inside(operator, launching_module)()
        LAYOUT.refill()[1]()
        turn.append(live())

    thread = Running(work)
    step[0].wait(600)
    replace_buffer(counting()[0], 0, int, 0)
    step[1].set()
    step[2].wait(600)
    step[3].set()
    thread.finish()
    assert turn == [(before[0] + 24, before[1] + 1), before]


def test_a_quiet_moment_does_not_wait(launching_module):
    """A thread that replaces a buffer checks the retired blocks itself."""
    retired_under(launching_module)
    held, done = threading.Event(), threading.Event()

    def replace():
        with buffer_lock:
            held.set()
            done.wait(600)

    thread = Running(replace)
    held.wait(600)
    try:
        LAYOUT.refill()[1]()
        release_idle_memory()
        assert thread.is_alive()
    finally:
        done.set()
    thread.finish()
    assert release_retired() == 0


def test_inspecting_threads_creates_no_cycle(no_collector, launching_module):
    """A frame referenced by one of its own locals would keep its callers' objects alive."""

    def caller():
        local = Owner()
        replace_buffer(counting()[0], 0, int, 0)
        release_retired()
        return weakref.ref(local)

    assert caller()() is None
    assert gc.collect() == 0


def test_a_rejected_replacement_changes_nothing():
    storage, layout = counting()
    array = to_numpy(storage, layout)
    before, address = live(), storage.ptr
    calls = []
    with pytest.raises(RuntimeError, match="export"):
        replace_buffer(storage, 64, lambda: calls.append(1), 8)
    assert (storage.ptr, calls, live()) == (address, [], before)
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]
    check_replaceable(counting()[0])


def test_one_thread_swaps_while_others_compute(address_of, launching_module, often_switching):
    """Blocks are poisoned on release. A kernel without the GIL reads its block 20 times."""
    nbytes = 1 << 12
    poison = ctypes.PyDLL(None).memset
    poison.argtypes, poison.restype = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t), ctypes.c_void_p
    # Half of a block is poisoned, and blocks are reused: a reader of a released block finds unequal bytes.
    memory = [np.zeros(nbytes + 1, np.uint8) for _ in range(6)]
    free, released = list(range(6)), []

    class Release:
        """A release that poisons a block before freeing it."""

        def __init__(self, which):
            self.which = which

        def __call__(self):
            poison(memory[self.which].ctypes.data, 0xDD, nbytes // 2)
            released.append(self.which)
            free.append(self.which)

    storage = Storage()
    storage.ptr, storage.__del__, storage.version = memory[0].ctypes.data, Release(free.pop(0)), 0
    follower = alias(storage)
    launch = bind(address_of("all_equal"), 0, 0, 0, None)
    stop = threading.Event()

    def operator(one, launch, nbytes):
        address = one.ptr
        launch(nbytes, address)

    def compute(one):
        count = 0
        call = inside(operator, launching_module)
        while not stop.is_set():
            call(one, launch, nbytes)
            count += sum([1 for _ in range(100)]) // 100  # and sometimes outside
        return count

    threads = [Running(compute, one) for one in (storage, follower)]
    swapped, begun = 0, time.monotonic()
    while swapped < 200 and (time.monotonic() < begun + 2 or swapped < 10) and time.monotonic() < begun + 600:
        release_retired()
        if free:
            which = free.pop(0)
            memory[which][:] = swapped % 200
            replace_buffer(storage, memory[which].ctypes.data, Release(which), nbytes)
            swapped += 1
    stop.set()
    assert all(thread.finish() > 0 for thread in threads)
    assert release_retired() == 0
    assert len(released) == swapped > 6
    memory[0][:5] = 1
    with pytest.raises(LaunchError):  # the kernel does see unequal bytes
        launch(nbytes, memory[0].ctypes.data)


# Locks and forks ------------------------------------------------------------------------------------------------------
def test_a_child_process_does_not_inherit_a_held_lock(run_python):
    """Another thread holds the locks, and is collecting, when the process forks."""
    program = """
import os, signal, threading, warnings
warnings.simplefilter("ignore")
from facula_storage import Device, contiguous, float32, listen, to_numpy
from facula_storage import _devices, _plans
from facula_storage.extend import HostMemory, allocate, buffer_lock, collecting, register_backend

layout = contiguous((2, 3), float32)
storage = allocate(layout)
held, go = threading.Event(), threading.Event()
def hold():
    with buffer_lock, _devices._making, _devices._connecting, _plans._changing:
        collecting[None] = None
        held.set()
        go.wait()
        collecting.clear()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(600)
    assert not collecting
    assert to_numpy(storage, layout).shape == (2, 3)
    register_backend("after_fork", lambda index: HostMemory())
    Device("after_fork").backend
    with listen(print):
        pass
    os._exit(0)
go.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run_python(program) == "0\n"


def test_the_lock_is_re_entrant():
    with buffer_lock, buffer_lock:
        storage, layout = counting()
        assert to_numpy(alias(storage), layout).sum() == 15


# Threads inside modules ----------------------------------------------------------------------------------------
def test_threads_inside_searches_whole_stacks():
    here, go = threading.Barrier(3), threading.Event()

    def deep(levels):
        if levels:
            return deep(levels - 1)
        here.wait()
        go.wait(600)

    def call(function):
        function(3)

    threads = [Running(inside(call, "module_a"), deep), Running(call, deep)]
    here.wait()
    try:
        assert threads_inside({"module_a", "module_b"}) == {threads[0].ident}
        assert threads_inside({"module_b"}) == set()
        assert {thread.ident for thread in threads} <= threads_inside({__name__})
        assert threading.get_ident() in threads_inside({__name__}), "this thread is one of them"
    finally:
        go.set()
    [thread.finish() for thread in threads]
    assert gc.isenabled()
    with pytest.raises(TypeError, match="expected a set of names; got <class 'list'>"):
        threads_inside(["module_a"])


def test_threads_inside_while_stacks_change(often_switching):
    """Frames begin and end in six threads while two others inspect them."""
    start, done = threading.Barrier(8), threading.Event()

    def nest(depth):
        return sum(nest(depth - 1) for _ in range(2)) if depth else 1

    def change():
        start.wait()
        while not done.is_set():
            assert nest(4) == 16

    def look():
        start.wait()
        return [threads_inside({__name__, "module_a"}) for _ in range(300)]

    changing_threads = [Running(change) for _ in range(6)]
    try:
        seen = [thread.finish() for thread in [Running(look), Running(look)]]
    finally:
        done.set()
    [thread.finish() for thread in changing_threads]
    known = {thread.ident for thread in changing_threads}
    assert all(known <= one for looks in seen for one in looks)
