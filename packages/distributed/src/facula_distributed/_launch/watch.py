"""Warnings about ranks that are late: from the launcher, or without one from rank 0."""

from __future__ import annotations

import sys
import time
from threading import Thread
from typing import TYPE_CHECKING

from .stalls import find_stalls, report, waiting_ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._board.board import Board
    from .._board.world import World

WARN_SECONDS = 10.0
_POLLING_SECONDS = 1.0  # at most


class Watcher:
    """Looks at the board from time to time.

    Arguments:
        board: the board.
        say: prints a line.
        warn_after: seconds after which a wait is reported, once.
        end_after: seconds after which a wait is a failure.
    """

    def __init__(
        self, board: Board, say: Callable[[str], object], warn_after: float = WARN_SECONDS, end_after: float = 1e9
    ) -> None:
        self._board, self._say, self._warn_after, self._end_after = board, say, warn_after, end_after
        self._reported: set[tuple[object, ...]] = set()
        self.interval = min(_POLLING_SECONDS, warn_after / 4, end_after / 4)  # seconds between two looks

    def look(self) -> tuple[int, str] | None:
        """Report new stalls. Return a rank that others have awaited for too long, and the missed operation."""
        stalls = list(find_stalls(self._board))
        waiting = waiting_ranks(self._board, stalls)
        for stall in sorted(stalls, key=lambda one: waiting.issuperset(one.late)):
            if stall.seconds > self._end_after and stall.late:
                for line in report(self._board, stall):
                    self._say(line)
                rank = min(stall.late, key=lambda one: one in waiting)
                return rank, f"rank {rank} missed {stall.text}, for which others waited {stall.seconds:.0f} s"
            key = (*stall.key, stall.reasons(self._board).keys() == stall.late.keys())
            if stall.seconds > self._warn_after and key not in self._reported:
                self._reported.add(key)
                for line in report(self._board, stall, is_brief=True):
                    self._say(line)
        return None


def start_watching(world: World) -> None:
    """Report stalls from this process, in a thread, while `world` exists."""
    watcher = Watcher(world.board, lambda line: print(f"[facula] {line}", file=sys.stderr, flush=True))

    def watch() -> None:
        while not world.is_closed:
            time.sleep(_POLLING_SECONDS)
            if not world.is_closed:
                watcher.look()

    Thread(target=watch, daemon=True, name="facula: watch for late ranks").start()
