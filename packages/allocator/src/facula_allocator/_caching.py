"""The caching allocator: memory of any driver, reused by stream, with PyTorch's statistics."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING
from weakref import WeakSet, finalize

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, NoMemoryError
from facula_errors.extend import boundary, trim_traceback

from ._closing import close, close_late, forget_foreign
from ._core import Block, Core
from ._errors import OutOfMemoryError
from ._host import _size
from ._lending import borrow, recall
from ._memory_views import MemoryEvent, MemorySnapshot, segments_of, summary_of
from ._options import UNBOUNDED, Option, checked_options, environment_options
from ._pools import PoolOwner, current_pool
from ._process import collecting, watch
from ._size_classes import LARGEST
from ._waiting import Waiting, WaitingBlock
from .drivers.protocol import DriverError, checked_driver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .drivers.protocol import Driver

_allocators: WeakSet[CachingAllocator] = WeakSet()
_forks: list[object] = []  # not empty once the child of a fork is followed


@boundary
class CachingAllocator(PoolOwner):
    """Memory of a driver in blocks that are reused: at once on their own stream, after events on others.

    Safe from any thread; a block may be freed anywhere, in finalisers and during collections too. A forked child
    gives up memory that it may not use.

    Arguments:
        driver: where memory comes from: `HostDriver`, `SimulatedDriver` or what has the protocol `Driver`.
        limit: the most bytes taken from the driver; None for no limit.
        options: those of `Options`, by name: `max_split_size`, `garbage_collection_threshold`, `lend` and others. Those
            not given are read from the environment, `FACULA_ALLOCATOR_OPTIONS=max_split_size=64MiB,lend=no`.

    >>> from facula_allocator.drivers import SimulatedDriver
    >>> allocator = CachingAllocator(SimulatedDriver(1 << 30))
    >>> block = allocator.allocate(1000)
    >>> block.nbytes, block.capacity, allocator.memory_stats()["reserved_bytes.all.current"]
    (1000, 1024, 2097152)
    >>> block.free()
    >>> allocator.memory_stats()["allocated_bytes.all.current"], allocator.empty_cache()
    (0, 2097152)
    """

    __slots__ = (
        "_core", "_counts", "_fraction", "_inside", "_listeners", "_lock", "_refusal", "_segments", "_take", "_waiting",
        "driver", "limit", "options",
    )  # fmt: skip

    def __init__(self, driver: Driver, limit: int | None = None, **options: Option):
        self.driver = checked_driver(driver)
        self.limit = None if limit is None else _size("CachingAllocator", limit, "limit")
        self.options = checked_options({**environment_options(), **options}, driver.granularity)
        self._fraction: float | None = None
        self._listeners: list[Callable[[MemoryEvent], None]] = []
        super().__init__()  # `_detours` has an entry for each listener, too: not empty makes `allocate` look
        self._counts = dict.fromkeys(
            ("num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free"), 0
        )
        watch(releases_regions=False)
        self._open()
        _allocators.add(self)
        if not _forks:
            _forks.append(True)
            os.register_at_fork(after_in_child=_after_fork)

    def _open(self) -> None:
        """Begin with empty books."""
        self._lock = RLock()
        self._inside = False
        self._refusal: DriverError | None = None
        self._segments: dict[int, int] = {}
        options = self.options
        self._core = Core(
            collecting,
            self.driver.granularity,
            options.small_size,
            options.small_segment,
            options.large_segment,
            options.huge_size,
            options.huge_step,
            UNBOUNDED if options.max_split_size is None else options.max_split_size,
            options.roundup_power2_divisions,
        )
        self._core.listening = bool(self._listeners)
        self._take = self._core.take
        self._waiting = Waiting(self._core, self.driver, self._tell_completed)
        finalize(self._core, close, self.driver, self._segments).atexit = False

    # ------------------------------------------------------------------------------------------------------ allocation
    def allocate(self, nbytes: int, stream: int = 0) -> Block:
        """A block of at least `nbytes` for work on `stream`.

        Raises:
            OutOfMemoryError: neither idle nor new memory serves, after waiting for all streams.
            DriverError: the device fails while it is waited for.
        """
        if self._detours or (block := self._take(nbytes, stream, 0)) is None:
            try:
                return self._allocate(nbytes, stream)
            except FaculaError as error:
                trim_traceback(error)
                raise
        return block

    def _allocate(self, nbytes: int, stream: int) -> Block:
        nbytes, pool = _size("allocate", nbytes), current_pool(self)
        if type(stream) is not int or not -(1 << 63) <= stream < 1 << 63:
            raise InvalidTypeError(f"allocate: expected stream, an int of 64 bits; got {stream!r}")
        if not nbytes:
            return self._core.take_nothing(stream)
        if not self._listeners:
            return self._serve(nbytes, stream, pool)
        with self._lock:  # what is told has the order of the books in every thread
            self._drain()
            block = self._serve(nbytes, stream, pool)
            self._tell(MemoryEvent("alloc", block.ptr, nbytes, block.capacity, stream))
        return block

    def _serve(self, nbytes: int, stream: int, pool: int) -> Block:
        block = None
        if nbytes <= LARGEST:
            block = self._core.take(nbytes, stream, pool)
            if block is None:
                with self._lock:
                    block = self._allocate_slowly(nbytes, stream, pool)
        if block is None:
            refusal, self._refusal = self._refusal, None
            raise self._out_of_memory(nbytes, stream) from refusal
        return block

    def _allocate_slowly(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """See Note [The slow path]. A finaliser may come here while this thread is inside: it gets what is idle or new.

        Note [The slow path]: in this order: what is free once events are recorded; what is free by events that are
        done; what is free once the stream waits for events; a block of another stream, waited for, and one that is
        whole once lent memory went home; a new segment; and after a refusal whatever is free when all work is over,
        merged across streams, or given back for a new segment.
        While a graph is captured no event is recorded, asked or waited for: CUDA forbids it.
        """
        self._refusal = None
        if self._inside:
            return self._core.take_now(nbytes, stream, pool) or self._grow(nbytes, stream, pool)
        self._inside = True
        try:
            close_late()
            waiting, take = self._waiting, self._core.take_now
            waiting.collect()
            capturing = self.driver.is_capturing()
            if not capturing:
                waiting.record()
            block = take(nbytes, stream, pool)
            if block is None and not capturing:
                size = self._core.round(nbytes)[0]
                if len(waiting) and waiting.reclaim_done():
                    block = take(nbytes, stream, pool)
                if block is None and len(waiting) and waiting.wait(stream, pool, size):
                    block = take(nbytes, stream, pool)
                    if block is None and waiting.wait(stream, pool, UNBOUNDED):
                        block = take(nbytes, stream, pool)
                if block is None and self.options.lend:
                    block = borrow(self._core, self.driver, nbytes, stream, pool)
                    if block is None and recall(self._core, self.driver, pool):
                        block = take(nbytes, stream, pool) or borrow(self._core, self.driver, nbytes, stream, pool)
                if block is None and self.options.garbage_collection_threshold is not None:
                    block = self._collect_garbage(nbytes, stream, pool)
            if block is None:
                block = self._grow(nbytes, stream, pool)
            if block is None and not capturing:
                block = self._last_resort(nbytes, stream, pool)
            return block or self._grow(nbytes, stream, pool, exactly=True)
        finally:
            self._inside = False

    def _grow(self, nbytes: int, stream: int, pool: int, exactly: bool = False) -> Block | None:
        """A block from a new segment; None when the limit or the driver refuses."""
        size, segment = self._core.round(nbytes)
        wanted = size if exactly else segment
        if wanted <= 0 or self._core.reserved() + wanted > self._budget():
            return None
        try:
            address = self.driver.allocate(wanted)
        except DriverError as refusal:
            self._refusal = refusal.with_traceback(None)  # which would keep the frames of all callers
            return None
        try:
            block = self._core.grow(address, wanted, nbytes, stream, pool)
        except MemoryError:
            self.driver.free(address, wanted)
            raise NoMemoryError("allocate: no memory for the allocator's own books") from None
        self._segments[address] = wanted
        self._counts["num_device_alloc"] += 1
        if self._listeners:
            self._tell(MemoryEvent("segment_alloc", address, wanted, wanted, stream))
        return block

    def _collect_garbage(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """Give idle segments back while a new one would pass the threshold; a block if one is idle after all."""
        budget, part = self._budget(), self.options.garbage_collection_threshold
        if budget == UNBOUNDED or part is None:
            return None
        over = self._core.reserved() + self._core.round(nbytes)[1] - int(part * budget)
        if over <= 0:
            return None
        epoch = self._finish_work()
        block = self._core.take_any(nbytes, stream, pool, epoch)
        if block is None:
            for given in self._release_idle(epoch):
                over -= given
                if over <= 0:
                    break
        return block

    def _last_resort(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """A block after all work is over: from merged idle memory, or from a segment in the place of idle ones."""
        self._counts["num_alloc_retries"] += 1
        epoch = self._finish_work()
        block = self._core.take_any(nbytes, stream, pool, epoch)
        if block is None:
            for _ in self._release_idle(epoch):
                block = self._grow(nbytes, stream, pool)
                if block is not None:
                    break
        return block

    def _finish_work(self) -> int:
        """Wait for all work; then what was freed before is free, and merged across streams. The new epoch."""
        self._drain()
        self._waiting.collect()
        epoch = self._core.begin_epoch()
        self.driver.synchronize()
        self._counts["num_sync_all_streams"] += 1
        self._waiting.finish(epoch)
        self._core.consolidate(epoch)
        return epoch

    def _release_idle(self, epoch: int) -> Iterator[int]:
        """Give segments back that were idle before the epoch, the largest first: their sizes, one by one."""
        for size, address, stream, pool, kind in sorted(self._core.idle_segments(epoch), reverse=True):
            if pool in self._open_pools or not self._core.drop_segment(address, epoch):
                continue
            gone = False
            try:
                self.driver.free(address, size)
                gone = True
            except DriverError:
                continue
            finally:
                if not gone:
                    again = size if kind else min(size, self.options.small_size)
                    self._core.grow(address, size, again, stream, pool).free()
            del self._segments[address]
            self._counts["num_device_free"] += 1
            if self._listeners:
                self._tell(MemoryEvent("segment_free", address, size, size, stream))
            yield size

    def _budget(self) -> int:
        """The most bytes that may be taken from the driver."""
        budget = UNBOUNDED if self.limit is None else self.limit
        if self._fraction is not None:
            budget = min(budget, int(self._fraction * self.driver.memory_info()[1]))
        return budget

    def _out_of_memory(self, nbytes: int, stream: int) -> OutOfMemoryError:
        self._counts["num_ooms"] += 1
        now = self._core.statistics()
        allocated, reserved = now["allocated_bytes.all.current"], now["reserved_bytes.all.current"]
        budget = self._budget()
        limit = None if budget == UNBOUNDED else budget
        error = OutOfMemoryError(nbytes, allocated, reserved, reserved - allocated, limit)
        error.operation = "allocate"
        error.memory = self.driver.memory
        error.remedy = "raise the limit"
        if self._listeners:
            self._tell(MemoryEvent("oom", 0, nbytes, nbytes, stream))
        return error

    # ----------------------------------------------------------------------------------------------------- what is held
    def empty_cache(self) -> int:
        """Wait for all work and give idle segments back to the driver; the bytes given back.

        Nothing while a graph is captured. Segments of private pools stay as long as their pools live.
        """
        with self._lock:
            if self._inside or self.driver.is_capturing():
                return 0
            self._inside = True
            try:
                close_late()
                return sum(self._release_idle(self._finish_work()))
            finally:
                self._inside = False

    def set_memory_fraction(self, fraction: float | None) -> None:
        """Take at most this part of the driver's memory, 0 < `fraction` <= 1; None for all of it."""
        if fraction is not None:
            if isinstance(fraction, bool) or not isinstance(fraction, int | float):
                raise InvalidTypeError(f"set_memory_fraction: expected fraction, a float or None; got {fraction!r}")
            if not 0 < fraction <= 1:
                raise InvalidValueError(f"set_memory_fraction: expected 0 < fraction <= 1; got {fraction}")
        self._fraction = fraction

    def memory_stats(self) -> dict[str, int]:
        """Exact figures by PyTorch's names: "allocated_bytes.all.current", "num_ooms" and so on.

        allocated: in blocks in use. active: those, and freed ones that other streams may still use. reserved: taken
        from the driver. inactive_split: idle, beside a block in use. requested: allocated without rounding up.
        Blocks that were freed count as free, also before the next allocation merges them.
        """
        self._drain()
        bound = self.options.max_split_size
        return {**self._core.statistics(), **self._counts, "max_split_size": -1 if bound is None else bound}

    def reset_peak_memory_stats(self) -> None:
        """Let peaks start again at what is held now."""
        self._core.reset(False)

    def reset_accumulated_memory_stats(self) -> None:
        """Let the figures "allocated" and "freed", and the counts "num_...", start again at 0."""
        self._core.reset(True)
        self._counts.update(dict.fromkeys(self._counts, 0))

    def memory_summary(self) -> str:
        """A table of `memory_stats`, for people."""
        return summary_of(self.memory_stats(), self.driver.memory)

    def memory_snapshot(self) -> MemorySnapshot:
        """All segments and their blocks, as `torch.cuda.memory._snapshot()` shows them."""
        self._drain()
        settings = {**self.options._asdict(), "limit": self.limit}
        return {"segments": segments_of(self._core), "device_traces": [[]], "allocator_settings": settings}

    # ------------------------------------------------------------------------------------------------------- listeners
    def add_listener(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Tell `listener` of each `MemoryEvent`, in the order in which the allocator's books change.

        A free is told of when it takes effect: at the next allocation, look at statistics or `empty_cache`.
        """
        self._listeners.append(listener)
        self._detours.append(listener)
        self._core.listening = True

    def remove_listener(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Tell `listener` no more."""
        if listener not in self._listeners:
            raise InvalidValueError(f"remove_listener: expected one that was added; got {listener!r}")
        self._drain()
        self._listeners.remove(listener)
        self._detours.remove(listener)
        self._core.listening = bool(self._listeners)

    def _tell(self, event: MemoryEvent) -> None:
        for listener in list(self._listeners):
            listener(event)

    def _tell_completed(self, block: WaitingBlock) -> None:
        if self._listeners:
            self._tell(MemoryEvent("free_completed", block.address, block.requested, block.size, block.stream))

    def _drain(self) -> None:
        """Merge what was freed, and tell of it."""
        with self._lock:
            for address, capacity, nbytes, stream, uses in self._core.drain():
                self._tell(MemoryEvent("free_requested", address, nbytes, capacity, stream, uses))
                if not uses:
                    self._tell(MemoryEvent("free_completed", address, nbytes, capacity, stream))

    def _after_fork(self) -> None:
        """In the child: locks that other threads held are new, and memory that only the parent may use is forgotten."""
        if self.driver.survives_fork:
            self._lock = RLock()
            self._inside = False
        else:
            self._core.abandoned = True
            self._segments.clear()
            self._open()

    def __repr__(self) -> str:
        return f"<CachingAllocator, {self._core.reserved()} bytes of {self.driver!r}>"


def _after_fork() -> None:
    forget_foreign()
    for allocator in list(_allocators):
        allocator._after_fork()
