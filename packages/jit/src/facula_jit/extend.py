"""Names for sibling packages: control of captures by programs, and descriptions for profilers.

- `note_break` breaks the current capture. Functions in `never_captured` run eagerly between the parts of split
  functions.
- `reset` and `pause` are not methods of captured functions, whose attributes are those of the original function.
- `label_replays` labels the replays that `facula_storage` reports to an observer, by the function and its operators.
"""

from __future__ import annotations

from typing import Any

from facula_storage.extend.recording import current_recorder

from ._capture.captured import Captured
from ._capture.split_function import never_captured
from ._replay.descriptions import ReplayDescription, label_replays

__all__ = [
    "ReplayDescription",
    "label_replays",
    "never_captured",
    "note_break",
    "pause",
    "reset",
]


def reset(captured: Captured[..., Any]) -> None:
    """Discard all captures; the next calls are captured again."""
    captured._reset()


def pause(captured: Captured[..., Any], is_paused: bool) -> None:
    """Make later calls run eagerly, or capture them again."""
    captured._pause(is_paused)


def note_break(problem: str, remedy: str) -> None:
    """Break the current capture of this thread, if any, at the line of the program.

    Arguments:
        problem: the operation that cannot be captured.
        remedy: the remedy.

    >>> note_break("this function is not to be captured", "leave the mark out")  # none is under way
    """
    recorder: Any = current_recorder()
    if recorder is not None:
        recorder.broken(problem, remedy)
