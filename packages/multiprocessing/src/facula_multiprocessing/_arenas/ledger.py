"""The ledger of an arena: a table in the arena itself of the processes that hold its blocks.

Note [Tickets]
~~~~~~~~~~~~~~
Each time a block is sent, the message contains a ticket for it: a number, whose state is stored at the arena's start. A
ticket is in flight until a process receives it; it then has the number of that process, its holder, which releases it.
The owner, which created the arena, collects released tickets when it needs memory. Each state has one writer at a time,
so no lock is needed, and a block that an idle receiver has dropped is free at once. (With a pipe for releases, an owner
that does not read would let it overflow, and a receiver that does not write would delay releases.)

A receiver that passes a block on creates a ticket in a second, small part of the table, while it holds a lock on a byte
of the file. The owner reads the table under the same lock, so every block has a ticket whenever the owner reads.

Note [Locks end with their process]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
A holder's number is the offset of a byte of the file that it has locked through a descriptor of its own. The kernel
releases the lock when the last process with this open file description ends, for any reason. The tickets of a holder
with an unlocked byte are therefore released. A forked child shares its parent's open file description and its blocks:
these tickets are held as long as either of them lives, which is correct.
"""

from __future__ import annotations

import fcntl
import os
import random
import struct
import sys
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from .._errors import SharedMemoryError
from .arena import PAGE, Arena
from .memory import reserve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FREE, IN_FLIGHT, RELEASED, UNWATCHED, FIRST_HOLDER = 0, 1, 2, 3, 4
PASSED_ON = 4096  # tickets of blocks sent by processes other than the owner: the first part of the table
OWN = 1 << 20
_HEADER = 64
_STATES = _HEADER + 8 * PASSED_ON
TABLE = -(-(_STATES + 4 * (PASSED_ON + OWN)) // PAGE) * PAGE
_STEP = 64 << 10  # bytes of the table reserved at a time
_MUTEX, _OWNER, _HOLDERS = 0, 1, 1 << 32  # bytes of the file that serve as locks
_RECORD = "hhqqi4x"  # struct flock


class Ledger:
    """The tickets of an arena, from the view of one process. Note [Tickets].

    Arguments:
        arena: the arena, which begins with the table.
        owner: whether this process created the arena.
        watched: whether the file was opened here, so that its locks end with this process. Otherwise unreleased blocks
            stay held, and blocks cannot be passed on.
        kept: the owner's parent and its descriptor of the file, if it keeps one. Note [Kept files].
    """

    __slots__ = ("_holder", "_reserved", "_thread", "arena", "fd", "inode", "kept", "passed_on", "states", "top")

    fd: int
    inode: int
    states: np.ndarray
    passed_on: np.ndarray
    top: np.ndarray

    def __init__(self, arena: Arena, *, owner: bool, watched: bool = True, kept: tuple[int, int] | None = None) -> None:
        self.kept = kept
        self.arena, self.fd, self.inode = arena, arena.fd, os.fstat(arena.fd).st_ino
        self.top = arena.bytes_at(0, 8).view(np.int64)  # the number of the owner's tickets that were ever used
        self.passed_on = arena.bytes_at(_HEADER, 8 * PASSED_ON).view(np.int64)
        self.states = arena.bytes_at(_STATES, 4 * (PASSED_ON + OWN)).view(np.uint32)
        self._thread, self._holder, self._reserved = Lock(), 0 if watched else UNWATCHED, 0
        if owner:
            self.extend()
            _lock(self.fd, _OWNER)

    def extend(self) -> int:
        """Reserve more tickets for the owner and return the number of tickets.

        Raises:
            SharedMemoryError: the table is full.
        """
        if self._reserved >= TABLE:
            raise SharedMemoryError(f"sending: {OWN} blocks are in flight or held by other processes; receive them")
        length = min(_STEP, TABLE - self._reserved)
        reserve(self.fd, self._reserved, length)
        self._reserved += length
        return (self._reserved - _STATES) // 4 - PASSED_ON

    def owned(self) -> np.ndarray:
        """Return the states of the owner's tickets that were ever used."""
        return self.states[PASSED_ON : PASSED_ON + int(self.top[0])]

    def holder(self) -> int:
        """Return this process's number in this arena, assigning one if necessary."""
        if not self._holder:
            with self._thread:
                while not self._holder:
                    number = random.SystemRandom().randrange(FIRST_HOLDER, 1 << 31)
                    if _lock(self.fd, _HOLDERS + number):
                        self._holder = number
        return self._holder

    def number(self) -> int:
        """Return this process's number if it has one, otherwise 0."""
        return self._holder

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Exclude other processes from passing on blocks and from collecting released tickets."""
        with self._thread:
            _lock(self.fd, _MUTEX, wait=True)
            try:
                yield
            finally:
                _unlock(self.fd, _MUTEX)

    def pass_on(self, offset: int) -> int:
        """Return a new ticket for a block that this process holds and does not own.

        Raises:
            SharedMemoryError: all tickets are in use.
        """
        if self._holder == UNWATCHED:
            raise SharedMemoryError("sending: passing on another process's memory needs /proc; send a copy")
        with self.alone():
            states = self.states[:PASSED_ON]
            ticket = int(states.argmin())
            if states[ticket] != FREE:
                raise SharedMemoryError(
                    f"sending: {PASSED_ON} blocks of another process's were passed on and are held; send copies"
                )
            self.passed_on[ticket] = offset
            states[ticket] = IN_FLIGHT
        return ticket

    def is_held(self, holder: int) -> bool:
        """Return whether the process with this number, or a child that it forked, is alive."""
        return holder in (UNWATCHED, self._holder) or _is_locked(self.fd, _HOLDERS + holder)

    def has_owner(self) -> bool:
        """Return whether the arena's owner, or a child that it forked, is alive."""
        return _is_locked(self.fd, _OWNER)

    def reopened(self) -> Ledger:
        """Return a copy for a forked child, with a new descriptor. The inherited one stays open, with its locks."""
        other = Ledger.__new__(Ledger)
        for name in ("arena", "inode", "kept", "states", "passed_on", "top"):
            setattr(other, name, getattr(self, name))
        other.fd, watched = reopen(self.fd)
        other._thread, other._holder, other._reserved = Lock(), 0 if watched else UNWATCHED, 0
        return other

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if hasattr(self, "fd") and self.fd != self.arena.fd:
            close(self.fd)


def reopen(fd: int) -> tuple[int, bool]:
    """Reopen a file with separate locks and return (fd, True); without /proc, return (a duplicate, False)."""
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_CLOEXEC), True
    except FileNotFoundError:
        return os.dup(fd), False


def claim(fd: int) -> bool:
    """Return whether this process becomes, by this descriptor, the first owner of a file."""
    return _lock(fd, _OWNER) and not os.fstat(fd).st_size


def in_use(fd: int, held_here: int) -> bool:
    """Return whether a block of an arena is in flight, or held by a process other than the one numbered `held_here`."""
    if not os.fstat(fd).st_size:
        return False
    _lock(fd, _MUTEX, wait=True)  # prevents passing on blocks during the check
    try:
        used = PASSED_ON + int.from_bytes(os.pread(fd, 8, 0), sys.byteorder)
        states = np.frombuffer(os.pread(fd, 4 * used, _STATES), np.uint32)
    finally:
        _unlock(fd, _MUTEX)
    holders = np.unique(states[states > RELEASED]).tolist()
    return bool((states == IN_FLIGHT).any()) or any(
        holder != held_here and (holder == UNWATCHED or _is_locked(fd, _HOLDERS + holder)) for holder in holders
    )


def _record(kind: int, byte: int) -> bytes:
    return struct.pack(_RECORD, kind, os.SEEK_SET, byte, 1, 0)


def _lock(fd: int, byte: int, wait: bool = False) -> bool:
    try:
        fcntl.fcntl(fd, fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK, _record(fcntl.F_WRLCK, byte))
    except BlockingIOError:
        return False
    return True


def _unlock(fd: int, byte: int) -> None:
    fcntl.fcntl(fd, fcntl.F_OFD_SETLK, _record(fcntl.F_UNLCK, byte))


def _is_locked(fd: int, byte: int) -> bool:
    found = fcntl.fcntl(fd, fcntl.F_OFD_GETLK, _record(fcntl.F_WRLCK, byte))
    return bool(struct.unpack(_RECORD, found)[0] != fcntl.F_UNLCK)
