"""Messages from one rank to another with MPI, under the names of `Letters`."""

from __future__ import annotations

import atexit
import time
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from .._board.letters import FULL_SECONDS, Letters
from .._shm import ffi, lib
from .requests import LETTER, Arrived, Pauses, Request, Requests, address_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._board.member import Member

_TAG = 8  # bytes before the envelope
_HEAD = 192  # bytes before the data
_WAIT_SECONDS = 0.02
_SMALL, _MAX_FREE = 1 << 16, 4  # bytes of memory that is kept, and how many pieces
_letters: WeakSet[MpiLetters] = WeakSet()


class _Letter:
    """A message that has arrived, or whose data are arriving."""

    def __init__(self, arrived: Arrived) -> None:
        self.source, self.data, self.request = arrived.source, arrived.data, arrived.request
        self.address = address_of(self.data)
        self.bytes = arrived.nbytes - _HEAD

    @property
    def tag(self) -> int:
        return int(ffi.cast("int64_t *", self.address)[0])


class _Memory:
    """Memory of messages, which is used again, because new pages cost more than the copy to them."""

    def __init__(self) -> None:
        self._free: list[bytearray] = []

    def take(self, nbytes: int) -> bytearray:
        """Return at least so many bytes."""
        for place, data in enumerate(self._free):
            if nbytes <= len(data) <= 2 * nbytes:
                return self._free.pop(place)
        return bytearray(nbytes)

    def give(self, data: bytearray) -> None:
        """Keep memory that is not used any more, or forget it."""
        if len(data) >= _SMALL:
            self._free = [data, *self._free[: _MAX_FREE - 1]]


class MpiLetters(Letters):
    """The messages of a group.

    Arguments:
        member: this rank in the group.
        requests: those that it sends and receives.
    """

    def __init__(self, member: Member, requests: Requests) -> None:
        super().__init__(member)
        self._requests = requests
        self._changing, self._memory = Lock(), _Memory()
        self._posted: list[tuple[Request, bytearray]] = []  # that MPI may still read
        self._inbox: list[_Letter] = []  # in the order of their arrival
        self._count = 0  # of complete messages
        self._thread: Thread | None = None
        _letters.add(self)

    def post(self, operation: str, target: int, tag: int, envelope: Any, address: int, nbytes: int) -> float:
        with self._changing:
            data = self._memory.take(_HEAD + nbytes)
        place = address_of(data)
        ffi.cast("int64_t *", place)[0] = tag
        ffi.memmove(ffi.cast("char *", place + _TAG), envelope, ffi.sizeof("Envelope"))
        ffi.memmove(ffi.cast("char *", place + _HEAD), ffi.cast("char *", address), nbytes)
        begun = time.monotonic()
        while self.unread().count(self._member.ranks[target]) >= lib.LETTERS:
            problem = self.problem(operation, [target], begun + self._member.timeout)
            if problem is not None:
                raise problem
            time.sleep(FULL_SECONDS)
        with self._changing:
            self._posted.append((self._requests.send(target, LETTER, place, _HEAD + nbytes), data))
            self._requests.end()  # they are kept here
            if self._thread is None:
                self._thread = Thread(target=self._send, daemon=True, name="facula: messages that are sent")
                self._thread.start()
        return time.monotonic() - begun

    def _send(self) -> None:
        """Let MPI send large messages while the program does not call it, until there are none."""
        pauses = Pauses(spins=False)
        while True:
            with self._changing:
                self._forget_sent()
                if not self._posted:
                    self._thread = None
                    return
            pauses.pause()

    def _forget_sent(self) -> None:
        posted, self._posted = self._posted, []
        for one in posted:
            if one[0][0].Test():
                self._memory.give(one[1])
            else:
                self._posted.append(one)

    def unread(self) -> list[int]:
        with self._changing:
            self._forget_sent()
            return [self._member.ranks[request[1]] for request, _ in self._posted]

    def flush(self) -> None:
        """Wait until all messages are sent, except to ranks that have ended."""
        end, pauses = time.monotonic() + self._member.timeout, Pauses(spins=False)
        while any(not self._member.world.has_ended(to) for to in self.unread()):
            if time.monotonic() > end or self._member.world.board.failure() is not None:
                return
            pauses.pause()

    def _look(self) -> None:
        """Note messages that have arrived."""
        while (found := self._requests.arrived(LETTER, self._memory.take)) is not None:
            self._inbox.append(_Letter(found))
        for letter in self._inbox:
            if letter.request is not None and letter.request.Test():
                letter.request = None
                self._count += 1

    def find(self, sources: Sequence[int], tag: int) -> tuple[int, Any] | None:
        with self._changing:
            self._look()
            for source in sources:
                for letter in self._inbox:
                    if letter.source == source and letter.request is not None:
                        break  # its tag has not arrived, and later messages come after it
                    if letter.source == source and letter.tag == tag:
                        return source, letter
        return None

    def bell(self) -> int:
        with self._changing:
            self._look()
            return self._count

    def wait_for_bell(self, seen: int) -> None:
        pauses, end = Pauses(self._requests.spins), time.monotonic() + _WAIT_SECONDS
        while self.bell() == seen and time.monotonic() < end:
            pauses.pause()

    def envelope(self, source: int, letter: Any) -> Any:
        return ffi.cast("Envelope *", letter.address + _TAG)

    def take(self, source: int, letter: Any, address: int, nbytes: int) -> None:
        ffi.memmove(ffi.cast("char *", address), ffi.cast("char *", letter.address + _HEAD), nbytes)
        with self._changing:
            self._inbox.remove(letter)
            self._memory.give(letter.data)


@atexit.register
def _flush_all() -> None:
    for one in list(_letters):
        one.flush()
