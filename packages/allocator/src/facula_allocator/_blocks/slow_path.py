"""How a block is found where none of its stream's is idle, and how idle memory goes back to the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import NoMemoryError

from .._options import UNBOUNDED
from ..drivers.protocol import DriverError, as_refusal, check_address, supports_virtual_memory
from .closing import close_deferred
from .expandable_segments import ReservedRanges
from .lending import borrow, recall
from .waiting_blocks import WaitingBlocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import Block, Core
    from .._observers.listeners import Listeners
    from .._options import Options
    from ..drivers.protocol import Driver
    from .budget import Budget
    from .expandable_segments import ReservedRange


class SlowPath:
    """What an allocator tries when its core has no idle block. One thread at a time: its lock is held.

    Note [The slow path]: in this order: what is free once events are recorded; what is free by events that are
    done; what is free once the stream waits for events; a block of another stream, waited for, and one that is
    whole once lent memory went home; a new segment; and after a refusal whatever is free when all work is over,
    merged across streams, or given back for a new segment.
    While a graph is captured no event is recorded, asked or waited for: CUDA forbids it.

    Note [Ctrl-C]: a KeyboardInterrupt comes between two instructions of Python, so also after a call and before its
    result is stored: memory that a driver gave would be lost. Such a call is made by C code that stores what it gives,
    `list.extend` over a `map`; and an entry that says who owns something is deleted right before the call that gives it
    away, with no call between. What a driver itself was doing when it was interrupted is not known: a segment that it
    was freeing then is never used again.

    Arguments:
        core: the books.
        driver: where memory comes from.
        options: the allocator's.
        budget: how much may be taken.
        listeners: who is told.
        open_pools: the private pools that live, by number; their idle segments stay.
        counts: what is counted here, by PyTorch's names.
    """

    __slots__ = (
        "_budget", "_core", "_counts", "_driver", "_listeners", "_open_pools", "_options", "_ranges", "_waiting",
        "capturing", "inside", "refusal", "segments",
    )  # fmt: skip

    def __init__(
        self, core: Core, driver: Driver, options: Options, budget: Budget, listeners: Listeners,
        open_pools: set[int], counts: dict[str, int],
    ):  # fmt: skip
        self._core = core
        self._driver = driver
        self._options = options
        self._budget = budget
        self._listeners = listeners
        self._open_pools = open_pools
        self._counts = counts
        self._waiting = WaitingBlocks(core, driver, listeners)
        self.capturing = False  # what the driver said last
        self.inside = False
        self.refusal: DriverError | None = None
        self.segments: dict[int, int] = {}
        self._ranges: ReservedRanges | None = None
        if options.expandable_segments is not False and supports_virtual_memory(driver):
            self._ranges = ReservedRanges(core, driver, budget, listeners, counts)

    @property
    def ranges(self) -> dict[int, ReservedRange]:
        """Reserved addresses by their start, with the pages that have memory."""
        return {} if self._ranges is None else self._ranges.held

    def forget(self) -> None:
        """Forget all memory: it is another process's."""
        self.segments.clear()
        self.ranges.clear()

    def allocate(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """A block, or None: then `refusal` is the driver's last word, if any.

        A finaliser may come here while this thread is inside: it gets what is idle or new.
        """
        self.refusal = None
        if self.inside:
            return self._core.take_now(nbytes, stream, pool) or self._grow(nbytes, stream, pool)
        self.inside = self._core.telling = True
        try:
            close_deferred()
            waiting, take = self._waiting, self._core.take_now
            waiting.collect()
            capturing = self.capturing = self._driver.is_capturing()
            if not capturing:
                waiting.record()
            block = take(nbytes, stream, pool)
            if block is None and not capturing:
                block = self._reuse(nbytes, stream, pool)
                if block is None and self._options.garbage_collection_threshold is not None:
                    block = self._collect_garbage(nbytes, stream, pool)
            if block is None:
                block = self._grow(nbytes, stream, pool)
            if block is None and not capturing:
                block = self._last_resort(nbytes, stream, pool)
            block = block or self._grow(nbytes, stream, pool, exactly=True)
            return block
        finally:
            self.inside = self._core.telling = False

    def release_all(self) -> int:
        """Wait for all work and give idle segments back: the bytes. Nothing while a graph is captured."""
        if self.inside:
            return 0
        self.capturing = self._driver.is_capturing()
        if self.capturing:
            return 0
        self.inside = self._core.telling = True
        try:
            close_deferred()
            self._listeners.drain(self._core)
            for follower in self._listeners.followers:
                follower.emptying()
            given = sum(self._release_idle(self._finish_work()))
            return given
        finally:
            self.inside = self._core.telling = False

    def _reuse(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """A block that is free by events, or another stream's."""
        waiting, take = self._waiting, self._core.take_now
        size = self._core.round(nbytes)[0]
        block = None
        if len(waiting) and waiting.reclaim_done():
            block = take(nbytes, stream, pool)
        if block is None and len(waiting) and waiting.wait(stream, pool, size):
            block = take(nbytes, stream, pool)
            if block is None and waiting.wait(stream, pool, UNBOUNDED):
                block = take(nbytes, stream, pool)
        if block is None and self._options.lend:
            block = borrow(self._core, self._driver, nbytes, stream, pool)
            if block is None and recall(self._core, self._driver, pool):
                block = take(nbytes, stream, pool) or borrow(self._core, self._driver, nbytes, stream, pool)
        return block

    def _grow(self, nbytes: int, stream: int, pool: int, exactly: bool = False) -> Block | None:
        """A block from new memory; None when the limit or the driver refuses."""
        if self._ranges is not None and self._ranges.usable and not exactly:
            block = self._ranges.grow(nbytes, stream, pool)
            self.refusal = self._ranges.refusal
            if block is not None or self._ranges.usable:
                return block
        size, segment, _ = self._core.round(nbytes)
        wanted = size if exactly else segment
        if wanted <= 0 or not self._budget.allows(self._core, self._driver, wanted):
            return None
        given: list[int] = []
        try:
            given.extend(map(self._driver.allocate, (wanted,)))
            check_address(given[0], self._driver.granularity)
            block = self._core.grow(given[0], wanted, nbytes, stream, pool)
            self.segments[given[0]] = wanted
        except BaseException as error:
            for address in given:
                if self._in_books(address):
                    self._note_growth(address, wanted, stream)
                else:
                    self._driver.free(address, wanted)
            if isinstance(error, DriverError) or (isinstance(error, MemoryError) and not given):
                self.refusal = as_refusal(error)
                return None
            if isinstance(error, MemoryError):
                raise NoMemoryError("allocate: no memory for the allocator's own books") from None
            raise
        self._note_growth(given[0], wanted, stream)
        return block

    def _in_books(self, address: int) -> bool:
        """Whether there is a segment at an address. Slow."""
        return any([row[0] == address for row in self._core.snapshot()])

    def _note_growth(self, address: int, nbytes: int, stream: int) -> None:
        self.segments[address] = nbytes
        self._counts["num_device_alloc"] += 1
        self._listeners.tell("segment_alloc", address, nbytes, nbytes, stream)

    def _collect_garbage(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """Give idle segments back while a new one would pass the threshold; a block if one is idle after all."""
        budget, part = self._budget.nbytes(self._driver), self._options.garbage_collection_threshold
        if budget == UNBOUNDED or part is None:
            return None
        over = self._core.reserved() + self._core.round(nbytes)[1] - int(part * budget)
        if over <= 0:
            return None
        epoch = self._finish_work()
        block = self._core.take_any(nbytes, stream, pool, epoch)
        if block is None:
            for given in self._release_idle(epoch, over):
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
            for _ in self._release_idle(epoch, self._core.round(nbytes)[0]):
                block = self._grow(nbytes, stream, pool)
                if block is not None:
                    break
        return block

    def _finish_work(self) -> int:
        """Wait for all work; then what was freed before is free, and merged across streams. The new epoch."""
        self._listeners.drain(self._core)
        self._waiting.collect()
        epoch = self._core.begin_epoch()
        self._driver.synchronize()
        self._counts["num_sync_all_streams"] += 1
        for follower in self._listeners.followers:
            follower.synchronized()
        self._waiting.finish(epoch)
        self._core.consolidate(epoch)
        return epoch

    def _release_idle(self, epoch: int, step: int = UNBOUNDED) -> Iterator[int]:
        """Give segments back that were idle before the epoch, the largest first: their sizes, one by one.

        Of expandable segments whole pages go, about `step` bytes at a time.
        """
        if self._ranges is not None:
            yield from self._ranges.release(epoch, self._open_pools, step)
        for size, address, stream, pool, kind in sorted(self._core.idle_segments(epoch), reverse=True):
            if pool in self._open_pools:
                continue
            gone: list[None] = []
            free = map(self._driver.free, (address,), (size,))
            try:
                if not self._core.drop_segment(address, epoch):
                    continue
                del self.segments[address]
                gone.extend(free)
            except BaseException as error:
                if isinstance(error, DriverError):
                    self.segments[address] = size
                if address in self.segments and not self._in_books(address):
                    again = size if kind else min(size, self._options.small_size)
                    self._core.grow(address, size, again, stream, pool).free()
                if not isinstance(error, DriverError):
                    raise
                continue
            finally:
                if gone:
                    self._counts["num_device_free"] += 1
                    self._listeners.tell("segment_free", address, size, size, stream)
            yield size
