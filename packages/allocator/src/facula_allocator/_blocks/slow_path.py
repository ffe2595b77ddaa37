"""The slow path: finding a block when the stream has no idle one, and returning idle memory to the driver."""

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
    """The attempts to find a block when the core has no idle one. One thread at a time: the allocator's lock is held.

    Note [The slow path]: the attempts, in order:

    * Blocks that are free once events are recorded.
    * Blocks whose events are done.
    * Blocks that are free once the stream waits for events.
    * A block of another stream, after waiting for it, or a block that merged when lent memory was recalled.
    * A new segment.
    * After a refusal, any block that is free when all work is complete: merged across streams, or from a new segment
      that replaces released ones.

    While a graph is captured, no event is recorded, queried or waited for: CUDA forbids it.

    Note [Ctrl-C]: a KeyboardInterrupt arrives between two Python instructions, so also after a call and before its
    result is stored: memory from a driver would then be lost. Such a call is therefore made by C code that also stores
    the result, `list.extend` over a `map`. Likewise, an entry that records ownership is deleted immediately before the
    call that transfers the ownership, with no call in between. The state of an interrupted driver call is unknown: a
    segment that the driver was freeing at that moment is never used again.

    Arguments:
        core: the allocator's core.
        driver: the source of memory.
        options: the allocator's options.
        budget: the limit on the allocator's memory.
        listeners: receive the events.
        open_pools: the live private pools, by number; their idle segments stay.
        counts: counters under PyTorch's names.
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
        self.capturing = False  # the driver's last answer
        self.inside = False
        self.refusal: DriverError | None = None
        self.segments: dict[int, int] = {}
        self._ranges: ReservedRanges | None = None
        if options.expandable_segments is not False and supports_virtual_memory(driver):
            self._ranges = ReservedRanges(core, driver, budget, listeners, counts)

    @property
    def ranges(self) -> dict[int, ReservedRange]:
        """The reserved address ranges, with their mapped pages, by start address."""
        return {} if self._ranges is None else self._ranges.held

    def forget(self) -> None:
        """Abandon all memory: it belongs to another process."""
        self.segments.clear()
        self.ranges.clear()

    def allocate(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """Return a block, or None; `refusal` is then the driver's last error, if any.

        A finaliser may call this while this thread is already inside: it then gets an idle or a new block.
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
        """Wait for all work, release idle segments, and return their bytes. Does nothing while a graph is captured."""
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
        """Return a block whose events are done, or another stream's block."""
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
        """Return a block from new memory; None if the limit or the driver refuses."""
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
                if self._has_segment(address):
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

    def _has_segment(self, address: int) -> bool:
        """Whether the core has a segment at an address. Slow."""
        return any([row[0] == address for row in self._core.snapshot()])

    def _note_growth(self, address: int, nbytes: int, stream: int) -> None:
        self.segments[address] = nbytes
        self._counts["num_device_alloc"] += 1
        self._listeners.notify("segment_alloc", address, nbytes, nbytes, stream)

    def _collect_garbage(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """Release idle segments while a new one would exceed the threshold; return a block if one becomes idle."""
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
        """Return a block after all work is complete: from merged idle memory, or from a new segment."""
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
        """Wait for all work; free the blocks freed earlier and merge them across streams. Return the new epoch."""
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
        """Release segments idle since before the epoch, the largest first, and yield their sizes one by one.

        Expandable segments release whole pages, about `step` bytes at a time.
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
                if address in self.segments and not self._has_segment(address):
                    again = size if kind else min(size, self._options.small_size)
                    self._core.grow(address, size, again, stream, pool).free()
                if not isinstance(error, DriverError):
                    raise
                continue
            finally:
                if gone:
                    self._counts["num_device_free"] += 1
                    self._listeners.notify("segment_free", address, size, size, stream)
            yield size
