"""Leases: arrays over blocks that another process gives out, and when the last view of each is gone."""

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
    """The blocks of one arena that this process looks at. Note [The last view].

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
        self._held: dict[int, int] = {}  # how many leases a block has, by offset
        self._gone: deque[int] = deque()
        self._lock = RLock()

    def __len__(self) -> int:
        """Blocks that are looked at, or whose end was not asked for yet."""
        return len(self._held)

    def array(self, offset: int, nbytes: int) -> np.ndarray:
        """The bytes of a block as an array; the block is held until the last view of it is gone."""
        with self._lock:
            self._held[offset] = self._held.get(offset, 0) + 1
        return note(Block(self._arena, offset, nbytes, partial(self._gone.append, offset))).array()

    def gone(self) -> list[int]:
        """The offsets of the blocks that nothing looks at since the last call, here or in a forked child."""
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
