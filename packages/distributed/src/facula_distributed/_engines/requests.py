"""Messages of MPI between the ranks of a group, and waiting for them without a call that blocks."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._shm import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .start import Mpi

Request: TypeAlias = "tuple[Any, int]"  # of mpi4py, and the other rank in the group
KINDS = PACKET, DATA, RESULT, LETTER, NOTE = range(5)  # of messages
_WORLDS = 512  # after which their tags begin again
_WAIT_SECONDS = 0.02
_SPINS = 100  # tests without a pause
_SHORTEST, _LONGEST = 2e-5, 5e-4  # pauses


def address_of(data: Any) -> int:
    """Return the address of an object of cffi, or of a buffer."""
    found = data if isinstance(data, ffi.CData) else ffi.from_buffer(data)
    return int(ffi.cast("uintptr_t", found))


class Arrived(NamedTuple):
    """A message that has arrived, or whose data are arriving.

    Fields:
        source: the rank in the group.
        data: its memory.
        nbytes: its length.
        request: mpi4py's request.
    """

    source: int
    data: bytearray
    nbytes: int
    request: Any


class Pauses:
    """Pauses between tests, which become longer.

    Arguments:
        spins: whether the first tests follow each other at once.
    """

    def __init__(self, spins: bool) -> None:
        self._count = 0 if spins else _SPINS

    def pause(self) -> None:
        """Let others run."""
        self._count += 1
        if self._count > _SPINS:
            time.sleep(min(_SHORTEST * 1.1 ** (self._count - _SPINS), _LONGEST))
        elif self._count % 8 == 0:
            os.sched_yield()


class Requests:
    """The messages of a group.

    Arguments:
        mpi: the MPI library.
        ranks: the ranks of the group.
        world: how many worlds this process was in before.
        group: the group's number.
        spins: whether to test without pauses at first: all ranks have cores of their own.
    """

    def __init__(self, mpi: Mpi, ranks: Sequence[int], world: int, group: int, spins: bool) -> None:
        self.exception: type[Exception] = mpi.api.Exception
        self.spins = spins
        self.pending: list[Request] = []  # that `wait` waits for
        self._open: list[Request] = []  # all that may not have ended
        self._api, self._comm, self._byte = mpi.api, mpi.comm, mpi.api.BYTE
        self._ranks = [mpi.ranks[rank] for rank in ranks]
        self._places = {rank: place for place, rank in enumerate(self._ranks)}
        self._memory = mpi.api.buffer.fromaddress
        self._tag = (world % _WORLDS * int(lib.SEATS) + group) * len(KINDS)

    def send(self, to: int, kind: int, address: int, nbytes: int) -> Request:
        """Begin to send memory, which must not change until the request has ended."""
        data = self._memory(address, nbytes), self._byte
        return self._note((self._comm.Isend(data, self._ranks[to], self._tag + kind), to))

    def receive(self, source: int, kind: int, address: int, nbytes: int) -> Request:
        """Begin to receive a message of at most `nbytes`."""
        data = self._memory(address, nbytes), self._byte
        return self._note((self._comm.Irecv(data, self._ranks[source], self._tag + kind), source))

    def _note(self, request: Request) -> Request:
        self._open.append(request)
        return request

    def arrived(self, kind: int, allocate: Callable[[int], bytearray] = bytearray) -> Arrived | None:
        """Begin to receive a message that has arrived from any rank; return None if there is none.

        Arguments:
            kind: the kind of messages.
            allocate: returns memory of at least so many bytes.
        """
        status = self._api.Status()
        message = self._comm.Improbe(self._api.ANY_SOURCE, self._tag + kind, status)
        if message is None:
            return None
        nbytes = status.Get_count(self._byte)
        data = allocate(nbytes)
        request = message.Irecv((self._memory(address_of(data), nbytes), self._byte))
        return Arrived(self._places[status.Get_source()], data, nbytes, request)

    def wait(self, note: Callable[[int, float], object]) -> None:
        """Wait until all `pending` have ended, or for a limited time.

        Arguments:
            note: called with a rank, and the seconds for which its message was awaited.
        """
        pauses, begun = Pauses(self.spins), time.monotonic()
        since, end, is_late = begun, begun + _WAIT_SECONDS, False
        while True:
            ended = self._api.Request.Testsome([request for request, _ in self.pending])
            if ended is None or len(ended) == len(self.pending):
                other = self.pending[-1][1]
                self.pending = []
            elif ended:
                other = self.pending[0][1]
                gone = set(ended)
                self.pending = [one for place, one in enumerate(self.pending) if place not in gone]
                pauses = Pauses(self.spins)
            else:
                pauses.pause()
                is_late = True
                if time.monotonic() < end:
                    continue
                other = self.pending[0][1]
            now = time.monotonic()
            if is_late:
                note(other, now - since)
            if not self.pending or now >= end:
                return
            since, is_late = now, False

    def end(self) -> None:
        """Note that all requests have ended."""
        self._open.clear()

    def abandon(self) -> list[Request]:
        """Cancel the open requests if possible, and return them, since they still need their memory."""
        for request, _ in self._open:
            if request:
                request.Cancel()
        self.pending, found = [], self._open
        self._open = []
        return found
