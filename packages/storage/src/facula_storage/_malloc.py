"""The plainest allocator: one malloc a block. What `storage` uses alone; siblings bring better ones."""

from __future__ import annotations

import ctypes
from functools import partial

_ALIGNMENT = 64


class MallocAllocator:
    """Host memory, aligned to 64 bytes, straight from the C library.

    >>> allocator = MallocAllocator()
    >>> address, release = allocator.refill(100)
    >>> address % 64, allocator.statistics()["allocated_blocks"]
    (0, 1)
    >>> _ = release()
    >>> allocator.statistics()["allocated_bytes"]
    0
    """

    def __init__(self) -> None:
        self._live: dict[int, ctypes.Array] = {}

    def take_for(self, nbytes: int) -> partial:
        """A function that gives one block of `nbytes`."""
        return partial(self.refill, nbytes)

    def refill(self, nbytes: int) -> tuple[int, partial | type[int]]:
        """One block; MemoryError when the system has none."""
        if not nbytes:
            return 0, int
        try:
            memory = (ctypes.c_char * (nbytes + _ALIGNMENT))()
        except (MemoryError, OverflowError, ValueError):
            raise MemoryError(f"cannot allocate {nbytes} bytes of host memory") from None
        address = -(-ctypes.addressof(memory) // _ALIGNMENT) * _ALIGNMENT
        self._live[address] = memory
        return address, partial(self._live.pop, address, None)

    def statistics(self) -> dict[str, int]:
        """Live bytes and blocks; nothing is kept in reserve."""
        sizes = [len(memory) - _ALIGNMENT for memory in list(self._live.values())]
        return {"allocated_bytes": sum(sizes), "allocated_blocks": len(sizes), "reserved_bytes": sum(sizes)}

    def trim(self) -> int:
        """Nothing is kept, so nothing is given back."""
        return 0
