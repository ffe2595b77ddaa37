"""Blocks that processes share: those that this one made or received, and how others find them.

Note [Sharing and forks]
~~~~~~~~~~~~~~~~~~~~~~~~
A forked child has its parent's blocks, mapped at the same addresses, and its `SharedBlock`s. Were one of those dropped
there, the parent's ticket would be released; were the parent to drop its own, the child would look at what is written
next. So in the child these blocks count nothing, and in the parent they are released when they were dropped and the
child has ended (`_forks.py`). The child opens the arenas that it uses itself, once it sends or receives something.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import contextmanager
from errno import EMFILE, ENFILE
from functools import partial
from multiprocessing.reduction import DupFd
from operator import setitem
from threading import RLock, get_ident, local
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from weakref import ref

import numpy as np

from facula_errors import OperationError

from ._arena import Arena, capacity_for
from ._errors import SharedMemoryError
from ._forks import Forks
from ._leases import starting
from ._ledger import FREE, IN_FLIGHT, PASSED_ON, RELEASED, TABLE, Ledger, reopen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "Handle",
    "SharedBlock",
    "Ticket",
    "block_at",
    "cancel",
    "collecting_tickets",
    "new_block",
    "receive",
    "send",
]

_PROC = "/proc"

Ticket: TypeAlias = tuple[Ledger, int]


class Source(NamedTuple):
    """Where an arena is: descriptor `fd` of process `pid`, or what `duplicate` brings; `inode` is its file."""

    pid: int
    fd: int
    inode: int
    capacity: int
    duplicate: Any = None


class Handle(NamedTuple):
    """A block as a message names it. Whoever receives the message holds the block by its ticket, once."""

    source: Source
    ticket: int
    offset: int
    nbytes: int
    device: str = "cpu"


class SharedBlock:
    """Memory that processes share, as one of them holds it. It is the base of all arrays over it.

    The slot `__del__` has a C function, so letting go of it runs no Python code.

    Arguments:
        ledger: of the arena that it lies in.
        offset: where it begins there.
        nbytes: its size.
        release: what `__del__` calls.
    """

    __slots__ = ("__array_interface__", "__del__", "__weakref__", "address", "ledger", "nbytes", "offset")

    __del__: Callable[[], object]
    address: int
    ledger: Ledger
    nbytes: int
    offset: int

    def __init__(self, ledger: Ledger, offset: int, nbytes: int, release: Callable[[], object]) -> None:
        self.__del__ = release
        self.ledger, self.offset, self.nbytes = ledger, offset, nbytes
        self.address = ledger.arena.address + offset
        self.__array_interface__: dict[str, object] = {
            "data": (self.address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }

    def array(self) -> np.ndarray:
        """Its bytes."""
        return np.asarray(self)


class Outgoing:
    """The arena that this process makes blocks in, and who holds them."""

    def __init__(self) -> None:
        self.ledger = Ledger(_largest_arena(), owner=True)
        self._room, self._sweep_at = self.ledger.extend(), 64
        self._idle: list[int] = []
        self._tickets: dict[int, int] = {}  # the block of each
        self._holders: dict[int, int] = {}  # how many hold a block: tickets, and this process
        self._gone: deque[int] = deque()
        self._lock = RLock()

    def block(self, nbytes: int) -> SharedBlock:
        """A new block. SharedMemoryError where there is no memory."""
        with self._lock:
            arena = self.ledger.arena
            if not arena.has(nbytes):
                self.sweep()
            return self.held(arena.take(nbytes), nbytes)

    def held(self, offset: int, nbytes: int) -> SharedBlock:
        """A block as this process itself holds it."""
        with self._lock:
            self._holders[offset] = self._holders.get(offset, 0) + 1
            return SharedBlock(self.ledger, offset, nbytes, partial(self._gone.append, offset))

    def ticket(self, offset: int) -> int:
        """A new ticket for a block that is held."""
        with self._lock:
            used = int(self.ledger.top[0])
            if not self._idle and used >= self._sweep_at:
                self.sweep()
                self._sweep_at = max(64, 2 * (used - len(self._idle)))
            if self._idle:
                ticket = self._idle.pop()
            else:
                if used == self._room:
                    self._room = self.ledger.extend()
                ticket = PASSED_ON + used
                self.ledger.top[0] = used + 1
            self._tickets[ticket] = offset
            self._holders[offset] += 1
            self.ledger.states[ticket] = IN_FLIGHT
            return ticket

    def sweep(self) -> None:
        """Take back the blocks that nobody holds any more."""
        with self._lock, self.ledger.alone():
            states = self.ledger.states
            found = states[:PASSED_ON]
            for ticket in found.nonzero()[0].tolist():  # passed on: counted from the first time that they are seen
                if ticket not in self._tickets:
                    offset = self._tickets[ticket] = int(self.ledger.passed_on[ticket])
                    self._holders[offset] = self._holders.get(offset, 0) + 1
            for part in (found, self.ledger.owned()):
                for holder in np.unique(part[part > RELEASED]).tolist():
                    if not self.ledger.is_held(holder):
                        part[part == holder] = RELEASED
            used = states[: PASSED_ON + int(self.ledger.top[0])]
            for ticket in (used == RELEASED).nonzero()[0].tolist():
                states[ticket] = FREE
                if ticket >= PASSED_ON:
                    self._idle.append(ticket)
                self._drop(self._tickets.pop(ticket))
            while self._gone:
                self._drop(self._gone.popleft())

    def _drop(self, offset: int) -> None:
        self._holders[offset] -= 1
        if not self._holders[offset]:
            del self._holders[offset]
            self.ledger.arena.give(offset)


def _largest_arena() -> Arena:
    """An arena with room for all memory that is left, or as much of it as can be mapped."""
    capacity = max(capacity_for(1.0), 2 * TABLE)
    while True:
        try:
            return Arena(capacity, TABLE)
        except SharedMemoryError:
            capacity //= 2
            if capacity < 2 * TABLE:
                raise


class _Sharing:
    """What a process shares. A forked child has another one."""

    def __init__(self, inherited: _Sharing | None = None) -> None:
        self.pid = os.getpid()
        self.lock = RLock()
        self.outgoing: Outgoing | None = None
        self.ledgers: dict[int, Ledger] = {}  # of other processes' arenas, by inode
        self.inherited: dict[int, Ledger] = {}  # as the parent opened them
        self.blocks: dict[int, ref[SharedBlock]] = {}  # by address; dead ones among them
        self.swept_at = 64
        self.forks = Forks()
        self.sources: dict[int, Source] = {}  # of arenas that blocks were sent of, by inode
        if inherited is not None:
            self.blocks = {address: one for address, one in inherited.blocks.items() if one() is not None}
            self.inherited = {**inherited.inherited, **inherited.ledgers}
            if inherited.outgoing is not None:
                own = inherited.outgoing.ledger
                self.inherited[own.inode] = own

    def own(self) -> Outgoing:
        with self.lock:
            if self.outgoing is None:
                self.outgoing = Outgoing()
            return self.outgoing

    def note(self, block: SharedBlock) -> SharedBlock:
        with self.lock:
            if len(self.blocks) >= self.swept_at:
                self.blocks = {address: one for address, one in self.blocks.items() if one() is not None}
                self.swept_at = max(64, 2 * len(self.blocks))
            self.blocks[block.address] = ref(block)
        return block

    def ledger(self, source: Source) -> Ledger:
        """The ledger of an arena, which is opened and mapped the first time."""
        with self.lock:
            found = self.ledgers.get(source.inode)
            if found is None:
                found = self.inherited.get(source.inode)
                found = _opened(source) if found is None else found.reopened()
                self.forget_ended()
                self.ledgers[source.inode] = found
            return found

    def mine(self, ledger: Ledger) -> Ledger:
        """The ledger as this process opened it, of a block that it may have inherited."""
        with self.lock:
            if self.outgoing is not None and self.outgoing.ledger is ledger:
                return ledger
            found = self.ledgers.get(ledger.inode)
            if found is None:
                found = ledger.reopened() if ledger.inode in self.inherited else ledger
                self.ledgers[ledger.inode] = found
            return found

    def forget_ended(self) -> None:
        """Let go of arenas whose owners have ended and of which no message is under way."""
        for inode, ledger in list(self.ledgers.items()):
            if not ledger.has_owner() and not (ledger.owned() == IN_FLIGHT).any():
                del self.ledgers[inode]


_current = _Sharing()
_sending = local()


def _alive() -> list[SharedBlock]:
    return [block for one in list(_current.blocks.values()) if (block := one()) is not None]


def _before_fork() -> None:
    if get_ident() not in starting:
        _current.forks.before(_alive())


def _after_in_parent() -> None:
    _current.forks.in_parent()


def _after_in_child() -> None:
    global _current
    for block in _alive():
        block.__del__ = int
    _current.forks.in_child()
    _current = _Sharing(_current)


os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)


def new_block(nbytes: int) -> SharedBlock:
    """Memory that can be sent without a copy.

    Raises:
        SharedMemoryError: there is too little.
    """
    _current.forks.settle()
    return _current.note(_current.own().block(nbytes))


def block_at(address: int) -> SharedBlock | None:
    """The block that begins at an address; None where none does."""
    found = _current.blocks.get(address)
    return None if found is None else found()


@contextmanager
def collecting_tickets() -> Iterator[list[Ticket]]:
    """Around the making of a message: its tickets, which are released where it fails."""
    outer = getattr(_sending, "tickets", None)
    tickets: list[Ticket] = []
    _sending.tickets = tickets
    try:
        yield tickets
    except BaseException:
        cancel(tickets)
        raise
    finally:
        _sending.tickets = outer
        if outer is not None:
            outer += tickets


def cancel(tickets: list[Ticket]) -> None:
    """Release the tickets of a message that is not sent."""
    for ledger, ticket in tickets:
        ledger.states[ticket] = RELEASED
    tickets.clear()


def send(block: SharedBlock) -> Handle:
    """A handle of a block for one message; RuntimeError where none is being made."""
    tickets = getattr(_sending, "tickets", None)
    if tickets is None:
        raise OperationError("sharing memory: handles belong to messages; send the array through a queue or a pipe")
    ledger, outgoing = _current.mine(block.ledger), _current.outgoing
    if outgoing is not None and outgoing.ledger is ledger:
        ticket = outgoing.ticket(block.offset)
    else:
        ticket = ledger.pass_on(block.offset)
    tickets.append((ledger, ticket))
    return Handle(_source(ledger), ticket, block.offset, block.nbytes)


def _source(ledger: Ledger) -> Source:
    found = _current.sources.get(ledger.inode)
    if found is None:
        found = Source(_current.pid, ledger.fd, ledger.inode, ledger.arena.capacity)
        if not os.path.exists(f"{_PROC}/self/fd"):
            return found._replace(duplicate=DupFd(ledger.fd))
        _current.sources[ledger.inode] = found
    return found


def receive(handle: Handle) -> SharedBlock:
    """The block of a handle, held by this process.

    Raises:
        OperationError: the process that sent it has ended, or the message was received before.
        SharedMemoryError: the memory cannot be mapped.
    """
    _current.forks.settle()
    outgoing = _current.outgoing
    own = outgoing is not None and outgoing.ledger.inode == handle.source.inode
    ledger = outgoing.ledger if own else _current.ledger(handle.source)  # type: ignore[union-attr]
    if ledger.states[handle.ticket] != IN_FLIGHT:
        raise OperationError("receiving shared memory: this message was received before; send another one")
    known = block_at(ledger.arena.address + handle.offset)
    if known is not None and known.ledger is ledger and known.__del__ is not int:
        ledger.states[handle.ticket] = RELEASED
        return known
    if own:
        block = outgoing.held(handle.offset, handle.nbytes)  # type: ignore[union-attr]
        ledger.states[handle.ticket] = RELEASED
    else:
        ledger.states[handle.ticket] = ledger.holder()
        release = partial(setitem, ledger.states, handle.ticket, RELEASED)
        block = SharedBlock(ledger, handle.offset, handle.nbytes, release)
    return _current.note(block)


def _opened(source: Source) -> Ledger:
    if source.duplicate is not None:
        copy = source.duplicate.detach()
        fd, watched = reopen(copy)
        os.close(copy)
        return Ledger(Arena.over(fd, source.capacity), owner=False, watched=watched)
    try:
        fd = os.open(f"{_PROC}/{source.pid}/fd/{source.fd}", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (EMFILE, ENFILE):
            raise SharedMemoryError(
                "receiving shared memory: no file descriptor is left; close files, or raise `ulimit -n`"
            ) from None
        if isinstance(error, PermissionError):
            raise _lost(source, "may not be asked for its memory; run both as one user") from None
        raise _lost(source) from None
    if os.fstat(fd).st_ino != source.inode:
        os.close(fd)
        raise _lost(source)
    return Ledger(Arena.over(fd, source.capacity), owner=False)


def _lost(source: Source, why: str = "has ended; let it live until what it sent is received") -> OperationError:
    return OperationError(f"receiving shared memory: process {source.pid}, which sent it, {why}")
