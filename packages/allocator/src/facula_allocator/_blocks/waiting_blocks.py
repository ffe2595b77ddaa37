"""Waiting blocks: freed while other streams still use them, and the events after which they are free."""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ..drivers.protocol import DriverError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import Core
    from .._observers.listeners import Listeners
    from ..drivers.protocol import Driver


class _AwaitedEvent:
    """A driver event, shared by the blocks that were freed at about the same time."""

    __slots__ = ("handle", "requests", "stream", "users")

    def __init__(self, handle: int, stream: int, requests: int):
        self.handle = handle
        self.stream = stream
        self.requests = requests  # the number of requests delivered to listeners when it was recorded
        self.users = 0


class WaitingBlock(NamedTuple):
    """A freed block with uses, as the core returns it."""

    id: int
    stream: int
    pool: int
    address: int
    size: int
    requested: int
    uses: tuple[int, ...]


_as_block = partial(tuple.__new__, WaitingBlock)  # runs no Python code that Ctrl-C could interrupt


class WaitingBlocks:
    """All waiting blocks of an allocator. One thread at a time, and never re-entered.

    Note [Later is safe]: an event recorded after the free also follows all work that was queued before the free. A free
    therefore need not record anything, and may happen in a finaliser or on a thread without a device.

    Each block is removed immediately before the call that frees it, so that Ctrl-C neither loses a block nor frees it
    twice: see Note [Ctrl-C] in `_blocks/slow_path.py`.

    Arguments:
        core: the allocator's core.
        driver: records the events.
        listeners: notified of each block that becomes free, and of events that are done.
    """

    __slots__ = ("_core", "_driver", "_listeners", "_recorded", "_unrecorded")

    def __init__(self, core: Core, driver: Driver, listeners: Listeners):
        self._core = core
        self._driver = driver
        self._listeners = listeners
        self._unrecorded: deque[WaitingBlock] = deque()
        self._recorded: dict[WaitingBlock, list[_AwaitedEvent]] = {}  # in the order of the records

    def collect(self) -> None:
        """Take over the waiting blocks that the core has drained."""
        rows = chain.from_iterable(iter(self._core.take_waiting, []))
        self._unrecorded.extend(map(_as_block, rows))

    def record(self) -> None:
        """Record an event on each stream that uses a collected block; retry later if the driver refuses."""
        events: dict[int, _AwaitedEvent] = {}
        requests = self._listeners.requests
        try:
            for _ in range(len(self._unrecorded)):
                block = self._unrecorded[0]
                try:
                    for stream in block.uses:
                        if stream not in events:
                            events[stream] = _AwaitedEvent(self._driver.record_event(stream), stream, requests)
                except DriverError:
                    self._unrecorded.rotate(-1)
                    continue
                mine = [events[stream] for stream in block.uses]
                for event in mine:
                    event.users += 1
                self._recorded[block] = mine
                del self._unrecorded[0]
        finally:
            for event in events.values():
                if not event.users:
                    self._forget(event)

    def reclaim_done(self) -> bool:
        """Free the blocks whose events are done; return whether there were any.

        Events of a stream are queried in order, up to the first one that is not done.
        """
        done: dict[_AwaitedEvent, bool] = {}
        busy: set[int] = set()
        for events in self._recorded.values():
            for event in events:
                if event not in done:
                    done[event] = event.stream not in busy and self._is_done(event)
                    if not done[event]:
                        busy.add(event.stream)
                    for follower in self._listeners.followers if done[event] else ():
                        follower.done(event.stream, event.requests)
        found = [block for block, events in self._recorded.items() if all([done[event] for event in events])]
        self._free(found)
        return bool(found)

    def wait(self, stream: int, pool: int, size: int) -> bool:
        """Make `stream` wait for its own waiting blocks and free them: one that is large enough, otherwise all.

        Arguments:
            stream: the stream of the freed blocks, which others still use.
            pool: the private pool.
            size: the requested bytes.
        """
        mine = [block for block in self._recorded if block.stream == stream and block.pool == pool]
        fitting = [block for block in mine if block.size >= size]
        if fitting:
            mine = [min(fitting, key=lambda block: block.size)]
        waited: set[_AwaitedEvent] = set()
        ready = []
        try:
            for block in mine:
                for event in self._recorded[block]:
                    if event not in waited:
                        self._driver.wait_event(stream, event.handle)
                        waited.add(event)
                ready.append(block)
        except DriverError:
            pass  # the blocks handled so far are ready
        self._free(ready)
        return bool(ready)

    def finish(self, epoch: int) -> None:
        """Free all collected blocks: the device was synchronized in this epoch, after they were collected."""
        while self._unrecorded:
            block = self._unrecorded[0]
            del self._unrecorded[0]
            self._core.reclaim(block.id, epoch - 1)
            self._notify_freed(block)
        self._free(list(self._recorded), epoch - 1)

    def __len__(self) -> int:
        return len(self._recorded) + len(self._unrecorded)

    def _is_done(self, event: _AwaitedEvent) -> bool:
        try:
            return self._driver.event_done(event.handle)
        except DriverError:
            return False

    def _free(self, blocks: Iterable[WaitingBlock], epoch: int = -1) -> None:
        for block in blocks:
            events = self._recorded[block]
            del self._recorded[block]
            self._core.reclaim(block.id, epoch)
            for event in events:
                event.users -= 1
                if not event.users:
                    self._forget(event)
            self._notify_freed(block)

    def _notify_freed(self, block: WaitingBlock) -> None:
        self._listeners.notify("free_completed", block.address, block.requested, block.size, block.stream)

    def _forget(self, event: _AwaitedEvent) -> None:
        try:
            self._driver.free_event(event.handle)
        except DriverError:
            pass  # the driver keeps the event; this object no longer refers to it
