"""Messages from one rank to another.

A sender copies the elements into a block of its arena and posts a letter, so it does not wait for the receiver. The
receiver takes the oldest letter of the group and the tag.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, Any

from facula_multiprocessing.extend import new_block, reserve

from .._errors import DistBackendError, DistTimeoutError, RankError
from .._shm import ffi, lib
from .._turns import turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .member import Member

_HEAD = 192  # bytes of an envelope, rounded up to whole cache lines
_posting = Lock()
FULL_SECONDS = 0.002  # between two attempts to post into a full mailbox


class Letters:
    """The messages of a group.

    Arguments:
        member: this rank in the group.
    """

    def __init__(self, member: Member) -> None:
        self._member, self._world = member, member.world
        self._sent: dict[int, tuple[int, Any]] = {}  # receivers and blocks by letter, until they are taken
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
        self.unread()
        block = new_block(_HEAD + nbytes)
        ffi.memmove(ffi.cast("char *", block.address), envelope, ffi.sizeof("Envelope"))
        ffi.memmove(ffi.cast("char *", block.address + _HEAD), ffi.cast("char *", address), nbytes)
        begun = time.monotonic()
        while True:
            with _posting:  # a mailbox has one writer
                letter = lib.post_letter(board.base, world.rank, to, self._member.group, tag, block.offset, nbytes)
                if letter != ffi.NULL:
                    self._sent[int(ffi.cast("uintptr_t", letter))] = to, block
            if letter != ffi.NULL:
                return time.monotonic() - begun
            problem = self.problem(operation, [target], begun + self._member.timeout)
            if problem is not None:
                raise problem
            if (others := turns()) is None:
                time.sleep(FULL_SECONDS)
            else:
                others.pause(f"waits in {operation} for a free mailbox")

    def unread(self) -> list[int]:
        """Return the receivers of messages that they have not taken yet. Release those that were taken."""
        with _posting:
            for letter in [one for one in self._sent if not lib.is_posted(ffi.cast("Letter *", one))]:
                del self._sent[letter]
            return [to for to, _ in self._sent.values()]

    def find(self, sources: Sequence[int], tag: int) -> tuple[int, Any] | None:
        """Return the source, as a rank of the group, and the letter of the oldest message, or None."""
        for source in sources:
            rank = self._member.ranks[source]
            letter = lib.find_letter(self._world.board.base, rank, self._world.rank, self._member.group, tag)
            if letter != ffi.NULL:
                return source, letter
        return None

    def flush(self) -> None:
        """Wait until this process may end. Others read its messages from memory that is theirs, too."""

    def problem(self, operation: str, others: Sequence[int], deadline: float | None = None) -> DistBackendError | None:
        """Return the error of an operation for which some ranks will not come, or None. A letter may still be there.

        Arguments:
            operation: the beginning of the error.
            others: the ranks of the group, of which one is enough.
            deadline: when they are too late.
        """
        failure = self._world.board.failure()
        if failure is not None:
            return RankError(f"{operation}: {failure[1]}", failure[0])
        ranks = [self._member.ranks[other] for other in others]
        if all(map(self._world.has_ended, ranks)):
            last = ranks[0]
            return RankError(f"{operation}: rank {last} has ended, {self._member.history(last)}", last)
        if deadline is not None and time.monotonic() > deadline:
            return DistTimeoutError(
                f"{operation}: ranks {ranks} took no part within {self._member.timeout:g} s; "
                f"rank {ranks[0]} is {self._member.history(ranks[0])}"
            )
        return None

    def bell(self) -> int:
        """Return a number that changes with each letter to this rank."""
        return int(lib.read_bell(self._world.board.base, self._world.rank))

    def wait_for_bell(self, seen: int) -> None:
        """Wait for a short time, or until the number is no longer `seen`."""
        lib.wait_for_bell(self._world.board.base, self._world.rank, seen)

    def envelope(self, source: int, letter: Any) -> Any:
        """Return the signature and the line of a message."""
        return ffi.cast("Envelope *", self._address(source, letter))

    def take(self, source: int, letter: Any, address: int, nbytes: int) -> None:
        """Copy a message to memory, and free it."""
        data = ffi.cast("char *", self._address(source, letter) + _HEAD)
        lib.take_letter(letter, ffi.cast("char *", address), data, nbytes)

    def _address(self, source: int, letter: Any) -> int:
        return int(self._world.addresses[self._member.ranks[source]] + letter.offset)
