"""Operations that break captures, and the state that captured functions compare before a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_tensor.extend import current_recorder

if TYPE_CHECKING:
    from collections.abc import Callable


def break_capture(
    operation: str,
    problem: str = "communicates with other processes",
    remedy: str = "call it outside of the captured function",
) -> None:
    """Break this thread's capture, which would not run the operation in a replay.

    Arguments:
        operation: the function's name.
        problem: the reason.
        remedy: the alternative.
    """
    recorder = current_recorder()
    if recorder is not None:
        recorder.broken(f"{operation} {problem}", remedy)


class _Beginning:
    """Whether a state is the one at the beginning of a captured call, which may change it."""

    is_of_beginning = True

    def __init__(self, state: Callable[[], object]) -> None:
        self.state, self.before = state, state()

    def __call__(self) -> bool:
        return current_recorder() is not None or self.state() == self.before

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Beginning) and other.state == self.state

    def __hash__(self) -> int:
        return hash(self.state)


def follow_state(state: Callable[[], object], words: str) -> None:
    """Let replays of this thread's capture begin with the present state only; the first call in a capture counts.

    Arguments:
        state: a function that returns the state.
        words: a description of it.
    """
    recorder = current_recorder()
    if recorder is not None:
        recorder.setting(_Beginning(state), words)
