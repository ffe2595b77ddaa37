"""Descriptions of replays, for profilers: the captured function, and the operator call of each step of a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import WeakSet

from .._graph.calls import Call, Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage.extend.replay import Sequence

    from .._graph.jumps import Jump
    from .._recording.recording import Recording

_parts: WeakSet[Part] = WeakSet()  # with sequences
_labellers: list[Callable[[ReplayDescription], list[int]]] = []


class Part(Protocol):
    """A part of a lowered recording, with the sequences that run it; see `lowering.py`."""

    name: str
    recording: Recording
    steps: list[int | Jump]
    sequences: list[Sequence]


class ReplayDescription(NamedTuple):
    """A part of a capture: the function's call, or one of its backward passes.

    Arguments:
        name: the name of the function, followed by " backward" for a backward pass.
        steps: the operator call of each step; None for a condition.
    """

    name: str
    steps: tuple[Call | None, ...]


class label_replays:
    """Context manager that labels the sequences of all captures, including those captured in it.

    `labels_of(description)` returns the label of each step and of the whole replay, as `Sequence.label` expects them.
    They are what `observe_replays` of `facula_storage` reports as kinds.

    >>> with label_replays(lambda description: [7] * len(description.steps) + [6]):
    ...     pass
    """

    def __init__(self, labels_of: Callable[[ReplayDescription], list[int]]) -> None:
        self._labels_of = labels_of

    def __enter__(self) -> label_replays:
        _labellers.append(self._labels_of)
        for part in list(_parts):
            for sequence in part.sequences:
                _label(part, sequence, self._labels_of)
        return self

    def __exit__(self, *exc: object) -> None:
        _labellers.remove(self._labels_of)


def register_sequence(part: Part, sequence: Sequence) -> None:
    """Register a new sequence of a part."""
    part.sequences.append(sequence)
    _parts.add(part)
    for labels_of in _labellers:
        _label(part, sequence, labels_of)


def _label(part: Part, sequence: Sequence, labels_of: Callable[[ReplayDescription], list[int]]) -> None:
    names, launches = Names(part.recording), part.recording.launches
    steps = [Call(launches[step], names) if isinstance(step, int) else None for step in part.steps]
    sequence.label(labels_of(ReplayDescription(part.name, tuple(steps))))
