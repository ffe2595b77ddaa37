"""Helpers for the tests: reading and writing the memory of a block."""

import ctypes


def write(address, nbytes, byte):
    """Fill the block with one byte value."""
    ctypes.memset(address, byte, nbytes)


def holds(address, nbytes, byte):
    """Whether every byte of the block has this value."""
    return ctypes.string_at(address, nbytes) == bytes([byte]) * nbytes


def take(allocator, nbytes):
    """A block the way an operator gets it: the quick way, then the sure one."""
    try:
        return allocator.take_for(nbytes)()
    except IndexError:
        return allocator.refill(nbytes)
