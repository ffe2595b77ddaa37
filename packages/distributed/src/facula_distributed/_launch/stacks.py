"""The state and the Python stack of another process."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from facula_multiprocessing.extend import Stacks

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def top_frames(places: Mapping[int, Any]) -> dict[int, list[str]]:
    """Ask ranks for the innermost frames of their stacks; wait for two seconds at most.

    Arguments:
        places: the ranks' places on the board.

    Returns:
        Lines `File "train.py", line 6 in read_batch`, innermost first, of the ranks that answered.
    """
    asked: dict[int, tuple[Stacks, int]] = {}
    for rank, place in places.items():
        if place.pid and state_of(place.pid) not in ("stopped", "ended"):
            try:
                stacks = Stacks.over(os.open(f"/proc/{place.pid}/fd/{place.stacks}", os.O_RDWR | os.O_CLOEXEC))
            except OSError:
                continue
            stacks.ask(place.pid)
            asked[rank] = stacks, place.pid
    end = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < end and not all(stacks.is_complete(pid) for stacks, pid in asked.values()):
        time.sleep(0.01)
    found = {}
    for rank, (stacks, _) in asked.items():
        found[rank] = _frames(stacks.read())
        stacks.close()
    return found


def _frames(text: str) -> list[str]:
    """Return the innermost frames of the main thread, which faulthandler writes last."""
    threads = text.split("\n\n")
    frames = [line.strip() for line in threads[-1].splitlines() if line.startswith("  File")]
    return frames[:_MAX_FRAMES]
