"""The table of C functions, called through ctypes: with the GIL where it is required, and freed without it."""

import ctypes
import gc
import os
import threading
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, byref, c_int, c_int64, c_uint64, c_void_p, py_object

import pytest
from simulated import MIB, current

from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, use_mem_pool
from facula_allocator.drivers import HostDriver
from facula_allocator.functions import c_functions, get_include
from facula_errors.testing import raises


class Memory(Structure):
    _fields_ = [("address", c_uint64), ("nbytes", c_int64), ("block", c_void_p)]


class Functions(Structure):
    _fields_ = [
        ("version", c_int),
        ("allocate", PYFUNCTYPE(c_int, c_void_p, c_int64, c_int64, POINTER(Memory))),
        ("record_use", PYFUNCTYPE(c_int, c_void_p, POINTER(Memory), c_int64)),
        ("free", CFUNCTYPE(None, c_void_p, POINTER(Memory))),
    ]


pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = c_void_p, [py_object, ctypes.c_char_p]


class Table:
    def __init__(self, allocator):
        self.capsule = c_functions(allocator)
        self.at = pointer_of(self.capsule, b"facula_allocator.functions")
        self.functions = Functions.from_address(self.at)

    def allocate(self, nbytes, stream=0):
        memory = Memory()
        self.functions.allocate(self.at, nbytes, stream, byref(memory))
        return memory

    def free(self, memory):
        self.functions.free(self.at, byref(memory))


def test_blocks_belong_to_the_allocator(caching, driver):
    table = Table(caching)
    assert table.functions.version == 1
    first = table.allocate(1000, 3)
    assert first.nbytes == 1000 and current(caching, "allocated_bytes") == 1024
    table.free(first)
    table.free(first)  # a second free does nothing
    assert current(caching, "allocated_bytes") == 0
    assert caching.allocate(1000, 3).ptr == first.address
    assert table.allocate(0).address == 0 and driver.calls("allocate") == 1


def test_recorded_uses_delay_reuse(caching, driver):
    table = Table(caching)
    memory = table.allocate(1000)
    driver.launch(7, reads=[(memory.address, 1000, "first")])
    assert table.functions.record_use(table.at, byref(memory), 7) == 0
    table.free(memory)
    assert current(caching, "active_bytes") == 1024 and table.allocate(1000).address != memory.address


def test_errors_are_python_exceptions(caching):
    table = Table(caching)
    with pytest.raises(OutOfMemoryError):
        table.allocate(1 << 40)
    with raises(ValueError, "allocate", "expected nbytes >= 0", value=-1):
        table.allocate(-1)


def test_listeners_and_pools_see_them(caching):
    table, told = Table(caching), []
    pool = MemPool(caching)
    with use_mem_pool(pool):
        memory = table.allocate(1000)
    (segment,) = caching.memory_snapshot()["segments"]
    assert segment["segment_pool_id"] == pool.id
    table.free(memory)
    caching.add_listener(told.append)
    table.free(table.allocate(1000))
    caching.memory_stats()
    assert [event.action for event in told][-3:] == ["alloc", "free_requested", "free_completed"]
    caching.remove_listener(told.append)


def test_a_history_sees_them(caching):
    table = Table(caching)
    table.free(table.allocate(1000))  # so that idle memory serves the next request
    caching.record_history()
    memory = table.allocate(1000)
    (trace,) = caching.memory_snapshot()["device_traces"]
    assert [event["action"] for event in trace] == ["alloc"]
    assert trace[0]["frames"][0]["filename"] == __file__
    table.free(memory)


def test_the_table_keeps_the_allocator(driver):
    table = Table(CachingAllocator(driver))
    gc.collect()
    memory = table.allocate(MIB)
    assert driver.memory_info()[0] < driver.capacity
    table.free(memory)
    del table
    assert driver.memory_info()[0] == driver.capacity


def test_threads_free_without_the_gil():
    allocator = CachingAllocator(HostDriver())
    table = Table(allocator)

    def work():
        for _ in range(2000):
            memory = table.allocate(256)
            ctypes.memset(memory.address, 1, 256)
            table.free(memory)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert current(allocator, "allocated_bytes") == 0
    assert allocator.memory_stats()["allocation.all.allocated"] == 8000


def test_a_forked_child_requests_its_own_table(caching):
    table = Table(caching)
    memory = table.allocate(1000)
    child = os.fork()
    if not child:
        status = 1
        try:
            table.free(memory)
            try:
                table.allocate(1000)
            except ValueError as error:
                status = "got a fork of it" not in str(error)
            table = Table(caching)
            table.free(table.allocate(1000))
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert current(caching, "allocated_bytes") == 1024


def test_the_header_exists():
    with open(os.path.join(get_include(), "facula_allocator.h")) as file:
        assert "facula_functions" in file.read()


def test_a_table_needs_an_allocator():
    with raises(TypeError, "c_functions", "expected allocator, a CachingAllocator", value=7):
        c_functions(7)


def test_history_has_them(caching):
    caching.record_history()
    table = Table(caching)
    table.free(table.allocate(1000))
    memory = table.allocate(1000)
    actions = [event["action"] for event in caching.memory_snapshot()["device_traces"][0]]
    assert actions == ["segment_alloc", "alloc", "free_requested", "free_completed", "alloc"] and memory.address
