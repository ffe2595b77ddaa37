"""Helpers of the tests that read and write the memory of a block."""

import ctypes


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
