"""Messages whose arrays lie in an arena: what goes through a pipe is where they are.

Pickle's fifth protocol gives out the memory of arrays by itself. Memory that lies in the sender's arena already is
named by its offset; other memory is copied into a block, unless it is so small that the pipe takes it as quickly.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np

from .._errors import SharedMemoryError

if TYPE_CHECKING:
    from .._arenas.arena import Arena
    from .leases import Leases

INLINE = 4096  # bytes: larger memory goes through the arena

Blocks = list[tuple[int, int]]  # offset and bytes


class Writer:
    """Arrays in an arena, and messages about them, for one batch after the other.

    `empty` makes arrays for a batch that is being made; `encode` ends it. Where the arena is full, arrays are ordinary
    ones and travel through the pipe; `overflowed` counts the blocks that there was no room for.
    """

    __slots__ = ("_arena", "_open", "overflowed")

    overflowed: int

    def __init__(self, arena: Arena) -> None:
        self._arena, self.overflowed = arena, 0
        self._open: set[int] = set()

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array over a block of the arena; an ordinary one where there is none."""
        nbytes = dtype.itemsize
        for length in shape:
            nbytes *= length
        if nbytes <= INLINE or dtype.hasobject:
            return np.empty(shape, dtype)
        offset = self._take(nbytes)
        if offset is None:
            return np.empty(shape, dtype)
        return self._arena.bytes_at(offset, nbytes).view(dtype).reshape(shape)

    def encode(self, message: object) -> tuple[bytes, Blocks]:
        """A message as bytes, and the blocks that it refers to, in the order of its buffers.

        Blocks that were made for it and that it does not refer to are free again.
        """
        blocks: Blocks = []
        opened, self._open = self._open, set()
        used: set[int] = set()

        def place(buffer: pickle.PickleBuffer) -> bool:
            with buffer.raw() as memory:
                nbytes = memory.nbytes
                if not nbytes:
                    return True
                source = np.frombuffer(memory, np.uint8)
                offset = self._arena.offset_of(source.ctypes.data)
                if offset not in opened or offset in used:  # elsewhere, or a second view of a block
                    offset = self._take(nbytes) if nbytes > INLINE else None
                    if offset is None:
                        return True  # through the pipe
                    self._arena.bytes_at(offset, nbytes)[:] = source
            used.add(offset)
            blocks.append((offset, nbytes))
            return False

        try:
            data = pickle.dumps(message, 5, buffer_callback=place)
        except BaseException:
            used.clear()
            raise
        finally:
            for offset in (opened | self._open) - used:
                self._arena.give(offset)
            self._open = set()
        return data, blocks

    def _take(self, nbytes: int) -> int | None:
        try:
            offset = self._arena.take(nbytes)
        except SharedMemoryError:
            self.overflowed += 1
            return None
        self._open.add(offset)
        return offset


def decode(data: bytes, blocks: Blocks, leases: Leases) -> object:
    """The message, its arrays over the blocks, each of which is held until the last view of it is gone.

    Arguments:
        data: the message as `Writer.encode` gave it.
        blocks: the blocks that it refers to.
        leases: the leases of the sender's arena, as this process sees it.
    """
    return pickle.loads(data, buffers=[leases.array(offset, nbytes) for offset, nbytes in blocks])
