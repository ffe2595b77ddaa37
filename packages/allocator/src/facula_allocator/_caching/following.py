"""Host memory with every block followed: peaks, call sites, traces and snapshots that say who holds what.

Note [Followed blocks]: a `HostAllocator` is fast because nobody looks when a block is taken from a free list or put
back. Who wants to know all of them asks for another way: while an allocator is followed its `refill` serves from a
`CachingAllocator` over the same account (so that the limit and all figures hold for both together), which has
listeners, a history and exact peaks. Callables of `take_for` would go on taking from the free lists; callers leave them
alone meanwhile, as during a collection. Both ways may be mixed at any time, since a block goes back where it came from.
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
    """Host memory that is counted in another allocator's account."""

    __slots__ = ()

    def __init__(self, account: Account):
        super().__init__()
        self._account = account


class PeakWatch:
    """The most bytes in use at once, in followed blocks and others: a listener.

    Others can only become fewer, so they are counted where a new peak is near.
    """

    __slots__ = ("_allocator", "_followed", "_others", "peak")

    def __init__(self, allocator: HostAllocator, followed: int):
        self._allocator = ref(allocator)  # no cycle, which the collector alone would free
        self._followed = followed
        self.reset()

    def reset(self) -> None:
        """Begin with what is in use now."""
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
    """What a host allocator is while it is followed: `follow` changes its class, so that others pay nothing."""

    __slots__ = ()

    def refill(self, nbytes: int) -> Block:
        """A followed block of at least `nbytes`; OutOfMemoryError when there is none even after `trim`."""
        follower = self._follower
        if follower is None:
            return super().refill(nbytes)
        self.tidy()
        try:
            try:
                return follower.refill(nbytes)
            except OutOfMemoryError:
                self.trim()  # idle blocks of the free lists, too
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
            return ""  # the first line says enough
        return text.partition("\n")[2]


@boundary
def follow(allocator: HostAllocator | None = None) -> CachingAllocator:
    """Let every block from now on come from a `CachingAllocator`, which sees each one, until `unfollow`.

    Whoever keeps callables of `take_for` must not call them meanwhile: their blocks are counted, but not followed. The
    tensors of the CPU know it from `facula.cpu.record_memory_history()`.

    Arguments:
        allocator: whose blocks; by default those of the shared one.

    Returns:
        What serves the blocks: its listeners, its history, its statistics and snapshots are those of the blocks that
        are followed. The same one each time.

    >>> allocator = HostAllocator()
    >>> seen = []
    >>> caching = follow(allocator)
    >>> caching.add_listener(lambda event: seen.append((event.action, event.nbytes)))
    >>> address, release = allocator.refill(1000)
    >>> release()
    >>> allocator.memory_stats()["allocated_bytes.all.peak"]
    1024
    >>> unfollow(allocator)
    >>> [one for one in seen if one[1] == 1000]
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
    """Serve from the free lists again; followed blocks are still counted, and go back where they came from."""
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
