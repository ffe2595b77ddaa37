"""Messages from one rank to another.

A sender copies the elements into a block of its arena and posts a letter, so it does not wait for the receiver. The
receiver takes the oldest letter of the group and the tag.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from facula_multiprocessing.extend import new_block, reserve

from .._errors import DistTimeoutError, RankError
from .._shm import ffi, lib
from .._turns import turns
from .lines import write_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .member import Member

_HEAD = 192  # bytes of an envelope, rounded up to whole cache lines
_FULL_SECONDS = 0.002  # between two attempts to post into a full mailbox


class Letters:
    """The messages of a group.

    Arguments:
        member: this rank in the group.
    """

    def __init__(self, member: Member) -> None:
        self._member, self._world = member, member.world
        self._sent: dict[int, Any] = {}  # blocks by letter, until they are taken
        self._mailboxes: set[int] = set()  # the ranks whose mailboxes are reserved

    def post(self, operation: str, target: int, tag: int, envelope: Any, address: int, nbytes: int) -> float:
        """Send `nbytes` to a rank of the group, and return the seconds for which it waited.

        It waits while 255 messages to that rank have not been received.

        Raises:
            RankError: the receiver has ended.
            DistTimeoutError: the receiver takes no messages.
        """
        world, to = self._world, self._member.ranks[target]
        board = world.board
        if to not in self._mailboxes:
            reserve(board.fd, lib.mailbox_offset(world.size, world.rank, to), ffi.sizeof("Mailbox"))
            self._mailboxes.add(to)
        self._release()
        block = new_block(_HEAD + nbytes)
        ffi.memmove(ffi.cast("char *", block.address), envelope, ffi.sizeof("Envelope"))
        ffi.memmove(ffi.cast("char *", block.address + _HEAD), ffi.cast("char *", address), nbytes)
        begun = time.monotonic()
        while True:
            letter = lib.post_letter(board.base, world.rank, to, self._member.group, tag, block.offset, nbytes)
            if letter != ffi.NULL:
                self._sent[int(ffi.cast("uintptr_t", letter))] = block
                return time.monotonic() - begun
            self._check(operation, [target], begun + self._member.timeout)
            if (others := turns()) is None:
                time.sleep(_FULL_SECONDS)
            else:
                others.pause(f"waits in {operation} for a free mailbox")

    def _release(self) -> None:
        for letter in [one for one in self._sent if not lib.is_posted(ffi.cast("Letter *", one))]:
            del self._sent[letter]

    def find(self, sources: Sequence[int], tag: int) -> tuple[int, Any] | None:
        """Return the source, as a rank of the group, and the letter of the oldest message, or None."""
        for source in sources:
            rank = self._member.ranks[source]
            letter = lib.find_letter(self._world.board.base, rank, self._world.rank, self._member.group, tag)
            if letter != ffi.NULL:
                return source, letter
        return None

    def wait(self, operation: str, sources: Sequence[int], tag: int, line: bytes) -> tuple[int, Any]:
        """Return what `find` returns, once there is a message.

        Arguments:
            operation: the beginning of errors.
            sources: the ranks of the group that the message may come from.
            tag: its number.
            line: the program's line, for those who watch.

        Raises:
            RankError: the sender has ended.
            DistTimeoutError: there is no message in time.
        """
        found = self.find(sources, tag)
        if found is not None:
            return found
        board, rank = self._world.board, self._world.rank
        place = board.place(rank)
        write_line(place.where, line)
        place.awaited = self._member.ranks[sources[0]] if len(sources) == 1 else -1
        place.since = now = time.monotonic()
        try:
            while True:
                seen = lib.read_bell(board.base, rank)
                if (found := self.find(sources, tag)) is not None:
                    break
                if (others := turns()) is None:
                    lib.wait_for_bell(board.base, rank, seen)
                else:
                    others.pause(f"waits in {operation} at {line.decode(errors='replace')}", ("letter", seen))
                if (found := self.find(sources, tag)) is not None:
                    break
                self._check(operation, sources, now + self._member.timeout)
        finally:
            place.since = 0
        self._member.ledger.costs_of(operation, line, is_async=False).add_wait(found[0], time.monotonic() - now)
        return found

    def _check(self, operation: str, others: Sequence[int], deadline: float) -> None:
        failure = self._world.board.failure()
        if failure is not None:
            raise RankError(f"{operation}: {failure[1]}", failure[0])
        ranks = [self._member.ranks[other] for other in others]
        if all(map(self._world.has_ended, ranks)):
            last = ranks[0]
            raise RankError(f"{operation}: rank {last} has ended, {self._member.history(last)}", last)
        if time.monotonic() > deadline:
            raise DistTimeoutError(
                f"{operation}: ranks {ranks} took no part within {self._member.timeout:g} s; "
                f"rank {ranks[0]} is {self._member.history(ranks[0])}"
            )

    def envelope(self, source: int, letter: Any) -> Any:
        """Return the signature and the line of a message."""
        return ffi.cast("Envelope *", self._address(source, letter))

    def take(self, source: int, letter: Any, address: int, nbytes: int) -> None:
        """Copy a message to memory, and free it."""
        data = ffi.cast("char *", self._address(source, letter) + _HEAD)
        lib.take_letter(letter, ffi.cast("char *", address), data, nbytes)

    def _address(self, source: int, letter: Any) -> int:
        return int(self._world.addresses[self._member.ranks[source]] + letter.offset)
