"""What a process shares: blocks that it made or received, and how they go from one process to the next.

A forked child shares nothing yet. It opens its parent's arenas itself, once it sends or receives something of them.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial
from operator import setitem
from threading import RLock, local
from typing import TYPE_CHECKING, TypeAlias

from facula_errors import OperationError

from ._blocks import block_at, note, settle
from ._handles import Handle, Source, opened, source_of
from ._ledger import IN_FLIGHT, RELEASED, Ledger
from ._outgoing import Outgoing, SharedBlock

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Ticket", "cancel", "collecting_tickets", "new_block", "receive", "send"]

Ticket: TypeAlias = tuple[Ledger, int]


class _Sharing:
    """What a process shares. A forked child has another one."""

    def __init__(self, inherited: _Sharing | None = None) -> None:
        self.lock = RLock()
        self.outgoing: Outgoing | None = None
        self.ledgers: dict[int, Ledger] = {}  # of other processes' arenas, by inode
        self.inherited: dict[int, Ledger] = {}  # as the parent opened them
        self.sources: dict[int, Source] = {}  # of arenas that blocks were sent of, by inode
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

    def ledger(self, source: Source) -> Ledger:
        """The ledger of an arena, which is opened and mapped the first time."""
        with self.lock:
            found = self.ledgers.get(source.inode)
            if found is None:
                found = self.inherited.get(source.inode)
                found = opened(source) if found is None else found.reopened()
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

    def source(self, ledger: Ledger) -> Source:
        """Where others find an arena."""
        found = self.sources.get(ledger.inode)
        if found is None:
            found = source_of(ledger)
            if found.duplicate is None:  # which serves once
                self.sources[ledger.inode] = found
        return found

    def forget_ended(self) -> None:
        """Let go of arenas whose owners have ended and of which no message is under way."""
        for inode, ledger in list(self.ledgers.items()):
            if not ledger.has_owner() and not (ledger.owned() == IN_FLIGHT).any():
                del self.ledgers[inode]


_current = _Sharing()
_sending = local()


def _after_in_child() -> None:
    global _current
    _current = _Sharing(_current)


os.register_at_fork(after_in_child=_after_in_child)


def _tidy() -> None:
    settle()
    if _current.outgoing is not None:
        _current.outgoing.tidy()


def new_block(nbytes: int) -> SharedBlock:
    """Memory that can be sent without a copy.

    Raises:
        SharedMemoryError: there is too little.
    """
    _tidy()
    return note(_current.own().block(nbytes))


@contextmanager
def collecting_tickets() -> Iterator[list[Ticket]]:
    """Around the making of a message: its tickets, which are released where it fails."""
    _tidy()
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
    return Handle(_current.source(ledger), ticket, block.offset, block.nbytes)


def receive(handle: Handle) -> SharedBlock:
    """The block of a handle, held by this process.

    Raises:
        OperationError: the process that sent it has ended, or the message was received before.
        SharedMemoryError: the memory cannot be mapped.
    """
    _tidy()
    outgoing = _current.outgoing
    own = outgoing is not None and outgoing.ledger.inode == handle.source.inode
    ledger = outgoing.ledger if own else _current.ledger(handle.source)  # type: ignore[union-attr]
    if ledger.states[handle.ticket] != IN_FLIGHT:
        raise OperationError("receiving shared memory: this message was received before; send another one")
    known = block_at(ledger.arena.address + handle.offset)
    if isinstance(known, SharedBlock) and known.ledger is ledger and known.__del__ is not int:
        ledger.states[handle.ticket] = RELEASED
        return known
    if own:
        block = outgoing.held(handle.offset, handle.nbytes)  # type: ignore[union-attr]
        ledger.states[handle.ticket] = RELEASED
    else:
        ledger.states[handle.ticket] = ledger.holder()
        release = partial(setitem, ledger.states, handle.ticket, RELEASED)
        block = SharedBlock(ledger, handle.offset, handle.nbytes, release)
    return note(block)
