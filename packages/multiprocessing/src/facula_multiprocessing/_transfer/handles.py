"""How a message names a block, and how whoever receives it finds the arena of another process."""

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
    """Where an arena is: descriptor `fd` of process `pid`, or what `duplicate` brings; `inode` is its file.

    `kept` is the same of the parent of the process that made it. Note [Kept files].
    """

    pid: int
    fd: int
    inode: int
    capacity: int
    kept: tuple[int, int] | None = None
    duplicate: Any = None


Place: TypeAlias = tuple[
    int, int, int, int, tuple[int, int] | None, Any
]  # a Source as a plain tuple, of which pickle makes fewer bytes

# A block as a message names it: place of the arena, ticket, offset, bytes, device. Whoever receives the message holds
# the block by its ticket, once.
Handle: TypeAlias = tuple[Place, int, int, int, str]


def place_of(ledger: Ledger) -> Place:
    """Where other processes find an arena that this one has open."""
    duplicate = None if os.path.exists(f"{_PROC}/self/fd") else DupFd(ledger.fd)
    return os.getpid(), ledger.fd, ledger.inode, ledger.arena.capacity, ledger.kept, duplicate


def opened(source: Source) -> Ledger:
    """The ledger of another process's arena, which is mapped here.

    Raises:
        OperationError: the process has ended, or another user runs it.
        SharedMemoryError: there is no descriptor or no room for a mapping left.
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
    """The file of an arena, opened by a descriptor of a process; None where it has ended.

    Arguments:
        source: the arena.
        pid: the process.
        number: the descriptor.
        last: whether that is an error where the process may not be asked.
    """
    try:
        fd = os.open(f"{_PROC}/{pid}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (EMFILE, ENFILE):
            raise SharedMemoryError(
                "receiving shared memory: no file descriptor is left; close files, or raise `ulimit -n`"
            ) from None
        if last and isinstance(error, PermissionError):
            raise _lost(source, "may not be asked for its memory; run both as one user") from None
        return None
    if os.fstat(fd).st_ino == source.inode:
        return fd
    os.close(fd)
    return None


def _lost(source: Source, why: str = "has ended; let it live until what it sent is received") -> OperationError:
    return OperationError(f"receiving shared memory: process {source.pid}, which sent it, {why}")
