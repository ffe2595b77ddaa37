"""Replay of a trace on a caching allocator over a simulated device, under the recorded settings or others.

Note [What a replay is exact about]: with the recorded options, limit and capacity, the allocator receives the same
requests in the same order, its events answer as they did, and it makes the same driver calls. The simulated device
refuses only for lack of bytes: real devices build a region from arbitrary free pages. A replay does not know the memory
that other programs used, injected failures, or the addresses of a real device, which decide between blocks of equal
size. If a recording began in the middle of a run, its first lines rebuild the memory held then; the report names the
parts that could not be rebuilt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._caching.caching_allocator import CachingAllocator
from .._caching.private_pools import MemPool, use_mem_pool
from .._errors import OutOfMemoryError
from .._options import Option, Options
from .._reports.call_sites import UNKNOWN
from ..drivers import SimulatedDriver
from ..drivers._simulated_memory import MAX_ADDRESSES
from ..traces._events import (
    Allocate,
    Capture,
    ClosePool,
    Complete,
    EmptyCache,
    Free,
    Limit,
    Mark,
    Refuse,
    Synchronize,
    Trace,
    Use,
    beginning,
)
from ..traces._reader import read_trace
from ..traces._summary import BEFORE_FIRST_MARK
from .replay_report import Curve, ReplayReport, Shortfall

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Block
    from .._reports.whole_files import Path

DEFAULT_CAPACITY = 1 << 40  # the capacity if none is known
PAGE_SIZE = 2 << 20  # of devices with virtual memory
ADDRESSES_PER_BYTE = 64  # bytes of addresses per byte of memory
PROGRESS_INTERVAL = 10_000  # events between two calls of `progress`


class RecordedDriver(SimulatedDriver):
    """A simulated device whose events answer as a trace states (Note [Time in a trace] in traces/_events.py).

    `requests` is the number of requests before the one being served. `over` maps a stream to the number of the request
    before which all its work is complete; `all_over` is that number for all streams.
    """

    def __init__(self, capacity: int, granularity: int, page_size: int):
        addresses = min(ADDRESSES_PER_BYTE * capacity, MAX_ADDRESSES) if capacity <= MAX_ADDRESSES else None
        super().__init__(capacity, granularity, page_size=page_size, addresses=addresses)
        self.requests = 0
        self.over: dict[int, int] = {}
        self.all_over = -1
        self.capturing = False
        self._recorded: dict[int, tuple[int, int]] = {}
        self._next_event = 0

    def record_event(self, stream: int) -> int:
        """Return an event after work queued before the present request."""
        self._called("record_event", stream)
        self._next_event += 1
        self._recorded[self._next_event] = stream, self.requests
        return self._next_event

    def wait_event(self, stream: int, event: int) -> None:
        """Do nothing: a trace contains no work that could wait."""
        self._called("wait_event", stream, event)

    def event_done(self, event: int) -> bool:
        """Return whether the recorded run had learned by now that this work was complete."""
        self._called("event_done", event)
        stream, requests = self._recorded[event]
        return requests <= self.all_over or requests <= self.over.get(stream, -1)

    def free_event(self, event: int) -> None:
        """Release an event."""
        self._called("free_event", event)
        del self._recorded[event]

    def synchronize(self) -> None:
        """Wait for all queued work."""
        self._called("synchronize")
        self.all_over = self.requests

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return the recorded state, which covers all streams together."""
        return self.capturing


def options_of(trace: Trace, given: dict[str, Option]) -> dict[str, Option]:
    """Return the recorded options, overridden by `given`, and the limit."""
    found: dict[str, Option] = {**Options()._asdict(), "small_size": None, "limit": None}
    for name, value in trace.options.items():
        if name not in found or not isinstance(value, int | float | None):
            known = ", ".join(found)
            raise InvalidValueError(
                f"replay: expected a trace with options among {known}; got {name!r}: {value!r:.60}. "
                "Record it again, or take the option out of its first line"
            )
        found[name] = value
    return found | given


class Player:
    """One replay: an allocator over a device, and the live blocks.

    Arguments:
        trace: the trace to play.
        capacity: the bytes of the device; None for the trace's capacity.
        given: options that replace the recorded ones. A limit among them overrides all limits in the trace.
    """

    def __init__(self, trace: Trace, capacity: int | None, given: dict[str, Option]):
        options = options_of(trace, given)
        limit = options.pop("limit")
        if limit is not None and type(limit) is not int:
            raise InvalidTypeError(f"replay: expected limit, an int or None; got {limit!r}")
        page_size = trace.page_size or (PAGE_SIZE if options["expandable_segments"] else 0)
        if capacity is None:
            capacity = trace.capacity or DEFAULT_CAPACITY
        self.trace = trace
        self.driver = RecordedDriver(capacity, trace.granularity, page_size)
        self.allocator = CachingAllocator(self.driver, limit, **options)
        self.follows_limits = "limit" not in given
        self.live: dict[int, Block] = {}
        self.pools: dict[int, MemPool] = {}
        self.curve = Curve()
        self.allocated = 0
        self.step = BEFORE_FIRST_MARK
        self.calls_by_step: list[tuple[str, int]] = []
        self._calls_before = 0
        self.fullest = 0, 0  # reserved and allocated bytes at the peak of the reserved bytes
        self.shortfall: Shortfall | None = None
        self.shortfalls = 0
        self.inexact = ""

    def play(self, progress: Callable[[int, int], None] | None) -> ReplayReport:
        """Play all events, or up to a request that fails although it succeeded in the recorded run."""
        events, driver, live = self.trace.events, self.driver, self.live
        number, begin = 0, beginning(events)
        for number, event in enumerate(events):
            if progress is not None and not number % PROGRESS_INTERVAL:
                progress(number, len(events))
            match event:
                case Allocate():
                    block = self._allocate(number, event)
                    if block is None:
                        break
                    live[event.id] = block
                    self._changed(number, block.capacity)
                    driver.requests += 1
                case Free(id):
                    block = live.pop(id)
                    self._changed(number, -block.capacity)
                    block.free()
                    driver.requests += 1
                case Refuse():
                    self._allocate(number, event)
                    driver.requests += 1
                case Use(id, stream):
                    live[id].record_use(stream)
                case Complete(stream, before):
                    driver.over[stream] = max(before, driver.over.get(stream, -1))
                case Synchronize(before):
                    driver.all_over = max(before, driver.all_over)
                case EmptyCache():
                    self.allocator.empty_cache()
                    self._changed(number, 0)
                case Limit():
                    self._bound(event)
                case Capture(on):
                    driver.capturing = on
                case ClosePool(pool):
                    self.pools.pop(pool, None)
                case Mark(name):
                    self._end_step()
                    self.step = name
                    if number == begin:
                        self._begin(number)
        else:
            number = len(events)
        if progress is not None:
            progress(number, len(events))
        return self._report(number)

    def _allocate(self, number: int, event: Allocate | Refuse) -> Block | None:
        allocator = self.allocator
        try:
            if not event.pool:
                return allocator.allocate(event.nbytes, event.stream)
            pool = self.pools.get(event.pool)
            if pool is None:
                pool = self.pools[event.pool] = MemPool(allocator)
            with use_mem_pool(pool):
                return allocator.allocate(event.nbytes, event.stream)
        except OutOfMemoryError:
            self.shortfalls += 1
            if self.shortfall is None:
                site = UNKNOWN if event.site is None else self.trace.sites[event.site]
                held = self.allocated, allocator._core.reserved()
                self.shortfall = Shortfall(number, self.step, site, event.nbytes, event.stream, *held)
            return None

    def _changed(self, number: int, by: int) -> None:
        reserved = self.allocator._core.reserved()
        self.allocated += by
        if reserved > self.fullest[0]:
            self.fullest = reserved, self.allocated
        self.curve.add(number, self.allocated, reserved)

    def _begin(self, number: int) -> None:
        """Start the peaks: the memory held when the recording began has been rebuilt."""
        self.inexact = self.step.partition(": ")[2]
        self.allocator.reset_peak_memory_stats()
        self.fullest = self.allocator._core.reserved(), self.allocated
        self.curve = Curve()
        self.curve.add(number, self.allocated, self.fullest[0])

    def _bound(self, event: Limit) -> None:
        if self.follows_limits:
            self.allocator._budget.limit = event.limit
        self.allocator._budget.fraction = event.fraction

    def _end_step(self) -> None:
        calls = len(self.driver.log)
        if self.step != BEFORE_FIRST_MARK or calls:
            self.calls_by_step.append((self.step, calls - self._calls_before))
        self._calls_before = calls

    def _report(self, number: int) -> ReplayReport:
        self._end_step()
        stats = self.allocator.memory_stats()
        reserved, allocated = self.fullest
        return ReplayReport(
            events=number,
            capacity=self.driver.capacity,
            options={**self.allocator.options._asdict(), "limit": self.allocator.limit},
            peak_reserved=stats["reserved_bytes.all.peak"],
            peak_allocated=stats["allocated_bytes.all.peak"],
            peak_requested=stats["requested_bytes.all.peak"],
            fragmentation=1 - allocated / reserved if reserved else 0.0,
            driver_calls=dict(Counter(str(entry[0]) for entry in self.driver.log)),
            calls_by_step=self.calls_by_step,
            retries=stats["num_alloc_retries"],
            syncs=stats["num_sync_all_streams"],
            shortfall=self.shortfall,
            shortfalls=self.shortfalls,
            stats=stats,
            snapshot=self.allocator.memory_snapshot(),
            curve=self.curve,
            inexact=self.inexact,
        )


def checked_trace(operation: str, trace: Trace | Path) -> Trace:
    """Return the trace; read it if it is a path."""
    if isinstance(trace, Trace):
        return trace
    if not isinstance(trace, str) and not hasattr(trace, "__fspath__"):
        raise InvalidTypeError(f"{operation}: expected a path or a Trace, as read_trace gives it; got {trace!r:.60}")
    return read_trace(trace)


def given_options(operation: str, options: Mapping[str, Option] | None, more: dict[str, Option]) -> dict[str, Option]:
    """Merge the options; those by name take precedence."""
    if options is None:
        return more
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise InvalidTypeError(f"{operation}: expected options, a dict by name; got {options!r:.60}")
    return {**options, **more}


@boundary
def replay(
    trace: Trace | Path, options: Mapping[str, Option] | None = None, *, capacity: int | None = None,
    progress: Callable[[int, int], None] | None = None, **more: Option,
) -> ReplayReport:  # fmt: skip
    """Play a trace on a caching allocator over a simulated device, to find the memory it reserves under these settings.

    With the recorded settings, the replay repeats the recorded run call by call (Note [What a replay is exact about]).

    Arguments:
        trace: a file from `CachingAllocator.record_trace` or `TraceWriter`, or a `Trace` in memory.
        options: options of `CachingAllocator`, and `limit`, that replace the recorded ones.
        capacity: the bytes of the device; None for the recorded capacity, or a very large one if none was recorded.
        progress: called at regular intervals with the number of events played and the total.
        more: options by name, which override those in `options`.

    Raises:
        CorruptFileError: the file is damaged.
        TypeError, ValueError: an option or the capacity is invalid.

    >>> from facula_allocator.traces import Allocate, Free, Trace
    >>> events = [Allocate(0, 3 << 20, 0, None), Free(0), Allocate(1, 30 << 20, 0, None)]
    >>> report = replay(Trace(512, None, {}, [], events), large_segment=12 << 20)
    >>> report.peak_reserved >> 20, report.peak_allocated >> 20, report.shortfall
    (42, 30, None)
    """
    given = given_options("replay", options, more)
    return Player(checked_trace("replay", trace), capacity, given).play(progress)
