"""Warnings about ranks that are late: from the launcher, or without one from rank 0."""

from __future__ import annotations

import sys
import time
from threading import Thread
from typing import TYPE_CHECKING

from .stacks import LocalRanks
from .stalls import find_stalls, report, waiting_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._board.board import Board
    from .._board.world import World

WARN_SECONDS = 10.0
_POLLING_SECONDS = 1.0  # at most
_ENDED_SECONDS = 3.0  # ranks of the same machine find out sooner


class Watcher:
    """Looks at the board from time to time.

    Arguments:
        board: the board.
        ranks: the processes of the ranks.
        say: prints a line.
        warn_after: seconds after which a wait is reported, once.
        end_after: seconds after which a wait is a failure.
    """

    def __init__(
        self, board: Board, ranks: LocalRanks, say: Callable[[str], object], warn_after: float = WARN_SECONDS,
        end_after: float = 1e9,
    ) -> None:  # fmt: skip
        self._board, self._ranks, self._say = board, ranks, say
        self._warn_after, self._end_after = warn_after, end_after
        self._reported: set[tuple[object, ...]] = set()
        self.interval = self.interval_of(warn_after, end_after)

    def _cause(self, late: Iterable[int], waiting: set[int]) -> int:
        """Return the late rank that others wait for: one that is stopped, or at least does not wait itself."""

        def excuses(rank: int) -> tuple[bool, ...]:
            return self._ranks.state(rank) != "stopped", rank in waiting, any(self._board.running(rank))

        return min(late, key=excuses)

    @staticmethod
    def interval_of(warn_after: float, end_after: float) -> float:
        """Return the seconds between two looks."""
        return min(_POLLING_SECONDS, warn_after / 4, end_after / 4)

    def look(self) -> tuple[int, str] | None:
        """Report new stalls. Return a rank that others have awaited for too long, and the missed operation."""
        stalls = list(find_stalls(self._board, self._ranks))
        waiting = waiting_ranks(self._ranks, stalls)
        for stall in sorted(stalls, key=lambda one: waiting.issuperset(one.late)):
            for rank in stall.late if stall.seconds > _ENDED_SECONDS else ():
                if self._ranks.state(rank) == "ended":
                    return rank, f"rank {rank} has ended, {self._board.history(rank)}, and misses {stall.text}"
            if stall.seconds > self._end_after and stall.late:
                for line in report(self._board, self._ranks, stall):
                    self._say(line)
                rank = self._cause(stall.late, waiting)
                return rank, f"rank {rank} missed {stall.text}, for which others waited {stall.seconds:.0f} s"
            key = (*stall.key, stall.reasons(self._board).keys() == stall.late.keys())
            if stall.seconds > self._warn_after and key not in self._reported:
                self._reported.add(key)
                for line in report(self._board, self._ranks, stall, is_brief=True):
                    self._say(line)
        return None


def start_watching(world: World) -> None:
    """Report stalls from this process, in a thread, while `world` exists."""
    watcher = Watcher(
        world.board, LocalRanks(world.board), lambda line: print(f"[facula] {line}", file=sys.stderr, flush=True)
    )

    def watch() -> None:
        while not world.is_closed:
            time.sleep(_POLLING_SECONDS)
            if not world.is_closed:
                watcher.look()

    Thread(target=watch, daemon=True, name="facula: watch for late ranks").start()
