"""Descriptions of replays, for profilers: the captured function, and the operator call of each step of a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from .._graph.calls import Call, Names

if TYPE_CHECKING:
    from .lowering import Part

# Parts by the numbers of their sequences, which captures replace after passes.
_parts: WeakValueDictionary[int, Part] = WeakValueDictionary()
_kept: list[dict[int, Part]] = []


class ReplayDescription(NamedTuple):
    """A part of a capture: the function's call, or one of its backward passes.

    Arguments:
        name: the name of the function, followed by " backward" for a backward pass.
        steps: the operator call of each step; None for a condition.
    """

    name: str
    steps: tuple[Call | None, ...]


def register_sequence(number: int, part: Part) -> None:
    """Register the sequence of a part."""
    _parts[number] = part
    for kept in _kept:
        kept[number] = part


class keep_descriptions:
    """Context manager that keeps the descriptions of all captures that exist in it, even if they are freed."""

    def __enter__(self) -> keep_descriptions:
        self._parts = dict(_parts)
        _kept.append(self._parts)
        return self

    def __exit__(self, *exc: object) -> None:
        _kept[:] = [kept for kept in _kept if kept is not self._parts]


def describe_replay(number: int) -> ReplayDescription | None:
    """Return the description of the sequence with this number (`Sequence.number`), or None if it is gone.

    >>> describe_replay(0)
    """
    part = _parts.get(number)
    if part is None:
        return None
    names, launches = Names(part.recording), part.recording.launches
    steps = [Call(launches[step], names) if isinstance(step, int) else None for step in part.steps]
    return ReplayDescription(part.name, tuple(steps))
