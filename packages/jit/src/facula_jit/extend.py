"""Names for the face: what programs say to captures.

- `note_break` breaks the capture that is under way. Functions in `never_captured` are not captured in cut lines.
- `reset` and `pause` are no methods of captured functions, whose attributes are those of what was captured.
"""

from __future__ import annotations

from typing import Any

from facula_storage.extend import current_recorder

from ._capture.captured import Captured
from ._capture.split_function import never_captured

__all__ = ["never_captured", "note_break", "pause", "reset"]


def reset(captured: Captured[..., Any]) -> None:
    """Forget what was captured: the next calls are captured again."""
    captured._reset()


def pause(captured: Captured[..., Any], is_paused: bool) -> None:
    """Let calls run eagerly from now on, or captured again."""
    captured._pause(is_paused)


def note_break(problem: str, remedy: str) -> None:
    """Break the capture that is under way in this thread, if there is one, at the program's line.

    Arguments:
        problem: what cannot be captured.
        remedy: what to do.

    >>> note_break("this function is not to be captured", "leave the mark out")  # none is under way
    """
    recorder: Any = current_recorder()
    if recorder is not None:
        recorder.broken(problem, remedy)
