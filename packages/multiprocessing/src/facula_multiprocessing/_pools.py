"""Pools whose workers must begin: where none does, what was asked of the pool fails, and says why."""

from __future__ import annotations

from multiprocessing import pool
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_errors import OperationError

from ._guard import GUARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ._queues import Connection

    _Pool: TypeAlias = pool.Pool
else:
    _Pool = pool.Pool

__all__ = ["Pool"]

_PATIENCE = 2  # workers beyond the first ones that may end before one begins


def _begin(begun: Connection, initializer: Callable[..., object] | None, initargs: Iterable[Any]) -> None:
    """What a worker does before its first task."""
    if initializer is not None:
        initializer(*initargs)
    begun.send_bytes(b"")
    begun.close()


class _Workers:
    """The workers of a pool as they are started, and the end of the pool where all of them end before they begin.

    A stand-in for `Pool.Process`. It holds no pool, so that one that is dropped ends.
    """

    def __init__(self, processes: int, begun: Connection) -> None:
        self._most, self._begun = processes + _PATIENCE, begun
        self._well = False  # whether one has begun
        self._made: list[Any] = []
        self._failed, self._failing = 0, Lock()
        self.cache: dict[int, Any] = {}
        self.tasks: Any = None
        self.error: OperationError | None = None

    def __call__(self, ctx: Any, *args: Any, **options: Any) -> Any:
        """A new worker, not started; in the pool's thread, SystemExit where none is of use."""
        while self._begun.poll():
            self._begun.recv_bytes()
            self._well = True
        ended = [one for one in self._made if one.exitcode is not None]
        self._made = [one for one in self._made if one.exitcode is None]
        self._failed += sum(bool(one.exitcode) for one in ended)
        if not self._well and self._failed >= self._most:
            self._give_up()
        made = ctx.Process(*args, **options)
        if not self._well:
            self._made.append(made)
        return made

    def _give_up(self) -> None:
        self.error = OperationError(
            f"Pool: {self._failed} workers ended before their first task; their errors are above; {GUARD}"
        )
        self.tasks.put(None)  # as the thread does that this ends
        self.fail_all()
        raise SystemExit

    def fail_all(self) -> None:
        """Once the pool has ended, let what was asked of it fail."""
        if self.error is None:
            return
        with self._failing:
            for job, result in list(self.cache.items()):
                left = getattr(result, "_number_left", None) or (getattr(result, "_length", None) or 1)
                for _ in range(left):
                    if job in self.cache:
                        result._set(getattr(result, "_index", 0), (False, self.error))


class Pool(_Pool):
    """A pool of processes, which raises an error where its workers end before their first task."""

    _cache: dict[int, Any]
    _processes: int
    _taskqueue: Any

    def __init__(
        self,
        processes: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        maxtasksperchild: int | None = None,
        context: Any = None,
    ) -> None:
        if initializer is None or callable(initializer):
            initargs, initializer = (initializer, initargs), _begin
        self._options = context, initargs
        super().__init__(processes, initializer, initargs, maxtasksperchild, context)

    def _repopulate_pool(self) -> None:
        """Start the first workers."""
        context, initargs = self._options
        read, write = context.Pipe(duplex=False)
        self._workers = _Workers(self._processes, read)
        self._workers.cache, self._workers.tasks = self._cache, self._taskqueue
        self._initargs = (write, *initargs)
        self.__dict__["Process"] = self._workers
        super()._repopulate_pool()  # type: ignore[misc]

    def _map_async(
        self, func: Any, iterable: Any, mapper: Any, chunksize: int | None = None, *callbacks: Any, **named: Any
    ) -> Any:
        """Begin a map. The chunks are those of `multiprocessing`, which fails while all workers are being replaced."""
        if chunksize is None:
            iterable = iterable if hasattr(iterable, "__len__") else list(iterable)
            chunksize = -(-len(iterable) // (4 * self._processes))
        result = super()._map_async(func, iterable, mapper, chunksize, *callbacks, **named)  # type: ignore[misc]
        self._workers.fail_all()  # if it ended meanwhile
        return result

    def apply_async(self, *args: Any, **options: Any) -> Any:
        """Begin a call. Arguments: those of `multiprocessing`."""
        result = super().apply_async(*args, **options)
        self._workers.fail_all()
        return result

    def _check_running(self) -> None:
        if self._workers.error is not None:
            raise self._workers.error
        super()._check_running()  # type: ignore[misc]
