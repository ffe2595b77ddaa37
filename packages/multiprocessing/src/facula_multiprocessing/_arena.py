"""An arena: one piece of shared memory, and blocks in it.

Whoever makes an arena gives out its blocks; the others map it and read what is in a block by its offset. It is mapped
in whole, once a process; only the blocks that were given out are reserved.
"""

from __future__ import annotations

import mmap
import os
import sys
from errno import EMFILE
from multiprocessing import context, reduction
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ._errors import SharedMemoryError
from ._memory import create, headroom, largest_file, reserve

if TYPE_CHECKING:
    from collections.abc import Callable

    class Duplicate(Protocol):
        """A descriptor on its way to a process that is being started."""

        def detach(self) -> int: ...


__all__ = ["Arena", "capacity_for"]

ALIGNMENT = 64  # bytes: a cache line, and what kernels like best
PAGE = mmap.PAGESIZE
STEP = 1 << 20  # small blocks are cut from steps of so much
LEAST_CAPACITY = 64 << 20
# Before Python 3.13 a mapping has a copy of the descriptor, so that an arena has two.
_NO_COPY = {"trackfd": False} if sys.version_info >= (3, 13) else {}


def capacity_for(share: float) -> int:
    """Room for an arena: a share of the memory that is left, at least 64 MiB, and no larger than a file may be."""
    left = headroom()
    wanted = LEAST_CAPACITY if left is None else max(LEAST_CAPACITY, int(left * share))
    limit = largest_file()
    return (wanted if limit is None else max(PAGE, min(wanted, limit))) // PAGE * PAGE


class Arena:
    """Shared memory with room for `capacity` bytes, of which what is given out is reserved.

    Arguments:
        capacity: bytes, rounded up to pages.
        apart: bytes at the start that no block is made of, for the caller to reserve; a whole number of pages.

    Raises:
        SharedMemoryError: there can be no file or no mapping so large.

    >>> arena = Arena(1 << 20)
    >>> place = arena.take(12)
    >>> arena.bytes_at(place, 12)[:] = 7
    >>> arena.bytes_at(place, 3)
    array([7, 7, 7], dtype=uint8)
    """

    __slots__ = ("__weakref__", "_free", "_memory", "_sizes", "_top", "address", "capacity", "fd", "reserved", "taken")

    fd: int
    capacity: int
    address: int
    reserved: int
    taken: int

    def __init__(self, capacity: int, apart: int = 0) -> None:
        capacity = -(-capacity // PAGE) * PAGE
        self._map(create(capacity), capacity)
        self._top = apart

    @classmethod
    def over(cls, fd: int, capacity: int) -> Arena:
        """The arena of another process, by a descriptor that is this one's from now on. It gives out no blocks."""
        arena = cls.__new__(cls)
        arena._map(fd, capacity)
        return arena

    def _map(self, fd: int, capacity: int) -> None:
        try:
            self._memory = np.frombuffer(mmap.mmap(fd, capacity, mmap.MAP_SHARED, **_NO_COPY), np.uint8)
        except OSError as error:
            os.close(fd)
            remedy = "close files, or raise `ulimit -n`" if error.errno == EMFILE else "raise `ulimit -v`"
            raise SharedMemoryError(
                f"shared memory: cannot map {capacity} bytes ({error.strerror}); {remedy}", capacity
            ) from None
        self.fd, self.capacity, self.reserved, self.taken = fd, capacity, 0, 0
        self.address = self._memory.ctypes.data
        self._top = 0
        self._free: dict[int, list[int]] = {}
        self._sizes: dict[int, int] = {}  # of the blocks that are taken, by offset

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if hasattr(self, "fd"):
            close(self.fd)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        context.assert_spawning(self)  # elsewhere a handle goes, not the arena
        return _attached, (reduction.DupFd(self.fd), self.capacity)

    def bytes_at(self, offset: int, nbytes: int) -> np.ndarray:
        """The bytes of a block as an array, which does not hold the block."""
        return self._memory[offset : offset + nbytes]

    def offset_of(self, address: int) -> int | None:
        """Where in the arena an address is; None if elsewhere."""
        offset = address - self.address
        return offset if 0 <= offset < self.capacity else None

    def take(self, nbytes: int) -> int:
        """The offset of a block of at least `nbytes`, reserved; one that was given back, if there is any so large.

        Raises:
            SharedMemoryError: the arena is full, or there is no memory left. Nothing has changed then.
        """
        size = size_class(nbytes)
        free = self._free.get(size)
        if free:
            offset = free.pop()
        elif size > STEP:
            offset = self._grow(size)
        else:
            length = max(size, min(STEP, self.capacity - self._top))
            start = self._grow(length)
            offset, *others = range(start, start + length - size + 1, size)
            self._free.setdefault(size, []).extend(reversed(others))
        self._sizes[offset] = size
        self.taken += size
        return offset

    def has(self, nbytes: int) -> bool:
        """Whether there is a block for `nbytes` without reserving more."""
        return bool(self._free.get(size_class(nbytes)))

    def give(self, offset: int) -> None:
        """Take back a block that nobody reads any more."""
        size = self._sizes.pop(offset)
        self.taken -= size
        self._free.setdefault(size, []).append(offset)

    def _grow(self, nbytes: int) -> int:
        start, length = self._top, -(-nbytes // PAGE) * PAGE
        if start + length > self.capacity:
            raise SharedMemoryError(
                f"shared memory: an arena of {self.capacity} bytes is full; {nbytes} more were asked for",
                nbytes,
                self.capacity - start,
            )
        reserve(self.fd, start, length)
        self._top += length
        self.reserved += length
        return start

    def __repr__(self) -> str:
        return f"<Arena: {self.taken} of {self.reserved} reserved bytes taken, room for {self.capacity}>"


def size_class(nbytes: int) -> int:
    """Bytes of the block that `nbytes` get: four sizes between one power of two and the next.

    >>> [size_class(n) for n in (0, 64, 65, 100, 1000, 1 << 20)]
    [64, 64, 128, 128, 1024, 1048576]
    """
    if nbytes <= ALIGNMENT:
        return ALIGNMENT
    step = max(ALIGNMENT, 1 << max(0, (nbytes - 1).bit_length() - 3))
    return -(-nbytes // step) * step


def _attached(descriptor: Duplicate, capacity: int) -> Arena:
    """The arena of another process, in this one."""
    return Arena.over(descriptor.detach(), capacity)
