"""Private pools of device memory, with PyTorch's names: memory for a part of a program, or for graphs that share it."""

from __future__ import annotations

from collections.abc import Iterator

from facula_allocator import use_mem_pool as use_private_pool
from facula_errors import InvalidTypeError
from facula_errors.extend import boundary, guarded

from .devices import AnyDevice, index_of
from .driver import open_driver
from .graphs import PoolHandle, graph_pool_handle, private_pool


class MemPool:
    """Memory that only the blocks of `use_mem_pool(pool)` take, on any device.

    Its idle memory stays in the pool as long as the pool exists. `graph(..., pool=pool.id)` captures a graph in it.

    >>> from facula_cuda import is_available
    >>> from facula_cuda.testing import simulate
    >>> if not is_available():
    ...     simulate()
    >>> pool = MemPool()
    >>> with use_mem_pool(pool):
    ...     pass  # tensors that are created here have memory of the pool
    """

    __slots__ = ("__weakref__", "_id", "_pools")

    @boundary
    def __init__(self) -> None:
        open_driver()
        self._id = graph_pool_handle()
        self._pools: dict[int, object] = {}

    @property
    def id(self) -> PoolHandle:
        """The handle of the pool, for graphs."""
        return self._id

    def __repr__(self) -> str:
        return f"<facula_cuda.MemPool {self._id}>"


@guarded
def use_mem_pool(pool: MemPool, device: AnyDevice = None) -> Iterator[None]:
    """Return a context manager: a block in which this thread takes a device's memory from a pool.

    Arguments:
        pool: the pool.
        device: the device, by default the current one.
    """
    if not isinstance(pool, MemPool):
        raise InvalidTypeError(f"use_mem_pool: expected pool, a MemPool; got {pool!r:.60}")
    index = index_of("use_mem_pool", device)
    private = pool._pools[index] = private_pool(pool._id, index)
    with use_private_pool(private):
        yield
