"""Messages between processes of one machine: letters in shared memory.

A message is a letter (`_board/letters.py`): a head, and its parts, each at a multiple of 64 bytes. Only processes of
the same user can write letters, so only their pickles are read.
"""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING

from .._shm import ffi
from .transport import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._board.member import Member
    from .transport import Part

_HEAD = struct.Struct("=BQQ")  # kind, number, how many parts
_ALIGNMENT = 64
_SETTLING_SECONDS = 0.001


class Mailboxes:
    """The transport in shared memory.

    Arguments:
        member: this process in the group of all workers.
        close: called at the end.
    """

    def __init__(self, member: Member, close: Callable[[], object]) -> None:
        self.rank, self.size, self._close = member.world.rank, member.world.size, close
        self.address = ""
        self._member, self._letters = member, member.new_letters()
        self._others = [rank for rank in range(self.size) if rank != self.rank]

    def connect(self, addresses: Sequence[str]) -> None:
        """Do nothing: the members of a group know each other."""

    def post(self, rank: int, kind: int, number: int, parts: Sequence[Part] = ()) -> None:
        """Copy a message to a block of shared memory, and tell its receiver."""
        views = [memoryview(part).cast("B") for part in parts]
        lengths = [view.nbytes for view in views]
        head = _HEAD.pack(kind, number, len(parts)) + struct.pack(f"={len(parts)}Q", *lengths)
        gaps = [bytes(-length % _ALIGNMENT) for length in (len(head), *lengths)]
        data = b"".join([head, *(one for both in zip(gaps, views, strict=False) for one in both)])
        address = int(ffi.cast("uintptr_t", ffi.from_buffer(data)))
        self._letters.post("rpc", rank, 0, ffi.new("Envelope *"), address, len(data))

    def receive(self) -> Message | None:
        """Return the next message; wait for it for some milliseconds at most."""
        seen = self._letters.bell()
        found = self._letters.find(self._others, 0)
        if found is None:
            self._letters.wait_for_bell(seen)
            found = self._letters.find(self._others, 0)
            if found is None:
                return None
        source, letter = found
        data = bytearray(letter.bytes)
        self._letters.take(source, letter, int(ffi.cast("uintptr_t", ffi.from_buffer(data))), len(data))
        kind, number, count = _HEAD.unpack_from(data)
        view, end, parts = memoryview(data), _HEAD.size + 8 * count, []
        for length in struct.unpack_from(f"={count}Q", data, _HEAD.size):
            begin = -(-end // _ALIGNMENT) * _ALIGNMENT
            end = begin + length
            parts.append(view[begin:end])
        return Message(source, kind, number, parts)

    def has_ended(self, rank: int) -> bool:
        """Return whether the process of a rank has ended."""
        return self._member.world.has_ended(rank)

    def settle(self) -> None:
        """Wait until all messages were taken: their memory ends with this process."""
        while any(not self.has_ended(rank) for rank in self._letters.unread()):
            time.sleep(_SETTLING_SECONDS)

    def close(self) -> None:
        """Leave the group of all workers."""
        self._member.leave()
        self._close()
