"""Handles, which identify a block in a message, and lookup of the arena of another process by a handle."""

from __future__ import annotations

import os
from errno import EMFILE, ENFILE
from multiprocessing.reduction import DupFd
from typing import Any, NamedTuple, TypeAlias

from facula_errors import OperationError

from .._arenas.arena import Arena
from .._arenas.ledger import Ledger, reopen
from .._errors import SharedMemoryError

_PROC = "/proc"


class Source(NamedTuple):
    """The location of an arena: descriptor `fd` of process `pid`, or a descriptor in `duplicate`; `inode` is its file.

    `kept` is the location in the parent of the process that created the arena. Note [Kept files].
    """

    pid: int
    fd: int
    inode: int
    capacity: int
    kept: tuple[int, int] | None = None
    duplicate: Any = None


Place: TypeAlias = tuple[
    int, int, int, int, tuple[int, int] | None, Any
]  # a Source as a plain tuple, which has a shorter pickle

# The representation of a block in a message: place of the arena, ticket, offset, bytes, device. The receiver of the
# message holds the block by its ticket, once.
Handle: TypeAlias = tuple[Place, int, int, int, str]


def place_of(ledger: Ledger) -> Place:
    """Return the place by which other processes find an arena that is open here."""
    duplicate = None if os.path.exists(f"{_PROC}/self/fd") else DupFd(ledger.fd)
    return os.getpid(), ledger.fd, ledger.inode, ledger.arena.capacity, ledger.kept, duplicate


def opened(source: Source) -> Ledger:
    """Map the arena of another process and return its ledger.

    Raises:
        OperationError: the process has ended, or belongs to another user.
        SharedMemoryError: no descriptor or no address space is left.
    """
    if source.duplicate is not None:
        copy = source.duplicate.detach()
        fd, watched = reopen(copy)
        os.close(copy)
        return Ledger(Arena.over(fd, source.capacity), owner=False, watched=watched)
    found = _found(source, source.pid, source.fd, last=source.kept is None)
    if found is None and source.kept is not None:
        found = _found(source, *source.kept)
    if found is None:
        raise _lost(source)
    return Ledger(Arena.over(found, source.capacity), owner=False, kept=source.kept)


def _found(source: Source, pid: int, number: int, last: bool = True) -> int | None:
    """Open the file of an arena by a descriptor of a process; return None if the process has ended.

    Arguments:
        source: the arena.
        pid: the process.
        number: the descriptor.
        last: whether missing permission is an error.
    """
    try:
        fd = os.open(f"{_PROC}/{pid}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (EMFILE, ENFILE):
            raise SharedMemoryError(
                "receiving shared memory: no file descriptor is left; close files, or raise `ulimit -n`"
            ) from None
        if last and isinstance(error, PermissionError):
            raise _lost(source, "does not permit access to its memory; run both as one user") from None
        return None
    if os.fstat(fd).st_ino == source.inode:
        return fd
    os.close(fd)
    return None


def _lost(source: Source, why: str = "has ended; keep it running until its messages are received") -> OperationError:
    return OperationError(f"receiving shared memory: process {source.pid}, which sent it, {why}")
