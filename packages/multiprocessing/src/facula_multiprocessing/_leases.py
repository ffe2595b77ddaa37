"""Leases: arrays over blocks of an arena, and when the last of them is gone.

Note [The last view]
~~~~~~~~~~~~~~~~~~~~
A block may be written again only when nothing looks at it. Everything that looks at an array's memory refers to the
array's base: slices, memoryviews, views by ctypes, capsules of DLPack, tensors. So the base is an object of ours, and
a weak reference to it says when it is gone. The reference's callback is `deque.append`: a C function, so that no
Python code runs at a moment that the program did not choose, and nothing there can fail or be interrupted. What was
appended is read later, when blocks are wanted. An address by itself (`data_ptr()`, `array.ctypes.data`) holds nothing.

A forked child goes on looking at blocks while this process lets go of them. So those that are leased at a fork are
never given back.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING
from weakref import WeakSet, ref

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._arena import Arena

__all__ = ["Leases", "starting_workers"]


class Lease:
    """What an array over a block has as its base. It holds the arena."""

    __slots__ = ("__array_interface__", "__weakref__", "_arena")

    def __init__(self, arena: Arena, offset: int, nbytes: int) -> None:
        self._arena = arena
        self.__array_interface__ = {
            "data": (arena.address + offset, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }


class _Gone(ref):  # type: ignore[type-arg]
    """A weak reference to a lease that knows its block."""

    __slots__ = ("offset",)

    offset: int


class Leases:
    """The blocks of one arena that this process looks at.

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

    __slots__ = ("__weakref__", "_arena", "_gone", "_held")

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._held: dict[int, _Gone] = {}
        self._gone: deque[_Gone] = deque()
        _all.add(self)

    def __len__(self) -> int:
        """Blocks that are looked at, or whose end was not asked for yet."""
        return len(self._held)

    def array(self, offset: int, nbytes: int) -> np.ndarray:
        """The bytes of a block as an array; the block is held until the last view of it is gone."""
        lease = Lease(self._arena, offset, nbytes)
        gone = _Gone(lease, self._gone.append)
        gone.offset = offset
        self._held[offset] = gone
        return np.asarray(lease)

    def gone(self) -> list[int]:
        """The offsets of the blocks that nothing looks at since the last call."""
        found = []
        while self._gone:
            one = self._gone.popleft()
            if self._held.get(one.offset) is one:
                del self._held[one.offset]
                found.append(one.offset)
        return found

    def retire(self) -> None:
        """Never say of the blocks that are held now that they are gone."""
        ended = {id(one) for one in self._gone}
        self._held = {offset: one for offset, one in self._held.items() if id(one) in ended}


_all: WeakSet[Leases] = WeakSet()
starting: set[int] = set()  # the threads in which a worker is being started


@contextmanager
def starting_workers() -> Iterator[None]:
    """Let a fork within be of a worker, which looks at none of its parent's blocks."""
    starting.add(get_ident())
    try:
        yield
    finally:
        starting.discard(get_ident())


def _retire_all() -> None:
    if get_ident() not in starting:
        for leases in list(_all):
            leases.retire()


os.register_at_fork(before=_retire_all)
