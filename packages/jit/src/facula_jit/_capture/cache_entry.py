"""What is known of calls of one signature, and the replays that look at calls more closely."""

from __future__ import annotations

from typing import Any

from .._recording.graph_breaks import GraphBreak
from .._replay.replay import MISS, Replay


class CacheEntry:
    """What is known of calls of one signature.

    Arguments:
        words: such a call, in words.
        pinned: the objects that the signature names by their id.
        parts: what is no tensor among the arguments, by name.
    """

    __slots__ = (
        "__weakref__",
        "attempts",
        "breaks",
        "parts",
        "pending",
        "pinned",
        "replays",
        "returned",
        "split",
        "words",
    )

    def __init__(self, words: str, pinned: list[object], parts: dict[str, Any]):
        self.words, self.pinned, self.parts = words, pinned, parts
        self.split: Any = None  # what runs instead where it cannot be captured whole
        self.returned: list[str] = []  # the numbers that the last run returned
        self.replays: list[Replay] = []
        self.breaks: GraphBreak | None = None  # why calls of it run as written
        self.pending: GraphBreak | None = None  # why the last run was not captured, though the next one may be
        self.attempts = 0

    def compare_returned(self, returned: list[str]) -> GraphBreak | None:
        """Why the numbers that a run returns cannot be those of replays: they are not the ones of the run before."""
        before, self.returned = self.returned, returned
        if returned == before or self.replays:
            return None
        return GraphBreak("a number that it returns is another in each call", "read clocks and count outside", None)


class WithoutAttributes:
    """A replay for calls whose tensors have no attributes of the program's."""

    __slots__ = ("inner",)

    def __init__(self, inner: Replay) -> None:
        self.inner = inner

    def replay(self, tensors: tuple[Any, ...]) -> Any:
        """What the function returns, or MISS."""
        return MISS if any([one._own_attributes for one in tensors]) else self.inner.replay(tensors)
