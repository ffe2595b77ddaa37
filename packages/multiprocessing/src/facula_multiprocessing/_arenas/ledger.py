"""Who holds which block of an arena, across processes, written in the arena itself.

Note [Tickets]
~~~~~~~~~~~~~~
Each time that a block is sent, the message has a ticket for it: a number, whose state is written at the arena's start.
It is in flight until a process receives it, then has that process's number, and is released by it; its owner, who made
the arena, looks for released tickets when it wants memory. Each state has one writer at a time, so nothing is locked,
and a receiver that is idle has given back what it let go of. (A pipe of releases is filled by an owner who does not
read, and read late from a receiver who does not write.)

A receiver that passes a block on makes a ticket in another, small part of the table, under a lock on a byte of
the file; the owner looks at the table under the same lock, so a block is in some ticket at each moment that it looks.

Note [Locks end with their process]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
A holder's number is that of a byte of the file that it has locked, through a descriptor of its own. The kernel ends the
lock when the last process with this opened file ends, whatever ended it. So the tickets of a holder whose byte is free
are released. A forked child has its parent's opened file, and looks at what it looked at: as long as one of both
lives, these tickets are held, as they should be.
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
PASSED_ON = 4096  # tickets of blocks that others than the owner sent: the first of the table
OWN = 1 << 20
_HEADER = 64
_STATES = _HEADER + 8 * PASSED_ON
TABLE = -(-(_STATES + 4 * (PASSED_ON + OWN)) // PAGE) * PAGE
_STEP = 64 << 10  # bytes of the table that are reserved at once
_MUTEX, _OWNER, _HOLDERS = 0, 1, 1 << 32  # bytes of the file that are locked
_RECORD = "hhqqi4x"  # struct flock


class Ledger:
    """The tickets of an arena, as one process sees them. Note [Tickets].

    Arguments:
        arena: begins with the table.
        owner: whether this process made the arena.
        watched: whether the file was opened here, so that its locks end with this process. One that is not watched
            holds what it does not release, and cannot pass it on.
        kept: the owner's parent and its descriptor of the file, where it has one. Note [Kept files].
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
        self.top = arena.bytes_at(0, 8).view(np.int64)  # tickets of the owner that were ever used
        self.passed_on = arena.bytes_at(_HEADER, 8 * PASSED_ON).view(np.int64)
        self.states = arena.bytes_at(_STATES, 4 * (PASSED_ON + OWN)).view(np.uint32)
        self._thread, self._holder, self._reserved = Lock(), 0 if watched else UNWATCHED, 0
        if owner:
            self.extend()
            _lock(self.fd, _OWNER)

    def extend(self) -> int:
        """Make room for more tickets of the owner; how many there can be now.

        Raises:
            SharedMemoryError: there are as many as there can be.
        """
        if self._reserved >= TABLE:
            raise SharedMemoryError(f"sending: {OWN} blocks are in flight or held by other processes; receive them")
        length = min(_STEP, TABLE - self._reserved)
        reserve(self.fd, self._reserved, length)
        self._reserved += length
        return (self._reserved - _STATES) // 4 - PASSED_ON

    def owned(self) -> np.ndarray:
        """The states of the owner's tickets that were ever used."""
        return self.states[PASSED_ON : PASSED_ON + int(self.top[0])]

    def holder(self) -> int:
        """This process's number in this arena."""
        if not self._holder:
            with self._thread:
                while not self._holder:
                    number = random.SystemRandom().randrange(FIRST_HOLDER, 1 << 31)
                    if _lock(self.fd, _HOLDERS + number):
                        self._holder = number
        return self._holder

    def number(self) -> int:
        """This process's number, where it has one already; else 0."""
        return self._holder

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let nobody make a ticket of a block that is passed on, nor look for released ones."""
        with self._thread:
            _lock(self.fd, _MUTEX, wait=True)
            try:
                yield
            finally:
                _unlock(self.fd, _MUTEX)

    def pass_on(self, offset: int) -> int:
        """A new ticket for a block that this process holds and does not own.

        Raises:
            SharedMemoryError: there are as many as there can be.
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
        """Whether the process with this number lives, or a child that it forked."""
        return holder in (UNWATCHED, self._holder) or _is_locked(self.fd, _HOLDERS + holder)

    def has_owner(self) -> bool:
        """Whether the arena's owner lives, or a child that it forked."""
        return _is_locked(self.fd, _OWNER)

    def reopened(self) -> Ledger:
        """The same in a forked child, with a descriptor of its own. The inherited one stays open, with its locks."""
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
    """The same file opened once more, with locks of its own, and True; where there is no /proc, a copy, and False."""
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_CLOEXEC), True
    except FileNotFoundError:
        return os.dup(fd), False


def claim(fd: int) -> bool:
    """Whether this process, by this descriptor, is the first that owns a file."""
    return _lock(fd, _OWNER) and not os.fstat(fd).st_size


def in_use(fd: int, held_here: int) -> bool:
    """Whether something of an arena is in flight, or held by another process than the one with number `held_here`."""
    if not os.fstat(fd).st_size:
        return False
    _lock(fd, _MUTEX, wait=True)  # nobody passes a block on meanwhile
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
