"""The arena in which a process allocates blocks, and their holders: tickets and the process itself."""

from __future__ import annotations

from collections import deque
from functools import partial
from multiprocessing.util import Finalize
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np

from .._arenas.arena import IDLE_INTERVAL, MAX_IDLE, Arena, capacity_for
from .._arenas.ledger import FREE, IN_FLIGHT, PASSED_ON, RELEASED, TABLE, Ledger
from .._errors import SharedMemoryError
from .blocks import Block
from .kept_files import claimed_file

if TYPE_CHECKING:
    from collections.abc import Callable


class SharedBlock(Block):
    """A block that can be sent, because its arena has a ledger.

    Arguments:
        ledger: the ledger of its arena.
        offset: its offset in the arena.
        nbytes: its size.
        release: called by `__del__`.
    """

    __slots__ = ("ledger",)

    def __init__(self, ledger: Ledger, offset: int, nbytes: int, release: Callable[[], object]) -> None:
        super().__init__(ledger.arena, offset, nbytes, release)
        self.ledger = ledger


class Outgoing:
    """The arena in which this process allocates blocks, and their holders."""

    def __init__(self) -> None:
        arena, kept = _largest_arena()
        self.ledger = Ledger(arena, owner=True, kept=kept)
        self._room, self._sweep_at = self.ledger.extend(), 64
        self._tidy_at = 0.0
        self._idle: list[int] = []
        self._tickets: dict[int, int] = {}  # the block of each ticket
        self._holders: dict[int, int] = {}  # the number of holders of a block: tickets, and this process
        self._gone: deque[int] = deque()
        self._lock = RLock()
        if kept is not None:  # the file outlives this process, which frees idle pages after the threads of its queues
            Finalize(self, Outgoing._last_sweep, (ref(self),), exitpriority=-100)

    @staticmethod
    def _last_sweep(outgoing: ref[Outgoing]) -> None:
        found = outgoing()
        if found is not None:
            found.sweep()
            found.ledger.arena.give_back()

    def block(self, nbytes: int) -> SharedBlock:
        """Allocate a new block; raise SharedMemoryError if no memory is left."""
        with self._lock:
            arena = self.ledger.arena
            if not arena.has(nbytes):
                self.sweep()
            return self.held(arena.take(nbytes), nbytes)

    def tidy(self) -> None:
        """Return idle pages to the kernel from time to time. Note [Idle pages]."""
        if self.ledger.arena.reserved > MAX_IDLE and monotonic() > self._tidy_at:
            with self._lock:
                self._tidy_at = monotonic() + IDLE_INTERVAL
                self.sweep()
                self.ledger.arena.tidy()

    def held(self, offset: int, nbytes: int) -> SharedBlock:
        """Return a block that this process itself holds."""
        with self._lock:
            self._holders[offset] = self._holders.get(offset, 0) + 1
            return SharedBlock(self.ledger, offset, nbytes, partial(self._gone.append, offset))

    def ticket(self, offset: int) -> int:
        """Return a new ticket for a block that is held."""
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
        """Free the blocks that have no holders left."""
        with self._lock, self.ledger.alone():
            states = self.ledger.states
            found = states[:PASSED_ON]
            for ticket in found.nonzero()[0].tolist():  # passed on: counted when they are first seen
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


def _largest_arena() -> tuple[Arena, tuple[int, int] | None]:
    """Create an arena for all available memory, or as much as can be mapped; return it and the keeper of its file."""
    capacity = max(capacity_for(1.0), 2 * TABLE)
    while True:
        fd, kept = claimed_file() or (None, None)
        try:
            return Arena(capacity, TABLE, fd), kept
        except SharedMemoryError:
            capacity //= 2
            if capacity < 2 * TABLE:
                raise
