"""The states and the Python stacks of ranks."""

from __future__ import annotations

import os
import time
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from facula_multiprocessing.extend import Stacks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._board.board import Board

_STATES = {"R": "running", "S": "sleeping", "D": "in the kernel", "T": "stopped", "t": "traced", "Z": "ended"}
_WAIT_SECONDS = 2.0
_MAX_FRAMES = 6


def state_of(pid: int) -> str:
    """Return the state of a process: "running", "sleeping", "stopped", ..."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            letter = file.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "ended"
    return _STATES.get(letter, letter)


class Stack(NamedTuple):
    """The state of a rank's process, and its Python stack.

    Fields:
        about: its number and its state: "pid 1397, sleeping"; "" before it started.
        frames: lines `File "train.py", line 6 in read_batch`, innermost first; none if it did not answer.
    """

    about: str
    frames: list[str]


class LocalRanks:
    """The processes of ranks of this machine.

    Arguments:
        board: the board.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    def state(self, rank: int) -> str:
        """Return the state of a rank's process: "running", "sleeping", "stopped", ...; "starting" at first."""
        pid = self._board.place(rank).pid
        return state_of(pid) if pid else "starting"

    def stacks(self, ranks: Iterable[int]) -> dict[int, Stack]:
        """Ask ranks for the innermost frames of their stacks; wait for two seconds at most."""
        asked: dict[int, tuple[Stacks, int]] = {}
        abouts = {}
        for rank in ranks:
            place, state = self._board.place(rank), self.state(rank)
            abouts[rank] = f"pid {place.pid}, {state}" if place.pid else ""
            if place.pid and state not in ("stopped", "ended"):
                try:
                    stacks = Stacks.over(os.open(f"/proc/{place.pid}/fd/{place.stacks}", os.O_RDWR | os.O_CLOEXEC))
                except OSError:
                    continue
                stacks.ask(place.pid)
                asked[rank] = stacks, place.pid
        end = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < end and not all(stacks.is_complete(pid) for stacks, pid in asked.values()):
            time.sleep(0.01)
        found = {rank: Stack(about, []) for rank, about in abouts.items()}
        for rank, (stacks, _) in asked.items():
            found[rank] = Stack(abouts[rank], _frames(stacks.read()))
            stacks.close()
        return found


def _frames(text: str) -> list[str]:
    """Return the program's innermost frames of the main thread, which faulthandler writes last."""
    threads = text.split("\n\n")
    frames = [line.strip() for line in threads[-1].splitlines() if line.startswith("  File")]
    return list(takewhile(lambda frame: "<frozen runpy>" not in frame, frames))[:_MAX_FRAMES] or frames[:_MAX_FRAMES]
