"""What is known of calls of one signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._breaks import Break

if TYPE_CHECKING:
    from ._replay import Replay


class Kind:
    """What is known of calls of one signature.

    Arguments:
        words: such a call, in words.
        kept: the objects that the signature names by their id.
        parts: what is no tensor among the arguments, by name.
    """

    __slots__ = ("__weakref__", "breaks", "kept", "parts", "pieces", "plain", "replays", "tries", "waits", "words")

    def __init__(self, words: str, kept: list[object], parts: dict[str, Any]):
        self.words, self.kept, self.parts = words, kept, parts
        self.pieces: Any = None  # what runs instead where it cannot be captured whole
        self.plain: list[str] = []  # the numbers that the last run returned
        self.replays: list[Replay] = []
        self.breaks: Break | None = None  # why calls of it run as written
        self.waits: Break | None = None  # why the last run was not captured, though the next one may be
        self.tries = 0

    def compared(self, plain: list[str]) -> Break | None:
        """Why the numbers that a run returns cannot be those of replays: they are not the ones of the run before."""
        before, self.plain = self.plain, plain
        if plain == before or self.replays:
            return None
        return Break("a number that it returns is another in each call", "read clocks and count outside", None)
