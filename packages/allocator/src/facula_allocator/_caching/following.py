"""Host memory with every block followed: peaks, call sites, traces and snapshots that show who holds memory.

Note [Followed blocks]: a `HostAllocator` is fast because no code runs when a block is taken from a free list or put
back. Following a host allocator switches to another path: its `refill` then serves from a `CachingAllocator` over the
same account, which has listeners, a history and exact peaks. The shared account makes the limit and all figures apply
to both together. Callables of `take_for` would still take from the free lists; callers must not use them while blocks
are followed, just as during a collection. Both paths may be mixed at any time, since a block returns to its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback

from .._errors import OutOfMemoryError
from .._host.host_allocator import HostAllocator, default_host_allocator
from ..drivers import HostDriver
from ..snapshots import explain
from .caching_allocator import CachingAllocator
from .storage_allocator import StorageAllocator

if TYPE_CHECKING:
    from .._host.regions import Account
    from .._host.size_classes import Block
    from .._observers.listeners import MemoryEvent


class _AccountDriver(HostDriver):
    """Host memory that counts in another allocator's account."""

    __slots__ = ()

    def __init__(self, account: Account):
        super().__init__()
        self._account = account


class PeakWatch:
    """Listener that tracks the most bytes in use at once, in followed and other blocks.

    Other blocks can only decrease, so they are counted only when a new peak is near.
    """

    __slots__ = ("_allocator", "_followed", "_others", "peak")

    def __init__(self, allocator: HostAllocator, followed: int):
        self._allocator = ref(allocator)  # avoids a cycle, which only the collector would free
        self._followed = followed
        self.reset()

    def reset(self) -> None:
        """Restart the peak at the bytes in use now."""
        self._others = self._count_others()
        self.peak: int = self._followed + self._others

    def _count_others(self) -> int:
        allocator = self._allocator()
        return 0 if allocator is None else allocator._unfollowed()[0]

    def __call__(self, event: MemoryEvent) -> None:
        if event.action == "alloc":
            self._followed += event.capacity
            if self._followed + self._others > self.peak:
                self._others = self._count_others()
                self.peak = max(self.peak, self._followed + self._others)
        elif event.action == "free_requested":
            self._followed -= event.capacity


class _FollowedHostAllocator(HostAllocator):
    """The class of a host allocator while it is followed: `follow` changes `__class__`, so others have no overhead."""

    __slots__ = ()

    def refill(self, nbytes: int) -> Block:
        """Return a followed block of at least `nbytes`. Raises OutOfMemoryError if there is none even after `trim`."""
        follower = self._follower
        if follower is None:
            return super().refill(nbytes)
        self.tidy()
        try:
            try:
                return follower.refill(nbytes)
            except OutOfMemoryError:
                self.trim()  # also releases idle blocks of the free lists
                try:
                    return follower.refill(nbytes)
                except OutOfMemoryError:
                    return self._refuse(nbytes)
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _explanation(self, nbytes: int) -> str:
        limit = self._account.limit
        try:
            text = explain(self.memory_snapshot(), nbytes, limit=limit, place="host memory")
        except (FaculaError, MemoryError):
            return ""  # the first line suffices
        return text.partition("\n")[2]


@boundary
def follow(allocator: HostAllocator | None = None) -> CachingAllocator:
    """Serve every block from a `CachingAllocator`, which sees each one, until `unfollow`.

    Code that keeps callables of `take_for` must not call them until then: their blocks would be counted but not
    followed. For CPU tensors, `facula.cpu.record_memory_history()` takes care of this.

    Arguments:
        allocator: the allocator to follow; the shared one by default.

    Returns:
        The allocator that serves the blocks. Its listeners, history, statistics and snapshots cover the followed
        blocks. Every call returns the same one.

    >>> allocator = HostAllocator()
    >>> seen = []
    >>> caching = follow(allocator)
    >>> caching.add_listener(lambda event: seen.append((event.action, event.nbytes)))
    >>> address, release = allocator.refill(1000)
    >>> release()
    >>> allocator.memory_stats()["allocated_bytes.all.peak"]
    1024
    >>> unfollow(allocator)
    >>> [entry for entry in seen if entry[1] == 1000]
    [('alloc', 1000), ('free_requested', 1000), ('free_completed', 1000)]
    """
    allocator = _checked_allocator("follow", allocator)
    front = allocator._follower
    if not isinstance(front, StorageAllocator):
        front = allocator._follower = StorageAllocator(CachingAllocator(_AccountDriver(allocator._account)))
    caching = front.allocator
    if allocator._watch is None:
        watch = PeakWatch(allocator, caching.memory_stats()["allocated_bytes.all.current"])
        caching.add_listener(watch)
        allocator._watch = watch
    allocator.__class__ = _FollowedHostAllocator
    return caching


@boundary
def unfollow(allocator: HostAllocator | None = None) -> None:
    """Serve from the free lists again. Followed blocks still count, and return to the allocator that served them."""
    allocator = _checked_allocator("unfollow", allocator)
    allocator.__class__ = HostAllocator
    watch, allocator._watch = allocator._watch, None
    front = allocator._follower
    if isinstance(watch, PeakWatch) and isinstance(front, StorageAllocator):
        front.allocator.remove_listener(watch)
        front.trim()


def _checked_allocator(operation: str, allocator: HostAllocator | None) -> HostAllocator:
    if allocator is None:
        return default_host_allocator()
    if not isinstance(allocator, HostAllocator):
        raise InvalidTypeError(f"{operation}: expected allocator, a HostAllocator or None; got {allocator!r:.60}")
    return allocator
