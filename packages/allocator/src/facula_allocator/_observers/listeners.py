"""Who is told of what an allocator does.

Note [Told again]: what the core drained stays in a deque until it is told. A KeyboardInterrupt that comes meanwhile
leaves it there for the next drain: a free is then told again, and never lost.
"""

from __future__ import annotations

import warnings
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Core
    from .event_history import EventHistory, Freed


class MemoryEvent(NamedTuple):
    """What a listener is told.

    Arguments:
        action: "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free" or "oom".
        address: of the block or segment; of an "oom" 0.
        nbytes: the bytes that were asked for.
        capacity: the bytes of the block or segment.
        stream: the stream that allocated it.
        uses: the other streams that used a block.
        pool: the private pool that a block comes from, 0 for none; known of "alloc" alone.
    """

    action: str
    address: int
    nbytes: int
    capacity: int
    stream: int
    uses: tuple[int, ...] = ()
    pool: int = 0


REQUEST_ACTIONS = frozenset(("alloc", "free_requested"))


class RequestListener(Protocol):
    """Who is also told of time, as a recording must be."""

    def done(self, stream: int, requests: int) -> None:
        """Work is over that was queued on a stream when so many requests had been told."""

    def refused(self, nbytes: int, stream: int, pool: int) -> None:
        """A block was asked for, and there is none."""

    def synchronized(self) -> None:
        """All work that was queued is over."""

    def emptying(self) -> None:
        """Idle memory is about to be given back, as the program wants."""


class Listeners:
    """The listeners of an allocator and its history, told in the order in which its books change: under its lock.

    `requests` counts the allocations, refusals and frees that were told; `followers` are told of time.
    """

    __slots__ = ("_failed", "_told", "_untold", "followers", "history", "requests")

    def __init__(self) -> None:
        self._told: list[Callable[[MemoryEvent], None]] = []
        self._failed: list[Callable[[MemoryEvent], None]] = []  # those that were warned of
        self._untold: deque[Freed] = deque()  # drained
        self.followers: list[RequestListener] = []
        self.history: EventHistory | None = None
        self.requests = 0

    def __len__(self) -> int:
        return len(self._told) + (self.history is not None)

    def add(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Tell `listener`, too."""
        self._told.append(listener)

    def remove(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Tell `listener` no more."""
        self._told.remove(listener)
        if listener in self._failed:
            self._failed.remove(listener)

    def __contains__(self, listener: object) -> bool:
        return listener in self._told

    def tell(self, action: str, address: int, nbytes: int, capacity: int, stream: int, pool: int = 0) -> None:
        """Tell all of an event; see `MemoryEvent`."""
        if self.history is not None:
            self.history.note(action, address, nbytes, stream)
        if self._told:
            self._tell(MemoryEvent(action, address, nbytes, capacity, stream, (), pool))

    def tell_refused(self, nbytes: int, stream: int, device_free: int | None) -> None:
        """Tell all that memory ran out."""
        if self.history is not None:
            self.history.note("oom", device_free or 0, nbytes, stream)
        if self._told:
            self._tell(MemoryEvent("oom", 0, nbytes, nbytes, stream))

    def follow_refusal(self, nbytes: int, stream: int, pool: int) -> None:
        """Tell followers that memory ran out, at once: observers and other threads come later."""
        self.requests += 1
        for follower in self.followers:
            follower.refused(nbytes, stream, pool)

    def drain(self, core: Core) -> None:
        """Merge what was freed, and tell of it."""
        untold = self._untold
        before = core.telling and not untold  # rows are left where Ctrl-C came
        core.telling = True  # until then nobody takes a block whose free a history does not know yet
        try:
            untold.extend(chain.from_iterable(iter(core.drain, [])))  # without Python code: see Note [Ctrl-C]
            while untold:
                try:
                    row = untold[0]
                    del untold[0]
                    self._tell_freed(row)
                except KeyboardInterrupt:
                    untold.appendleft(row)
                    raise
        finally:
            core.telling = before or bool(untold)  # what Ctrl-C left comes first

    def forget(self) -> None:
        """Forget what was not told yet: it is another process's."""
        self._untold.clear()

    def _tell_freed(self, row: Freed) -> None:
        if self.history is not None:
            self.history.freed((row,))
        if self._told:
            address, capacity, nbytes, stream, uses = row
            self._tell(MemoryEvent("free_requested", address, nbytes, capacity, stream, uses))
            if not uses:
                self._tell(MemoryEvent("free_completed", address, nbytes, capacity, stream))

    def _tell(self, event: MemoryEvent) -> None:
        self.requests += event.action in REQUEST_ACTIONS
        for listener in list(self._told):
            try:
                listener(event)
            except Exception as error:  # not the matter of whoever allocates or looks at statistics
                if listener not in self._failed:
                    self._failed.append(listener)
                    name = getattr(listener, "__qualname__", type(listener).__name__)
                    text = f"The listener {name} failed: {type(error).__name__}: {error!s:.200}. It is told further"
                    warnings.warn(text, RuntimeWarning, stacklevel=2)
