"""Ranks that are threads of one process: one of them runs, until it waits for others. Note [Turns].

Note [Turns]
~~~~~~~~~~~~
A debugger needs ranks in one process, of which all but one are stopped. Each rank has a thread, and exactly one thread
runs. Where a rank waits for others (in a collective, for a message, for a key of a store) it calls `pause`, which lets
the next rank run until that one waits, in the order of ranks. So a program runs in the same order each time.

The library and the program use state of the process: groups, environment variables, random number generators, and
`sys.argv`. The thread that stops saves it, and restores it when it runs again. If no rank can continue, all of them
would wait forever. Each wait therefore has a token that changes with the progress of the collective; after a round in
which no token has changed, `pause` raises an error that says where each rank waits.
"""

from __future__ import annotations

import time
from threading import Semaphore
from typing import TYPE_CHECKING, Any

from ._errors import DistBackendError

if TYPE_CHECKING:
    from collections.abc import Callable

_POLLING_SECONDS = 0.001
lists_of_ranks: list[list[Any]] = []  # whose entries differ between ranks


class Turns:
    """The turns of the ranks of this process.

    Arguments:
        size: the number of ranks.
        save: returns the state of the process that belongs to a rank.
        restore: restores such a state.
    """

    def __init__(self, size: int, save: Callable[[], object], restore: Callable[[object], None]) -> None:
        self.rank = 0  # the one that runs
        self.ended: set[int] = set()
        self._size, self._save, self._restore = size, save, restore
        self._gates = [Semaphore(0) for _ in range(size)]
        self._tokens: list[object] = [None] * size
        self._texts = ["has not begun"] * size
        self._idle = 0  # pauses without progress

    def begin(self, rank: int) -> None:
        """Wait for the first turn of a rank, in its thread."""
        self._gates[rank].acquire()

    def start(self) -> None:
        """Let rank 0 begin."""
        self._gates[0].release()

    def pause(self, text: str, token: object = None) -> None:
        """Let the other ranks run until they wait, too.

        Arguments:
            text: where this rank waits.
            token: a value that differs after progress; None if the wait ends by itself, for example after a time.

        Raises:
            DistBackendError: no rank can continue.
        """
        rank = self.rank
        if token is None:
            time.sleep(_POLLING_SECONDS)
        self._idle = self._idle + 1 if token is not None and token == self._tokens[rank] else 0
        self._tokens[rank], self._texts[rank] = token, text
        if self._idle > self._size:
            texts = [
                f"rank {other} {'has ended' if other in self.ended else self._texts[other]}"
                for other in range(self._size)
            ]
            raise DistBackendError(f"one process: no rank can continue: {'; '.join(texts)}")
        if len(self.ended) == self._size - 1:
            return
        state = self._save()
        self._give_turn()
        self._gates[rank].acquire()
        self._restore(state)

    def end(self) -> None:
        """End the rank that runs."""
        self.ended.add(self.rank)
        self._idle = 0
        if len(self.ended) < self._size:
            self._give_turn()

    def _give_turn(self) -> None:
        following = [(self.rank + step) % self._size for step in range(1, self._size + 1)]
        self.rank = next(rank for rank in following if rank not in self.ended)
        self._gates[self.rank].release()


_turns: list[Turns] = []


def set_turns(turns: Turns | None) -> None:
    """Declare that this process's ranks take turns, or no longer."""
    _turns[:] = [] if turns is None else [turns]


def turns() -> Turns | None:
    """Return the turns of this process's ranks; None in a process of one rank."""
    return _turns[0] if _turns else None
