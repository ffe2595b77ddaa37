"""What is known of calls of one signature, and the replays that look at calls more closely."""

from __future__ import annotations

from typing import Any

from .._recording.graph_breaks import Break
from .._replay.replay import MISS, Replay


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


class WithoutAttributes:
    """A replay for calls whose tensors have no attributes of the program's."""

    __slots__ = ("inner",)

    def __init__(self, inner: Replay) -> None:
        self.inner = inner

    def replay(self, tensors: tuple[Any, ...]) -> Any:
        """What the function returns, or MISS."""
        return MISS if any([one._own_attributes for one in tensors]) else self.inner.replay(tensors)
