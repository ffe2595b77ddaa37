"""Listeners of an allocator, and the events that they receive.

Note [Delivery and Ctrl-C]: rows that the core drained stay in a deque until they are delivered. A KeyboardInterrupt
during delivery leaves them there for the next drain: a free may then be delivered twice, but is never lost.
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
    """An event that listeners receive.

    Arguments:
        action: "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free" or "oom".
        address: address of the block or segment; 0 for an "oom".
        nbytes: the requested bytes.
        capacity: size of the block or segment in bytes.
        stream: the stream that allocated it.
        uses: the other streams that used a block.
        pool: the private pool that a block comes from, 0 for none; only set for "alloc".
    """

    action: str
    address: int
    nbytes: int
    capacity: int
    stream: int
    uses: tuple[int, ...] = ()
    pool: int = 0


REQUEST_ACTIONS = frozenset(("alloc", "free_requested"))
SEGMENT_ACTIONS = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}  # signs of bytes


class RequestListener(Protocol):
    """A listener that also follows the order of work on streams, as a recording must."""

    def done(self, stream: int, requests: int) -> None:
        """Called when the work is complete that was queued on a stream before request number `requests`."""

    def refused(self, nbytes: int, stream: int, pool: int) -> None:
        """Called when a request cannot be served."""

    def synchronized(self) -> None:
        """Called when all queued work is complete."""

    def emptying(self) -> None:
        """Called before the program releases idle memory."""


class Listeners:
    """The listeners and the history of an allocator. Called under its lock, in the order of the allocator's changes.

    `on_segment` is called with the bytes of memory taken from the device, negative for those returned; allocations
    from idle memory stay as fast with it. `requests` counts the allocations, refusals and frees that were delivered;
    `followers` also receive `done` and the other methods of `RequestListener`.
    """

    __slots__ = ("_callbacks", "_failed", "_undelivered", "followers", "history", "on_segment", "requests")

    def __init__(self) -> None:
        self._callbacks: list[Callable[[MemoryEvent], None]] = []
        self._failed: list[Callable[[MemoryEvent], None]] = []  # listeners with a warning already
        self._undelivered: deque[Freed] = deque()  # drained, not yet delivered
        self.followers: list[RequestListener] = []
        self.history: EventHistory | None = None
        self.on_segment: Callable[[int], object] | None = None
        self.requests = 0

    def __len__(self) -> int:
        return len(self._callbacks) + (self.history is not None)

    def add(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Add `listener`."""
        self._callbacks.append(listener)

    def remove(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Remove `listener`."""
        self._callbacks.remove(listener)
        if listener in self._failed:
            self._failed.remove(listener)

    def __contains__(self, listener: object) -> bool:
        return listener in self._callbacks

    def notify(self, action: str, address: int, nbytes: int, capacity: int, stream: int, pool: int = 0) -> None:
        """Deliver an event to all listeners; see `MemoryEvent`."""
        if self.on_segment is not None and action in SEGMENT_ACTIONS:
            self.on_segment(nbytes * SEGMENT_ACTIONS[action])
        if self.history is not None:
            self.history.note(action, address, nbytes, stream)
        if self._callbacks:
            self._deliver(MemoryEvent(action, address, nbytes, capacity, stream, (), pool))

    def notify_refused(self, nbytes: int, stream: int, device_free: int | None) -> None:
        """Notify all listeners that memory ran out."""
        if self.history is not None:
            self.history.note("oom", device_free or 0, nbytes, stream)
        if self._callbacks:
            self._deliver(MemoryEvent("oom", 0, nbytes, nbytes, stream))

    def notify_followers_of_refusal(self, nbytes: int, stream: int, pool: int) -> None:
        """Notify followers immediately that memory ran out: observers and other threads run later."""
        self.requests += 1
        for follower in self.followers:
            follower.refused(nbytes, stream, pool)

    def drain(self, core: Core) -> None:
        """Merge freed blocks into the core, and deliver their events."""
        untold = self._undelivered
        before = core.telling and not untold  # Ctrl-C left rows in the core
        core.telling = True  # until it ends, no thread takes a block whose free is not yet in the history
        try:
            untold.extend(chain.from_iterable(iter(core.drain, [])))  # runs no Python code: see Note [Ctrl-C]
            while untold:
                try:
                    row = untold[0]
                    del untold[0]
                    self._deliver_freed(row)
                except KeyboardInterrupt:
                    untold.appendleft(row)
                    raise
        finally:
            core.telling = before or bool(untold)  # rows that Ctrl-C left are delivered first

    def forget(self) -> None:
        """Discard undelivered events: they belong to another process."""
        self._undelivered.clear()

    def _deliver_freed(self, row: Freed) -> None:
        if self.history is not None:
            self.history.freed((row,))
        if self._callbacks:
            address, capacity, nbytes, stream, uses = row
            self._deliver(MemoryEvent("free_requested", address, nbytes, capacity, stream, uses))
            if not uses:
                self._deliver(MemoryEvent("free_completed", address, nbytes, capacity, stream))

    def _deliver(self, event: MemoryEvent) -> None:
        self.requests += event.action in REQUEST_ACTIONS
        for listener in list(self._callbacks):
            try:
                listener(event)
            except Exception as error:  # must not fail the caller, which only allocates or reads statistics
                if listener not in self._failed:
                    self._failed.append(listener)
                    name = getattr(listener, "__qualname__", type(listener).__name__)
                    text = (
                        f"The listener {name} failed: {type(error).__name__}: {error!s:.200}. It keeps receiving events"
                    )
                    warnings.warn(text, RuntimeWarning, stacklevel=2)
