"""Helpers of the tests: the memory of blocks, and a garbage collection in another thread."""

import ctypes
import gc
import threading
import time
from contextlib import contextmanager


def write(address, nbytes, byte):
    """Fill the block with one byte value."""
    ctypes.memset(address, byte, nbytes)


def holds(address, nbytes, byte):
    """Return whether every byte of the block has this value."""
    return ctypes.string_at(address, nbytes) == bytes([byte]) * nbytes


def take(allocator, nbytes):
    """Take a block as an operator does: first by the fast path, then by `refill`."""
    try:
        return allocator.take_for(nbytes)()
    except IndexError:
        return allocator.refill(nbytes)


@contextmanager
def collection_in_another_thread():
    """Run the body while another thread's garbage collection waits in a finaliser, and perhaps longer."""
    begun = threading.Event()

    class Slow:
        def __del__(self):
            begun.set()
            time.sleep(0.03)

    cycle = [Slow()]
    cycle.append(cycle)
    del cycle
    collector = threading.Thread(target=gc.collect)
    collector.start()
    begun.wait()
    try:
        yield
    finally:
        collector.join()
