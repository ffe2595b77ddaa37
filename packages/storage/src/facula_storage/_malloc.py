"""The plainest allocator: a call, a block of the C library's. What `storage` uses alone; siblings bring better ones."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING

from facula_errors import NoMemoryError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable

_ALIGNMENT = 64
_LARGEST = (1 << 63) - 1


class _Block:
    """Memory that is freed with this object: the slot `__del__` holds a C callable, as that of a Storage does."""

    __slots__ = ("__del__", "nbytes")

    __del__: Callable[[], object]
    nbytes: int


@boundary
class MallocAllocator:
    """Host memory, aligned to 64 bytes, straight from the C library; nothing is kept in reserve.

    A block has exactly the size asked for, so that memory checkers see the first byte beyond it.

    >>> allocator = MallocAllocator()
    >>> address, release = allocator.refill(100)
    >>> address % 64, allocator.statistics()["allocated_blocks"]
    (0, 1)
    >>> _ = release()
    >>> allocator.statistics()["allocated_bytes"]
    0
    """

    def __init__(self) -> None:
        # PyDLL: these calls are too short to give the GIL away, and a release happens inside finalisers.
        library = ctypes.PyDLL(None)
        self._allocate = library.memalign  # unlike aligned_alloc it takes any size
        self._allocate.argtypes, self._allocate.restype = (ctypes.c_size_t, ctypes.c_size_t), ctypes.c_void_p
        self._free = library.free
        self._free.argtypes, self._free.restype = (ctypes.c_void_p,), None
        self._live: dict[int, _Block] = {}

    def take_for(self, nbytes: int) -> Callable[[], tuple[int, Callable[[], object]]]:
        """A function that gives one block of `nbytes`."""
        return partial(self.refill, nbytes)

    def refill(self, nbytes: int) -> tuple[int, Callable[[], object]]:
        """One block of `nbytes`; MemoryError when the system has none. Address 0 for 0 bytes."""
        if not nbytes:
            return 0, int
        address = self._allocate(_ALIGNMENT, nbytes) if 0 < nbytes <= _LARGEST else None
        if not address:
            raise NoMemoryError(
                f"refill: cannot allocate {nbytes} bytes of host memory; free some, or work in smaller pieces"
            ) from None
        block = _Block()
        block.__del__, block.nbytes = partial(self._free, address), nbytes
        self._live[address] = block
        # C all the way: leaving the table is what ends the block, and the address is free only after that.
        release = partial(self._live.pop, address, None)
        release.nbytes = nbytes  # type: ignore[attr-defined]
        return address, release

    def statistics(self) -> dict[str, int]:
        """Live bytes and blocks, exactly."""
        sizes = [block.nbytes for block in list(self._live.values())]
        return {"allocated_bytes": sum(sizes), "allocated_blocks": len(sizes), "reserved_bytes": sum(sizes)}

    def trim(self) -> int:
        """Nothing is kept, so nothing is given back: 0."""
        return 0

    def tidy(self) -> int:
        """The same: 0."""
        return 0
