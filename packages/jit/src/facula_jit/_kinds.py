"""Kinds of calls of a captured function: what is known of those of one signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._breaks import Break
    from ._replay import Replay


class Kind:
    """What is known of calls of one signature."""

    __slots__ = ("breaks", "kept", "parts", "pieces", "replays", "tries", "waits", "words")

    def __init__(self, words: str, kept: list[object], parts: dict[str, Any]):
        self.words, self.kept, self.parts = words, kept, parts
        self.pieces: Any = None  # what runs instead where it cannot be captured whole
        self.replays: list[Replay] = []
        self.breaks: Break | None = None  # why calls of it run as written
        self.waits: Break | None = None  # why the last run was not captured, though the next one may be
        self.tries = 0
