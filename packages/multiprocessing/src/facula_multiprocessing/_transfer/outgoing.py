"""The arena that a process makes blocks in, and who holds them: tickets, and the process itself."""

from __future__ import annotations

from collections import deque
from functools import partial
from multiprocessing.util import Finalize
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np

from .._arenas.arena import IDLE, QUIET, Arena, capacity_for
from .._arenas.ledger import FREE, IN_FLIGHT, PASSED_ON, RELEASED, TABLE, Ledger
from .._errors import SharedMemoryError
from .blocks import Block
from .kept_files import claimed_file

if TYPE_CHECKING:
    from collections.abc import Callable


class SharedBlock(Block):
    """A block that can be sent: of an arena with a ledger.

    Arguments:
        ledger: of the arena that it lies in.
        offset: where it begins there.
        nbytes: its size.
        release: what `__del__` calls.
    """

    __slots__ = ("ledger",)

    def __init__(self, ledger: Ledger, offset: int, nbytes: int, release: Callable[[], object]) -> None:
        super().__init__(ledger.arena, offset, nbytes, release)
        self.ledger = ledger


class Outgoing:
    """The arena that this process makes blocks in, and who holds them."""

    def __init__(self) -> None:
        arena, kept = _largest_arena()
        self.ledger = Ledger(arena, owner=True, kept=kept)
        self._room, self._sweep_at = self.ledger.extend(), 64
        self._tidy_at = 0.0
        self._idle: list[int] = []
        self._tickets: dict[int, int] = {}  # the block of each
        self._holders: dict[int, int] = {}  # how many hold a block: tickets, and this process
        self._gone: deque[int] = deque()
        self._lock = RLock()
        if kept is not None:  # the file outlives this process: after its queues' threads, it gives back idle pages
            Finalize(self, Outgoing._last_sweep, (ref(self),), exitpriority=-100)

    @staticmethod
    def _last_sweep(outgoing: ref[Outgoing]) -> None:
        found = outgoing()
        if found is not None:
            found.sweep()
            found.ledger.arena.give_back()

    def block(self, nbytes: int) -> SharedBlock:
        """A new block. SharedMemoryError where there is no memory."""
        with self._lock:
            arena = self.ledger.arena
            if not arena.has(nbytes):
                self.sweep()
            return self.held(arena.take(nbytes), nbytes)

    def tidy(self) -> None:
        """Now and then, give idle pages back to the kernel. Note [Idle pages]."""
        if self.ledger.arena.reserved > IDLE and monotonic() > self._tidy_at:
            with self._lock:
                self._tidy_at = monotonic() + QUIET
                self.sweep()
                self.ledger.arena.tidy()

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


def _largest_arena() -> tuple[Arena, tuple[int, int] | None]:
    """An arena with room for all memory that is left, or as much of it as can be mapped, and who keeps its file."""
    capacity = max(capacity_for(1.0), 2 * TABLE)
    while True:
        fd, kept = claimed_file() or (None, None)
        try:
            return Arena(capacity, TABLE, fd), kept
        except SharedMemoryError:
            capacity //= 2
            if capacity < 2 * TABLE:
                raise
