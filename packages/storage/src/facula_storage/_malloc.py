"""A simple allocator: one call of the C library per block. The default of `storage`; siblings provide better ones."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING

from facula_errors import NoMemoryError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable

_ALIGNMENT = 64
_MAX_BYTES = (1 << 63) - 1


class _Block:
    """Memory that is freed with this object: its slot `__del__` contains a C callable, as in a Storage."""

    __slots__ = ("__del__", "nbytes")

    __del__: Callable[[], object]
    nbytes: int


@boundary
class MallocAllocator:
    """Host memory, aligned to 64 bytes, directly from the C library; freed blocks are not cached.

    A block has exactly the requested size, so that memory checkers detect accesses beyond it.

    >>> allocator = MallocAllocator()
    >>> address, release = allocator.refill(100)
    >>> address % 64, allocator.statistics()["allocated_blocks"]
    (0, 1)
    >>> _ = release()
    >>> allocator.statistics()["allocated_bytes"]
    0
    """

    def __init__(self) -> None:
        # PyDLL: these calls are too short to release the GIL, and blocks are released inside finalizers.
        library = ctypes.PyDLL(None)
        self._allocate = library.memalign  # accepts any size, unlike aligned_alloc
        self._allocate.argtypes, self._allocate.restype = (ctypes.c_size_t, ctypes.c_size_t), ctypes.c_void_p
        self._free = library.free
        self._free.argtypes, self._free.restype = (ctypes.c_void_p,), None
        self._live: dict[int, _Block] = {}

    def take_for(self, nbytes: int) -> Callable[[], tuple[int, Callable[[], object]]]:
        """Return a function that returns one block of `nbytes`."""
        return partial(self.refill, nbytes)

    def refill(self, nbytes: int) -> tuple[int, Callable[[], object]]:
        """Return one block of `nbytes`; raise MemoryError if the system has none. Address 0 for 0 bytes."""
        if not nbytes:
            return 0, int
        address = self._allocate(_ALIGNMENT, nbytes) if 0 < nbytes <= _MAX_BYTES else None
        if not address:
            raise NoMemoryError(
                f"refill: cannot allocate {nbytes} bytes of host memory; free some, or work in smaller pieces"
            ) from None
        block = _Block()
        block.__del__, block.nbytes = partial(self._free, address), nbytes
        self._live[address] = block
        # Only C code: removal from the table ends the block, and its memory is freed only after that.
        release = partial(self._live.pop, address, None)
        release.nbytes = nbytes  # type: ignore[attr-defined]
        return address, release

    def statistics(self) -> dict[str, int]:
        """Return the exact number of allocated bytes and blocks."""
        sizes = [block.nbytes for block in list(self._live.values())]
        return {"allocated_bytes": sum(sizes), "allocated_blocks": len(sizes), "reserved_bytes": sum(sizes)}

    def trim(self, keep: int = 0) -> int:
        """Return 0: there is no cached memory."""
        return 0

    def tidy(self) -> int:
        """Return 0: there is no cached memory."""
        return 0
