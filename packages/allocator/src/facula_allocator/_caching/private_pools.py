"""Private pools: memory reserved for a captured graph or for a part of a program."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import TYPE_CHECKING
from weakref import finalize

from facula_errors import InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator

_next_id = count(1).__next__
_current: ContextVar[MemPool | None] = ContextVar("facula_allocator_mem_pool", default=None)


class PoolOwner:
    """State of an allocator with private pools: the numbers of live pools, and a list of the pools in use anywhere."""

    __slots__ = ("__weakref__", "_detours", "_open_pools")

    def __init__(self) -> None:
        self._open_pools: set[int] = set()
        self._detours: list[object] = []


class MemPool:
    """A private pool of an allocator: blocks allocated inside `use_mem_pool` are cut from its own segments.

    Idle memory stays in the pool, at the same addresses, as long as the pool lives: a captured graph may write there.
    When the pool is gone, `empty_cache` and allocations that would otherwise fail release it.

    >>> from facula_allocator._caching.caching_allocator import CachingAllocator
    >>> from facula_allocator.drivers import SimulatedDriver
    >>> allocator = CachingAllocator(SimulatedDriver(1 << 30))
    >>> pool = MemPool(allocator)
    >>> with use_mem_pool(pool):
    ...     block = allocator.allocate(1000)
    >>> [segment["segment_pool_id"] == pool.id for segment in allocator.memory_snapshot()["segments"]]
    [True]
    """

    __slots__ = ("__weakref__", "_number", "allocator")

    def __init__(self, allocator: PoolOwner):
        if not isinstance(allocator, PoolOwner):
            raise InvalidTypeError(f"MemPool: expected allocator, a CachingAllocator; got {allocator!r}")
        self.allocator = allocator
        self._number = _next_id()
        allocator._open_pools.add(self._number)
        finalize(self, allocator._open_pools.discard, self._number).atexit = False

    @property
    def id(self) -> tuple[int, int]:
        """The pool's identifier in snapshots."""
        return 0, self._number

    def __repr__(self) -> str:
        return f"<MemPool {self._number} of {self.allocator!r}>"


@contextmanager
def use_mem_pool(pool: MemPool) -> Iterator[None]:
    """Serve allocations of this thread or task from `pool`, if they use the pool's allocator."""
    if not isinstance(pool, MemPool):
        raise InvalidTypeError(f"use_mem_pool: expected pool, a MemPool; got {pool!r}")
    detours = pool.allocator._detours
    token = _current.set(pool)
    detours.append(pool)
    try:
        yield
    finally:
        detours.remove(pool)
        _current.reset(token)


def current_pool(allocator: PoolOwner) -> int:
    """Return the number of the private pool that serves this allocator here; 0 for none."""
    pool = _current.get()
    return pool._number if pool is not None and pool.allocator is allocator else 0
