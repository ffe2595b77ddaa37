"""Blocks of arenas that this process looks at: when nothing does any more, and what a fork changes.

Note [The last view]
~~~~~~~~~~~~~~~~~~~~
A block may be written again only when nothing looks at it. Everything that looks at an array's memory refers to the
array's base: slices, memoryviews, views by ctypes, capsules of DLPack, tensors. So the base is a `Block`, whose
`__del__` is a slot with a C function, `deque.append`: no Python code runs at a moment that the program did not choose,
and nothing there can fail or be interrupted. What was appended is read later, when blocks are wanted. An address by
itself (`data_ptr()`, `array.ctypes.data`) holds nothing.

Note [Blocks and forks]
~~~~~~~~~~~~~~~~~~~~~~~
A forked child has its parent's blocks, mapped at the same addresses, and its `Block`s. Were one of those dropped
there, the parent's would be released; were the parent to drop its own, the child would look at what is written next.
So in the child these blocks count nothing, and in the parent they are released when they were dropped and the child
has ended (`_forks.py`).
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import RLock, get_ident
from typing import TYPE_CHECKING, TypeVar
from weakref import ref

import numpy as np

from ._forks import Forks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ._arena import Arena


class Block:
    """Memory of an arena, as the base of all arrays over it. It holds the arena.

    Arguments:
        arena: that it lies in.
        offset: where it begins there.
        nbytes: its size.
        release: what `__del__` calls: a C function, or a partial of one.
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
        """Its bytes."""
        return np.asarray(self)


AnyBlock = TypeVar("AnyBlock", bound=Block)


class _Looked:
    """The blocks that this process looks at, by address."""

    __slots__ = ("at", "lock", "sweep_at")

    def __init__(self) -> None:
        self.at: dict[int, ref[Block]] = {}  # dead ones among them
        self.lock, self.sweep_at = RLock(), 64  # within a sweep a finaliser may note a block

    def add(self, block: Block) -> None:
        with self.lock:
            if len(self.at) >= self.sweep_at:
                for address, one in list(self.at.items()):
                    if one() is None and self.at.get(address) is one:
                        del self.at[address]
                self.sweep_at = max(64, 2 * len(self.at))
            self.at[block.address] = ref(block)

    def alive(self) -> list[Block]:
        return [block for one in list(self.at.values()) if (block := one()) is not None]


_looked = _Looked()
_forks = Forks()
_starting: set[int] = set()  # the threads in which a worker is being started


def note(block: AnyBlock) -> AnyBlock:
    """The block itself, which forks and `block_at` are told of from now on."""
    _looked.add(block)
    return block


def block_at(address: int) -> Block | None:
    """The block that begins at an address; None where none does."""
    found = _looked.at.get(address)
    return None if found is None else found()


def settle() -> None:
    """Release blocks that were dropped here and that no forked child looks at any more."""
    _forks.settle()


@contextmanager
def starting_workers() -> Iterator[None]:
    """Let a fork within be of a worker, which looks at none of its parent's blocks."""
    _starting.add(get_ident())
    try:
        yield
    finally:
        _starting.discard(get_ident())


def _before_fork() -> None:
    if get_ident() not in _starting:
        _forks.before(_looked.alive())


def _after_in_parent() -> None:
    _forks.in_parent()


def _after_in_child() -> None:
    global _forks, _looked
    inherited, _looked = _looked, _Looked()
    for block in inherited.alive():
        block.__del__ = int
        _looked.add(block)
    _forks.in_child()
    _forks = Forks()
    _starting.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
