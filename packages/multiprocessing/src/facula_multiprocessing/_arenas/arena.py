"""An arena: one piece of shared memory, and blocks in it.

Whoever makes an arena gives out its blocks; the others map it and read what is in a block by its offset. It is mapped
in whole, once a process; only the blocks that were given out are reserved.

Note [Idle pages]
~~~~~~~~~~~~~~~~~
Blocks that were given back are used again first, as fresh pages cost several times what a copy into old ones does. So
their pages stay, but not for ever: beyond the most that was taken in the last seconds and IDLE bytes, the kernel gets
them back (MADV_REMOVE), large blocks and steps of small ones of which all are idle. It also gets all of them before
there is an error for want of memory. What is left of them are gaps in the file, which are reserved once more when they
are used, by blocks of any size.
"""

from __future__ import annotations

import mmap
import os
import sys
from bisect import bisect_right, insort
from collections import Counter
from errno import EMFILE
from multiprocessing import context, reduction
from time import monotonic
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .._errors import SharedMemoryError
from .memory import MUCH, create, give_back, headroom, largest_file, reserve
from .room import Room

if TYPE_CHECKING:
    from collections.abc import Callable

    class Duplicate(Protocol):
        """A descriptor on its way to a process that is being started."""

        def detach(self) -> int: ...


ALIGNMENT = 64  # bytes: a cache line, and what kernels like best
PAGE = mmap.PAGESIZE
STEP = 1 << 20  # small blocks are cut from steps of so much
LEAST_CAPACITY = 64 << 20
IDLE = 64 << 20  # bytes that may stay idle
QUIET = 1.0  # seconds; what was not taken for two of these is idle
# Before Python 3.13 a mapping has a copy of the descriptor, so that an arena has two.
_NO_COPY = {"trackfd": False} if sys.version_info >= (3, 13) else {}


def capacity_for(share: float) -> int:
    """Room for an arena: a share of the memory that is left, at least 64 MiB, and no larger than a file may be."""
    left = headroom(enough=MUCH * LEAST_CAPACITY)
    wanted = LEAST_CAPACITY if left is None else max(LEAST_CAPACITY, int(left * share))
    limit = largest_file()
    return (wanted if limit is None else max(PAGE, min(wanted, limit))) // PAGE * PAGE


class Arena:
    """Shared memory with room for `capacity` bytes, of which what is given out is reserved.

    Arguments:
        capacity: bytes, rounded up to pages.
        apart: bytes at the start that no block is made of, for the caller to reserve; a whole number of pages.
        fd: of an empty file for it, the arena's from now on; by default a new one.

    Raises:
        SharedMemoryError: there can be no file or no mapping so large.

    >>> arena = Arena(1 << 20)
    >>> place = arena.take(12)
    >>> arena.bytes_at(place, 12)[:] = 7
    >>> arena.bytes_at(place, 3)
    array([7, 7, 7], dtype=uint8)
    """

    __slots__ = (
        "__weakref__",
        "_apart",
        "_free",
        "_mapping",
        "_memory",
        "_peaks",
        "_room",
        "_since",
        "_sizes",
        "_steps",
        "address",
        "capacity",
        "fd",
        "reserved",
        "taken",
    )

    fd: int
    capacity: int
    address: int
    reserved: int
    taken: int

    def __init__(self, capacity: int, apart: int = 0, fd: int | None = None) -> None:
        capacity = -(-capacity // PAGE) * PAGE
        self._map(create(capacity, fd), capacity, apart)

    @classmethod
    def over(cls, fd: int, capacity: int, apart: int = 0) -> Arena:
        """The arena of another process.

        Arguments:
            fd: its descriptor, which is the arena's from now on.
            capacity: as it was made with.
            apart: as it was made with.
        """
        arena = cls.__new__(cls)
        arena._map(fd, capacity, apart)
        return arena

    def _map(self, fd: int, capacity: int, apart: int) -> None:
        try:
            self._mapping = mmap.mmap(fd, capacity, mmap.MAP_SHARED, **_NO_COPY)
        except OSError as error:
            os.close(fd)
            remedy = "close files, or raise `ulimit -n`" if error.errno == EMFILE else "raise `ulimit -v`"
            raise SharedMemoryError(
                f"shared memory: cannot map {capacity} bytes ({error.strerror}); {remedy}", capacity
            ) from None
        self.fd, self.capacity, self.reserved, self.taken = fd, capacity, 0, 0
        self._memory = np.frombuffer(self._mapping, np.uint8)
        self.address = self._memory.ctypes.data
        self._room, self._apart = Room(apart, capacity), apart
        self._free: dict[int, list[int]] = {}
        self._sizes: dict[int, int] = {}  # of the blocks that are taken, by offset
        self._steps: list[tuple[int, int]] = []  # what small blocks were cut from: offsets and lengths, in order
        self._peaks, self._since = (0, 0), monotonic()  # the most that was taken, before and since then

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if hasattr(self, "fd"):
            close(self.fd)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        context.assert_spawning(self)  # elsewhere a handle goes, not the arena
        return _attached, (reduction.DupFd(self.fd), self.capacity, self._apart)

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
            length = -(-max(size, min(STEP, self._room.largest)) // PAGE) * PAGE
            start = self._grow(length)
            insort(self._steps, (start, length))
            offset, *others = range(start, start + length - size + 1, size)
            self._free.setdefault(size, []).extend(reversed(others))
        self._sizes[offset] = size
        self.taken += size
        if self.taken > self._peaks[1]:
            self._peaks = self._peaks[0], self.taken
        return offset

    def has(self, nbytes: int) -> bool:
        """Whether there is a block for `nbytes` without reserving more."""
        return bool(self._free.get(size_class(nbytes)))

    def give(self, offset: int) -> None:
        """Take back a block that nobody reads any more."""
        size = self._sizes.pop(offset)
        self.taken -= size
        self._free.setdefault(size, []).append(offset)
        if self.reserved - self.taken > IDLE:
            self.tidy()

    def tidy(self) -> None:
        """Give idle pages back, if there are many and they were not used lately. Note [Idle pages]."""
        if self.reserved - self.taken <= IDLE:
            return
        now = monotonic()
        if now < self._since + QUIET:
            return
        self._peaks = self._peaks[1] if now < self._since + 2 * QUIET else self.taken, self.taken
        self._since = now
        excess = self.reserved - max(self._peaks) - IDLE
        if excess > 0:
            self.give_back(excess)

    def give_back(self, wanted: int | None = None) -> int:
        """Give idle pages back to the kernel.

        Arguments:
            wanted: bytes; somewhat more or, where fewer are idle, less is given. None for all.

        Returns:
            How many bytes it were.
        """
        before = self.reserved
        for size in sorted(self._free, reverse=True):
            given = set()
            for start, length in self._idle(size):
                if wanted is not None and before - self.reserved >= wanted:
                    break
                if give_back(self._mapping, start, length):
                    self._room.free(start, length)
                    self.reserved -= length
                    given.add(start)
            if given:
                self._free[size] = [one for one in self._free[size] if self._step_of(one, size) not in given]
                self._steps = [(start, length) for start, length in self._steps if start not in given]
        return before - self.reserved

    def _idle(self, size: int) -> list[tuple[int, int]]:
        """Offsets and lengths of what is idle in whole, of blocks of one size."""
        if size > STEP:
            return [(start, size) for start in self._free[size]]
        idle = Counter(self._step_of(offset, size) for offset in self._free[size])
        return [(start, length) for start, length in self._steps if idle[start] == length // size]

    def _step_of(self, offset: int, size: int) -> int:
        """Where a step begins that a block was cut from; the block itself, if it is large."""
        if size > STEP:
            return offset
        return self._steps[bisect_right(self._steps, (offset, self.capacity)) - 1][0]

    def _grow(self, nbytes: int) -> int:
        length = -(-nbytes // PAGE) * PAGE
        while True:
            try:
                start = self._room.find(length)
                if start is None:
                    raise SharedMemoryError(
                        f"shared memory: an arena of {self.capacity} bytes is full; {nbytes} more were asked for",
                        nbytes,
                        self._room.largest,
                    )
                reserve(self.fd, start, length)
            except SharedMemoryError:
                if not self.give_back():
                    raise
            else:
                self._room.use(start, length)
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


def _attached(descriptor: Duplicate, capacity: int, apart: int) -> Arena:
    """The arena of another process, in this one."""
    return Arena.over(descriptor.detach(), capacity, apart)
