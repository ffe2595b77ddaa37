"""Pools whose maps can start while all workers are being replaced."""

from __future__ import annotations

from multiprocessing import pool
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    _Pool: TypeAlias = pool.Pool
else:
    _Pool = pool.Pool


class Pool(_Pool):
    """A pool of processes.

    `multiprocessing` divides by the current number of workers, which is briefly 0 when all have ended.
    """

    _processes: int

    def _map_async(
        self, func: Any, iterable: Any, mapper: Any, chunksize: int | None = None, *callbacks: Any, **named: Any
    ) -> Any:
        """Start a map with the chunk size that `multiprocessing` computes for the full number of workers."""
        if chunksize is None:
            iterable = iterable if hasattr(iterable, "__len__") else list(iterable)
            chunksize = -(-len(iterable) // (4 * self._processes))
        return super()._map_async(func, iterable, mapper, chunksize, *callbacks, **named)  # type: ignore[misc]
