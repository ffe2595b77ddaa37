"""Arenas: shared memory that is divided into blocks.

The process that creates an arena allocates its blocks; other processes map the arena and access a block by its offset.
Each process maps the whole arena once; only allocated blocks are reserved.

Note [Idle pages]
~~~~~~~~~~~~~~~~~
Freed blocks are reused first, because fresh pages cost several times as much as a copy into old ones. Their pages
therefore stay reserved, but not forever. If the idle pages exceed the peak use of the last seconds by more than
MAX_IDLE bytes, the arena returns the excess to the kernel (MADV_REMOVE): large blocks, and steps of small blocks that
are idle as a whole. It also returns all idle pages before it raises an error for lack of memory. The returned pages
become gaps in the file, which are reserved again when blocks of any size use them.
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
from .memory import SUFFICIENT_FACTOR, create, give_back, headroom, largest_file, reserve
from .room import Room

if TYPE_CHECKING:
    from collections.abc import Callable

    class Duplicate(Protocol):
        """A descriptor that is being sent to a new process."""

        def detach(self) -> int: ...


ALIGNMENT = 64  # bytes: a cache line, the best alignment for kernels
PAGE = mmap.PAGESIZE
STEP = 1 << 20  # small blocks are cut from steps of this size
MIN_CAPACITY = 64 << 20
MAX_IDLE = 64 << 20  # bytes that may stay idle
IDLE_INTERVAL = 1.0  # seconds; memory that was not in use for two such intervals is idle
# Before Python 3.13 a mapping duplicates the descriptor, so an arena uses two.
_NO_COPY = {"trackfd": False} if sys.version_info >= (3, 13) else {}


def capacity_for(share: float) -> int:
    """Return the capacity for an arena: a share of the available memory, within 64 MiB and the file size limit."""
    left = headroom(enough=SUFFICIENT_FACTOR * MIN_CAPACITY)
    wanted = MIN_CAPACITY if left is None else max(MIN_CAPACITY, int(left * share))
    limit = largest_file()
    return (wanted if limit is None else max(PAGE, min(wanted, limit))) // PAGE * PAGE


class Arena:
    """Shared memory of `capacity` bytes, of which only allocated blocks are reserved.

    Arguments:
        capacity: the size in bytes, rounded up to pages.
        apart: the number of bytes at the start that are not used for blocks, for the caller to reserve; a multiple of
            the page size.
        fd: the descriptor of an empty file, which the arena takes over; by default a new file.

    Raises:
        SharedMemoryError: a file or a mapping of this size is impossible.

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
        """Map the arena of another process.

        Arguments:
            fd: its descriptor, which the new object takes over.
            capacity: the capacity with which it was created.
            apart: the value with which it was created.
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
        self._sizes: dict[int, int] = {}  # of the allocated blocks, by offset
        self._steps: list[tuple[int, int]] = []  # the steps from which small blocks are cut: sorted offsets and lengths
        self._peaks, self._since = (0, 0), monotonic()  # peak use, before and after that time

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if hasattr(self, "fd"):
            close(self.fd)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        context.assert_spawning(self)  # elsewhere a handle is sent, not the arena
        return _attached, (reduction.DupFd(self.fd), self.capacity, self._apart)

    def bytes_at(self, offset: int, nbytes: int) -> np.ndarray:
        """Return the bytes of a block as an array, which does not keep the block allocated."""
        return self._memory[offset : offset + nbytes]

    def offset_of(self, address: int) -> int | None:
        """Return the offset of an address in the arena, or None if it is outside."""
        offset = address - self.address
        return offset if 0 <= offset < self.capacity else None

    def take(self, nbytes: int) -> int:
        """Allocate a block of at least `nbytes` and return its offset; freed blocks of the size are reused.

        Raises:
            SharedMemoryError: the arena is full, or no memory is left. The arena is then unchanged.
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
        """Return whether a block for `nbytes` is available without reserving more memory."""
        return bool(self._free.get(size_class(nbytes)))

    def give(self, offset: int) -> None:
        """Free a block that has no readers left."""
        size = self._sizes.pop(offset)
        self.taken -= size
        self._free.setdefault(size, []).append(offset)
        if self.reserved - self.taken > MAX_IDLE:
            self.tidy()

    def tidy(self) -> None:
        """Return excess idle pages that were not used recently to the kernel. Note [Idle pages]."""
        if self.reserved - self.taken <= MAX_IDLE:
            return
        now = monotonic()
        if now < self._since + IDLE_INTERVAL:
            return
        self._peaks = self._peaks[1] if now < self._since + 2 * IDLE_INTERVAL else self.taken, self.taken
        self._since = now
        excess = self.reserved - max(self._peaks) - MAX_IDLE
        if excess > 0:
            self.give_back(excess)

    def give_back(self, wanted: int | None = None) -> int:
        """Return idle pages to the kernel.

        Arguments:
            wanted: the number of bytes; the result may be somewhat larger, or smaller if fewer are idle. None returns
                all.

        Returns:
            The number of bytes returned.
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
                self._free[size] = [
                    address for address in self._free[size] if self._step_of(address, size) not in given
                ]
                self._steps = [(start, length) for start, length in self._steps if start not in given]
        return before - self.reserved

    def _idle(self, size: int) -> list[tuple[int, int]]:
        """Return the offsets and lengths of wholly idle ranges, among blocks of one size."""
        if size > STEP:
            return [(start, size) for start in self._free[size]]
        idle = Counter(self._step_of(offset, size) for offset in self._free[size])
        return [(start, length) for start, length in self._steps if idle[start] == length // size]

    def _step_of(self, offset: int, size: int) -> int:
        """Return the start of the step from which a block was cut, or the block's own offset if it is large."""
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
                        f"shared memory: an arena of {self.capacity} bytes is full; {nbytes} more were requested",
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
    """Return the size of the block for `nbytes`: there are four sizes per power of two.

    >>> [size_class(n) for n in (0, 64, 65, 100, 1000, 1 << 20)]
    [64, 64, 128, 128, 1024, 1048576]
    """
    if nbytes <= ALIGNMENT:
        return ALIGNMENT
    step = max(ALIGNMENT, 1 << max(0, (nbytes - 1).bit_length() - 3))
    return -(-nbytes // step) * step


def _attached(descriptor: Duplicate, capacity: int, apart: int) -> Arena:
    """Map the arena of another process in this one."""
    return Arena.over(descriptor.detach(), capacity, apart)
