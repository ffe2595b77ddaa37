"""Allocating and freeing a block of 4 KiB: the cost for a library that uses a caching allocator.

PyTorch has no such call for the host; the nearest is to create and drop an empty tensor. Rows of four threads give
the elapsed time of a pair while all of them run.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sysconfig
import tempfile
from functools import partial
from threading import Thread

import torch

from facula_allocator import CachingAllocator, HostAllocator
from facula_allocator.drivers import HostDriver, SimulatedDriver
from facula_allocator.functions import c_functions, get_include

from ..measure import Loop, Row

NBYTES = 4096
THOUSAND = 1000
MANY = 20_000  # enough turns that starting four threads takes a small share
REFERENCE = "torch.empty(4096, dtype=torch.uint8)"


def caching(driver: HostDriver | SimulatedDriver) -> Loop:
    """Return a loop of the pair on this driver, which is called only for the first block."""
    allocator = CachingAllocator(driver)
    kept = [allocator.allocate(97 * n) for n in range(1, 2000)]
    del kept[::2]  # makes idle blocks of many sizes to choose from

    def loop(times):
        allocate, alive = allocator.allocate, kept
        for _ in times:
            allocate(NBYTES).free()
        del alive

    return loop


PAIRS = """
#include "facula_allocator.h"
int pairs(facula_functions *at, long times, long nbytes)
{
    facula_memory memory;
    for (long i = 0; i < times; i++) {
        if (at->allocate(at, nbytes, 0, &memory))
            return -1;
        at->free(at, &memory);
    }
    return 0;
}
"""


def compiled() -> ctypes.PyDLL:
    """Return a library with the function `pairs`, which holds the GIL as its callers in extension modules do."""
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "pairs.c"), os.path.join(folder, "pairs.so")
    with open(source, "w") as file:
        file.write(PAIRS)
    compiler = (sysconfig.get_config_var("CC") or "gcc").split()
    subprocess.run([*compiler, "-O2", "-shared", "-fPIC", f"-I{get_include()}", source, "-o", library], check=True)
    return ctypes.PyDLL(library)


def in_c() -> Loop:
    """Return a loop of the pair called from C, a thousand times a call, which a row counts as operators."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = c_functions(CachingAllocator(HostDriver()))
    at = ctypes.c_void_p(pointer_of(table, b"facula_allocator.functions"))
    library = compiled()

    def loop(times):
        pairs, alive = library.pairs, table
        for _ in times:
            pairs(at, THOUSAND, NBYTES)
        del alive

    return loop


def thousand_empty_tensors() -> Loop:
    def loop(times):
        empty, dtype, thousand = torch.empty, torch.uint8, range(THOUSAND)
        for _ in times:
            for _ in thousand:
                empty(NBYTES, dtype=dtype)

    return loop


def in_threads(make) -> Loop:
    """Return a loop that runs the loop of `make` in four threads, which share the turns."""
    one = make()

    def loop(times):
        threads = [Thread(target=one, args=(times,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return loop


def taking() -> Loop:
    allocator = HostAllocator()
    allocator.refill(NBYTES)[1]()

    def loop(times):
        take_for = allocator.take_for
        for _ in times:
            take_for(NBYTES)()[1]()

    return loop


def empty_tensor() -> Loop:
    def loop(times):
        empty, dtype = torch.empty, torch.uint8
        for _ in times:
            empty(NBYTES, dtype=dtype)

    return loop


HOST, SIMULATED = partial(caching, HostDriver()), partial(caching, SimulatedDriver(1 << 34))
FOUR_EMPTY = partial(in_threads, empty_tensor)
rows = [
    Row("pair in C, host, other: empty", in_c, thousand_empty_tensors, None, REFERENCE, per=THOUSAND),
    Row("allocate and free, host, other: empty", HOST, empty_tensor, None, REFERENCE),
    Row("allocate and free, simulated device, other: empty", SIMULATED, empty_tensor, None, REFERENCE),
    Row("take and release, HostAllocator, other: empty", taking, empty_tensor, None, REFERENCE),
    Row("allocate and free, host, four threads", partial(in_threads, HOST), FOUR_EMPTY, None, REFERENCE, count=MANY),
    Row(
        "take and release, HostAllocator, four threads",
        partial(in_threads, taking),
        FOUR_EMPTY,
        None,
        REFERENCE,
        count=MANY,
    ),
]
