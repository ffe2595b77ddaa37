"""The blocks that a process created or received, and their transfer between processes.

A forked child initially has no shared blocks. It opens its parent's arenas itself when it first sends or receives one
of their blocks.
"""

from __future__ import annotations

import os
from functools import partial
from operator import setitem
from threading import RLock, local
from typing import TypeAlias

from facula_errors import OperationError

from .._arenas.ledger import IN_FLIGHT, RELEASED, Ledger
from .blocks import block_at, note, settle
from .handles import Handle, Place, Source, opened, place_of
from .kept_files import kept_files
from .outgoing import Outgoing, SharedBlock

Ticket: TypeAlias = tuple[Ledger, int]


class _Sharing:
    """The arenas that a process shares. A forked child has its own object."""

    def __init__(self, inherited: _Sharing | None = None) -> None:
        self.lock = RLock()
        self.outgoing: Outgoing | None = None
        self.ledgers: dict[int, Ledger] = {}  # of other processes' arenas, by inode
        self.inherited: dict[int, Ledger] = {}  # the ledgers opened by the parent
        self.places: dict[int, Place] = {}  # of arenas whose blocks were sent, by inode
        if inherited is not None:
            self.inherited = {**inherited.inherited, **inherited.ledgers}
            if inherited.outgoing is not None:
                own = inherited.outgoing.ledger
                self.inherited[own.inode] = own

    def own(self) -> Outgoing:
        with self.lock:
            if self.outgoing is None:
                self.outgoing = Outgoing()
            return self.outgoing

    def ledger(self, place: Place) -> Ledger:
        """Return the ledger of an arena, opening and mapping it on first use."""
        source = Source(*place)
        with self.lock:
            found = self.ledgers.get(source.inode)
            if found is None:
                found = self.inherited.get(source.inode)
                found = opened(source) if found is None else found.reopened()
                self.forget_ended()
                self.ledgers[source.inode] = found
            return found

    def mine(self, ledger: Ledger) -> Ledger:
        """Return this process's own ledger for a block that may be inherited."""
        with self.lock:
            if self.outgoing is not None and self.outgoing.ledger is ledger:
                return ledger
            found = self.ledgers.get(ledger.inode)
            if found is None:
                found = ledger.reopened() if ledger.inode in self.inherited else ledger
                self.ledgers[ledger.inode] = found
            return found

    def place(self, ledger: Ledger) -> Place:
        """Return the place by which other processes find an arena."""
        found = self.places.get(ledger.inode)
        if found is None:
            found = place_of(ledger)
            if found[-1] is None:  # a duplicate can be used only once
                self.places[ledger.inode] = found
        return found

    def forget_ended(self) -> None:
        """Drop arenas whose owners have ended and that have no message in flight."""
        for inode, ledger in list(self.ledgers.items()):
            if not ledger.has_owner() and not (ledger.owned() == IN_FLIGHT).any():
                del self.ledgers[inode]

    def held_here(self, inode: int) -> int:
        """Return this process's holder number in an arena, or 0 if it holds no blocks."""
        found = self.ledgers.get(inode)
        return 0 if found is None else found.number()


_current = _Sharing()
_sending = local()


def _renew_sharing() -> None:
    global _current
    _current = _Sharing(_current)


os.register_at_fork(after_in_child=_renew_sharing)


def _tidy() -> None:
    settle()
    if _current.outgoing is not None:
        _current.outgoing.tidy()


def arena_usage() -> tuple[int, int]:
    """Return the bytes of this process's arena that have holders, and those that are reserved."""
    settle()
    outgoing = _current.own()
    outgoing.sweep()
    return outgoing.ledger.arena.taken, outgoing.ledger.arena.reserved


def new_block(nbytes: int) -> SharedBlock:
    """Allocate memory that can be sent without a copy.

    Raises:
        SharedMemoryError: there is too little memory.
    """
    _tidy()
    return note(_current.own().block(nbytes))


class CollectedTickets:
    """A context that collects the tickets of a message during encoding, and releases them if it fails."""

    __slots__ = ("_outer", "tickets")

    def __enter__(self) -> list[Ticket]:
        _tidy()
        self._outer: list[Ticket] | None = getattr(_sending, "tickets", None)
        self.tickets: list[Ticket] = []
        _sending.tickets = self.tickets
        return self.tickets

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is not None:
            cancel(self.tickets)
        _sending.tickets = self._outer
        if self._outer is not None:
            self._outer += self.tickets


def cancel(tickets: list[Ticket]) -> None:
    """Release the tickets of a message that is not sent."""
    for ledger, ticket in tickets:
        ledger.states[ticket] = RELEASED
    tickets.clear()


def send(block: SharedBlock) -> Handle:
    """Return a handle of a block for the message being encoded; raise OperationError outside of one."""
    tickets = getattr(_sending, "tickets", None)
    if tickets is None:
        raise OperationError("sharing memory: handles belong to messages; send the array through a queue or a pipe")
    ledger, outgoing = _current.mine(block.ledger), _current.outgoing
    if outgoing is not None and outgoing.ledger is ledger:
        ticket = outgoing.ticket(block.offset)
    else:
        ticket = ledger.pass_on(block.offset)
    tickets.append((ledger, ticket))
    return _current.place(ledger), ticket, block.offset, block.nbytes, "cpu"


def receive(handle: Handle) -> SharedBlock:
    """Return the block of a handle, held by this process.

    Raises:
        OperationError: the sender has ended, or the message was received before.
        SharedMemoryError: the memory cannot be mapped.
    """
    _tidy()
    place, ticket, offset, nbytes, _ = handle
    outgoing = _current.outgoing
    if outgoing is not None and outgoing.ledger.inode == place[2]:
        ledger = outgoing.ledger
    else:
        outgoing, ledger = None, _current.ledgers.get(place[2]) or _current.ledger(place)
    if ledger.states[ticket] != IN_FLIGHT:
        raise OperationError("receiving shared memory: this message was received before; send another one")
    known = block_at(ledger.arena.address + offset)
    if isinstance(known, SharedBlock) and known.ledger is ledger and known.__del__ is not int:
        ledger.states[ticket] = RELEASED
        kept_files().received(ledger.inode, _current.held_here)
        return known
    if outgoing is not None:
        block = outgoing.held(offset, nbytes)
        ledger.states[ticket] = RELEASED
    else:
        ledger.states[ticket] = ledger.holder()
        block = SharedBlock(ledger, offset, nbytes, partial(setitem, ledger.states, ticket, RELEASED))
        kept_files().received(ledger.inode, _current.held_here)
    return note(block)


def settle_children() -> None:
    """Release the memory of children that have ended and whose messages are received. Note [Kept files]."""
    kept_files().settle(_current.held_here)
