"""Copies of the records of other machines' ranks on the board of node 0, which finds late ranks there.

All boards of a run have the same layout. A launcher sends the pages that its own ranks write, if they have changed.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from facula_multiprocessing.extend import reserve

from .._shm import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._board.board import Board

_HEAD = struct.Struct("=II")  # the numbers of groups of both kinds
_OFFSET = struct.Struct("=Q")


class Mirror:
    """The pages of the ranks of this machine, and copies of the others'.

    Arguments:
        board: the board of this machine.
        own: the ranks of this machine.
    """

    def __init__(self, board: Board, own: Sequence[int]) -> None:
        self._board, self._own = board, own
        self._sent: dict[int, bytes] = {}
        self._reserved: set[int] = set()

    def changes(self) -> bytes:
        """Return the pages that changed since the last call."""
        board, head = self._board, self._board.head
        offsets = [lib.place_offset(rank) for rank in self._own]
        for group in board.groups():
            offsets += [
                lib.seat_offset(board.world, group, rank) for rank in self._own if board.seat(group, rank).is_member
            ]
        parts = [_HEAD.pack(head.groups, head.local)]
        for offset in offsets:
            page = bytes(ffi.buffer(board.base + offset, lib.PAGE))
            if self._sent.get(offset) != page:
                self._sent[offset] = page
                parts += [_OFFSET.pack(offset), page]
        return zlib.compress(b"".join(parts), 1)

    def apply(self, data: bytes, ranks: Sequence[int], ahead: float) -> None:
        """Copy another machine's pages to the board.

        Arguments:
            data: what its `changes` returned.
            ranks: its ranks.
            ahead: seconds by which this machine's monotonic clock is ahead of its clock.
        """
        pages, board = zlib.decompress(data), self._board
        groups, local = _HEAD.unpack_from(pages)
        board.head.groups, board.head.local = max(board.head.groups, groups), max(board.head.local, local)
        places = {lib.place_offset(rank): rank for rank in ranks}
        first, last = lib.seat_offset(board.world, 0, 0), lib.seat_offset(board.world, lib.GROUPS, 0)
        for start in range(_HEAD.size, len(pages), _OFFSET.size + lib.PAGE):
            (offset,) = _OFFSET.unpack_from(pages, start)
            seat = offset - first
            if offset not in places and (
                not first <= offset < last or seat % lib.PAGE or seat // lib.PAGE % board.world not in ranks
            ):
                continue
            if offset not in places and offset not in self._reserved:
                reserve(board.fd, offset, lib.PAGE)
                self._reserved.add(offset)
            ffi.memmove(board.base + offset, pages[start + _OFFSET.size : start + _OFFSET.size + lib.PAGE], lib.PAGE)
            if offset in places:
                place = board.place(places[offset])
                place.pid = 0  # a process of another machine
                place.since += ahead if place.since else 0
            else:
                for record in ffi.cast("Seat *", board.base + offset).records:
                    record.begun += ahead if record.begun else 0
                    record.ended += ahead if record.ended else 0
