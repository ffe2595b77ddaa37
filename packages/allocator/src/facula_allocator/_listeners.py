"""Who is told of what an allocator does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._core import Core
    from ._history import History
    from ._waiting import WaitingBlock


class MemoryEvent(NamedTuple):
    """What a listener is told.

    Arguments:
        action: "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free" or "oom".
        address: of the block or segment; of an "oom" 0.
        nbytes: the bytes that were asked for.
        capacity: the bytes of the block or segment.
        stream: the stream that allocated it.
        uses: the other streams that used a block.
    """

    action: str
    address: int
    nbytes: int
    capacity: int
    stream: int
    uses: tuple[int, ...] = ()


class Listeners:
    """The listeners of an allocator and its history, told in the order in which its books change: under its lock."""

    __slots__ = ("_told", "history")

    def __init__(self) -> None:
        self._told: list[Callable[[MemoryEvent], None]] = []
        self.history: History | None = None

    def __len__(self) -> int:
        return len(self._told) + (self.history is not None)

    def add(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Tell `listener`, too."""
        self._told.append(listener)

    def remove(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Tell `listener` no more."""
        self._told.remove(listener)

    def __contains__(self, listener: object) -> bool:
        return listener in self._told

    def tell(self, action: str, address: int, nbytes: int, capacity: int, stream: int) -> None:
        """Tell all of an event."""
        if self.history is not None:
            self.history.note(action, address, nbytes, stream)
        if self._told:
            self._tell(MemoryEvent(action, address, nbytes, capacity, stream))

    def tell_refused(self, nbytes: int, stream: int, device_free: int | None) -> None:
        """Tell all that memory ran out."""
        if self.history is not None:
            self.history.note("oom", device_free or 0, nbytes, stream)
        if self._told:
            self._tell(MemoryEvent("oom", 0, nbytes, nbytes, stream))

    def tell_completed(self, block: WaitingBlock) -> None:
        """Tell all that a block with uses is free."""
        self.tell("free_completed", block.address, block.requested, block.size, block.stream)

    def drain(self, core: Core) -> None:
        """Merge what was freed, and tell of it."""
        rows = core.drain()
        if self.history is not None:
            self.history.freed(rows)
        if self._told:
            for address, capacity, nbytes, stream, uses in rows:
                self._tell(MemoryEvent("free_requested", address, nbytes, capacity, stream, uses))
                if not uses:
                    self._tell(MemoryEvent("free_completed", address, nbytes, capacity, stream))

    def _tell(self, event: MemoryEvent) -> None:
        for listener in list(self._told):
            listener(event)
