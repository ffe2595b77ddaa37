"""Messages with arrays in an arena: the pipe transports only their locations.

Pickle protocol 5 passes the memory of arrays out-of-band. Memory in the sender's arena is replaced by its offset; other
memory is copied into a block, unless it is so small that the pipe is as fast.
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
    """A writer of arrays in an arena and of messages about them, for one batch after another.

    `empty` allocates arrays for the current batch; `encode` completes it. If the arena is full, arrays are ordinary
    ones and go through the pipe; `overflowed` counts the blocks for which the arena had no room.
    """

    __slots__ = ("_arena", "_open", "overflowed")

    overflowed: int

    def __init__(self, arena: Arena) -> None:
        self._arena, self.overflowed = arena, 0
        self._open: set[int] = set()

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return an array over a new block of the arena, or an ordinary array if none is available."""
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
        """Return a message as bytes, and the blocks to which it refers, in the order of its buffers.

        Blocks that were allocated for the message but are not part of it are freed.
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
                if offset not in opened or offset in used:  # outside of the arena, or a second view of a block
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
    """Decode a message with its arrays over the blocks; each block is held as long as a view of it exists.

    Arguments:
        data: the message, encoded by `Writer.encode`.
        blocks: the blocks to which it refers.
        leases: this process's leases of the sender's arena.
    """
    return pickle.loads(data, buffers=[leases.array(offset, nbytes) for offset, nbytes in blocks])
