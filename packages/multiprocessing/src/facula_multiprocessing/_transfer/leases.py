"""Leases: arrays over blocks of another process, and detection of the end of their last view."""

from __future__ import annotations

from collections import deque
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING

from .blocks import Block, note, settle

if TYPE_CHECKING:
    import numpy as np

    from .._arenas.arena import Arena


class Leases:
    """The blocks of one arena that this process reads. Note [The last view].

    >>> from facula_multiprocessing.extend import Arena
    >>> arena = Arena(1 << 20)
    >>> leases = Leases(arena)
    >>> part = leases.array(arena.take(8), 8)[2:]
    >>> leases.gone()
    []
    >>> del part
    >>> leases.gone()
    [0]
    """

    __slots__ = ("_arena", "_gone", "_held", "_lock")

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._held: dict[int, int] = {}  # the number of leases of a block, by offset
        self._gone: deque[int] = deque()
        self._lock = RLock()

    def __len__(self) -> int:
        """Return the number of blocks that are in use, or whose end was not reported yet."""
        return len(self._held)

    def array(self, offset: int, nbytes: int) -> np.ndarray:
        """Return the bytes of a block as an array; the block is held as long as a view of it exists."""
        with self._lock:
            self._held[offset] = self._held.get(offset, 0) + 1
        return note(Block(self._arena, offset, nbytes, partial(self._gone.append, offset))).array()

    def gone(self) -> list[int]:
        """Return the offsets of the blocks that lost their last view since the last call, here or in a forked child."""
        settle()
        found = []
        with self._lock:
            while self._gone:
                offset = self._gone.popleft()
                self._held[offset] -= 1
                if not self._held[offset]:
                    del self._held[offset]
                    found.append(offset)
        return found
