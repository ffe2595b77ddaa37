"""Blocks of arenas in use by this process: when the last use ends, and the effects of a fork.

Note [The last view]
~~~~~~~~~~~~~~~~~~~~
A block may be reused only when it has no views left. Every view of an array's memory refers to the array's base:
slices, memoryviews, views by ctypes, capsules of DLPack, tensors. So the base is a `Block`, whose `__del__` is a slot
with a C function, `deque.append`: no Python code runs at a moment that the program did not choose, so a release cannot
fail or be interrupted. The appended entries are read when new blocks are needed. An address alone (`data_ptr()`,
`array.ctypes.data`) does not keep a block in use.

Note [Blocks and forks]
~~~~~~~~~~~~~~~~~~~~~~~
A forked child has its parent's blocks, mapped at the same addresses, and its `Block`s. If dropping one
there released the block, the parent would lose it; if the parent released its own, the child would read later data.
So these blocks are not counted in the child, and the parent releases a dropped block only after the child has ended
(`_transfer/forks.py`).
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import RLock, get_ident
from typing import TYPE_CHECKING, TypeVar
from weakref import ref

import numpy as np

from .forks import Forks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._arenas.arena import Arena


class Block:
    """Memory of an arena, the base of all arrays over it. It keeps the arena alive.

    Arguments:
        arena: the arena that contains it.
        offset: its first byte in the arena.
        nbytes: its size.
        release: the function that `__del__` calls: a C function, or a partial of one.
    """

    __slots__ = ("__array_interface__", "__del__", "__weakref__", "address", "arena", "nbytes", "offset")

    address: int

    def __init__(self, arena: Arena, offset: int, nbytes: int, release: Callable[[], object]) -> None:
        self.__del__ = release
        self.arena, self.offset, self.nbytes = arena, offset, nbytes
        self.address = arena.address + offset
        self.__array_interface__: dict[str, object] = {
            "data": (self.address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }

    def array(self) -> np.ndarray:
        """Return its bytes as an array."""
        return np.asarray(self)


AnyBlock = TypeVar("AnyBlock", bound=Block)


class _BlockTable:
    """The blocks in use by this process, by address."""

    __slots__ = ("at", "lock", "sweep_at")

    def __init__(self) -> None:
        self.at: dict[int, ref[Block]] = {}  # including dead blocks
        self.lock, self.sweep_at = RLock(), 64  # reentrant: a finalizer may register a block during a sweep

    def add(self, block: Block) -> None:
        with self.lock:
            if len(self.at) >= self.sweep_at:
                for address, link in list(self.at.items()):
                    if link() is None and self.at.get(address) is link:
                        del self.at[address]
                self.sweep_at = max(64, 2 * len(self.at))
            self.at[block.address] = ref(block)

    def alive(self) -> list[Block]:
        return [block for link in list(self.at.values()) if (block := link()) is not None]


_block_table = _BlockTable()
_forks = Forks()
_starting: set[int] = set()  # the threads that are starting a worker


def note(block: AnyBlock) -> AnyBlock:
    """Register a block for forks and `block_at`, and return it."""
    _block_table.add(block)
    return block


def block_at(address: int) -> Block | None:
    """Return the block that begins at an address, or None."""
    found = _block_table.at.get(address)
    return None if found is None else found()


def settle() -> None:
    """Release blocks that were dropped in this process and that no forked child uses."""
    _forks.settle()


@contextmanager
def starting_workers() -> Iterator[None]:
    """Treat forks inside the context as workers, which use none of their parent's blocks."""
    _starting.add(get_ident())
    try:
        yield
    finally:
        _starting.discard(get_ident())


def _before_fork() -> None:
    if get_ident() not in _starting:
        _forks.before(_block_table.alive())


def _after_in_parent() -> None:
    _forks.in_parent()


def _renew_blocks() -> None:
    global _forks, _block_table
    inherited, _block_table = _block_table, _BlockTable()
    for block in inherited.alive():
        block.__del__ = int
        _block_table.add(block)
    _forks.in_child()
    _forks = Forks()
    _starting.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_renew_blocks)
