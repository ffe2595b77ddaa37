"""Recordings of a running allocator: every request, in the order of the allocator's changes, written to a trace.

Note [What a recording says]: requests, frees and uses are the actions of the program. The device's progress affects an
allocator's decisions only through the events that it queries. The recording therefore writes each "done" with the
number of requests before which the event was recorded (Note [Time in a trace] in traces/_events.py). All other queries
returned "not done". Lines that an allocation needs for its decisions precede it, and lines that it learned by waiting
for the device follow it, so that a replay with the same options issues the same queries and gets the same answers. With
other options, an event that was never queried counts as not done until a later one is: a replay may wait where a device
would not have had to. A free from another thread during an allocation's wait is written before that allocation.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet, finalize

from facula_errors import FileError, InvalidTypeError
from facula_errors.extend import boundary

from .._reports.call_sites import call_site
from .._reports.whole_files import checked_path
from ..traces._events import AT_START, BEGIN
from ..traces._reader import MAX_INT
from ..traces._writer import TraceWriter
from .initial_requests import InitialRequests

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from .._blocks.slow_path import Budget, SlowPath
    from .._core import Core
    from .._locks import ExitLock
    from .._observers.listeners import Listeners, MemoryEvent
    from .._options import Options
    from .._reports.call_sites import CallSite
    from .._reports.snapshot_types import Snapshot, SnapshotSegment
    from .._reports.whole_files import Path
    from ..drivers.protocol import Driver

_recordings: WeakSet[Recording] = WeakSet()
_forks: list[object] = []  # not empty once the fork handlers are registered


class Recorded(Protocol):
    """The methods and attributes that a recording needs from an allocator."""

    driver: Driver
    options: Options
    _budget: Budget
    _core: Core
    _listeners: Listeners
    _lock: ExitLock
    _open_pools: set[int]
    _slow_path: SlowPath

    def add_listener(self, listener: Callable[[MemoryEvent], None]) -> None:
        """See `CachingAllocator`."""

    def remove_listener(self, listener: Callable[[MemoryEvent], None]) -> None:
        """See `CachingAllocator`."""

    def _drain(self) -> None: ...

    def memory_snapshot(self) -> Snapshot:
        """See `CachingAllocator`."""


@boundary
class Recording:
    """A trace being written, from `CachingAllocator.record_trace`. Ends with `close()` or its `with` block.

    If the file can no longer be written, the program continues unrecorded, and `close` raises. A forked child does not
    record.

    >>> import os, tempfile
    >>> from facula_allocator import CachingAllocator
    >>> from facula_allocator.drivers import SimulatedDriver
    >>> allocator = CachingAllocator(SimulatedDriver(1 << 30))
    >>> path = os.path.join(tempfile.mkdtemp(), "run.trace")
    >>> with allocator.record_trace(path) as recording:
    ...     recording.mark("step 0")
    ...     allocator.allocate(1000).free()
    >>> [line[:6] for line in open(path)][1:]
    ['["m","', '{"site', '["a",0', '["f",0']
    """

    def __init__(self, allocator: Recorded, path: Path):
        checked_path("record_trace", path)
        self._allocator = allocator
        self._ids: dict[int, int] = {}  # ids of live blocks, by address
        self._next_id = 0
        self._pools: set[int] = set()  # pools that blocks came from
        self._limit = allocator._budget.limit
        self._fraction: float | None = None
        self._capturing = False
        self._over: dict[int, int] = {}  # by stream: the completed requests that the trace has written
        self._waited: int | None = None  # the number of requests when an allocation last waited for the device
        self._emptying = False
        self._error: FileError | None = None
        driver = allocator.driver
        with allocator._lock:
            allocator.add_listener(self._listen)  # first, so that no free of a block below is missed
            try:
                segments = allocator.memory_snapshot()["segments"]
                self._writer = TraceWriter(
                    path,
                    granularity=driver.granularity,
                    capacity=max(1, driver.memory_info()[0] + sum(segment["total_size"] for segment in segments)),
                    options={**allocator.options._asdict(), "limit": self._limit},
                    page_size=getattr(driver, "page_size", 0),
                )
            except BaseException:
                allocator.remove_listener(self._listen)
                raise
            self._recording = True
            self._end = finalize(self, self._writer.close)
            self._begin(segments)
            allocator._listeners.followers.append(self)
        _recordings.add(self)
        if not _forks:
            _forks.append(True)
            os.register_at_fork(before=_flush_all, after_in_child=_abandon_all)

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._writer.path

    def mark(self, name: str) -> None:
        """Write a mark of the program's progress, such as "step 3"."""
        if not isinstance(name, str):
            raise InvalidTypeError(f"mark: expected text; got {name!r:.60}")
        with self._allocator._lock:
            self._allocator._drain()
            self._write(self._writer.mark, name)

    def flush(self) -> None:
        """Write buffered lines to the file."""
        with self._allocator._lock:
            if self._recording:
                self._writer.flush()

    def close(self) -> None:
        """Stop recording, and close the file. A second call does nothing.

        Raises:
            OSError: the file could not be written, now or earlier; the trace ends at that point.
        """
        allocator = self._allocator
        with allocator._lock:
            if self._end.detach() is None:
                return
            allocator.remove_listener(self._listen)  # delivers pending frees first
            allocator._listeners.followers.remove(self)
            _recordings.discard(self)
            self._recording = False
            self._writer.close()
            if self._error is not None:
                raise self._error

    def _begin(self, segments: list[SnapshotSegment]) -> None:
        """Write the initial state as requests: see Note [Initial requests] in `_caching/initial_requests.py`."""
        allocator = self._allocator
        initial = InitialRequests(segments, allocator.options, allocator.driver.granularity, allocator._core.round)
        if initial.requests:
            self._write(self._writer.mark, AT_START)
            for address, nbytes, stream, pool in initial.requests:
                if nbytes is not None:
                    self._allocated(address, nbytes, stream, None, pool)
                else:
                    self._freed(address)
            self._write(self._writer.mark, ": ".join([BEGIN, *filter(None, ["; ".join(initial.inexact)])]))

    def _allocated(self, address: int, nbytes: int, stream: int, site: CallSite | None, pool: int) -> None:
        id, self._next_id = self._next_id, self._next_id + 1
        if self._recording:
            try:
                text = self._writer._allocation(id, nbytes, stream, site, pool)
            except FileError as error:
                self._fail(error)
            else:
                self._request(address, id, text)
        if pool:
            self._pools.add(pool)

    def _freed(self, address: int, uses: tuple[int, ...] = ()) -> None:
        id = self._ids.get(address)
        if id is not None:
            self._request(address, None, "".join([f'["u",{id},{user}]\n' for user in uses]) + f'["f",{id}]\n')

    def _request(self, address: int, id: int | None, text: str) -> None:
        """Write that a block is allocated or freed, and update `_ids`: both, or neither if Ctrl-C arrives."""
        writer = self._writer
        add = writer._file.lines.append
        try:
            if id is None:
                del self._ids[address]
            else:
                self._ids[address] = id
            if self._recording:
                writer.requests += 1
                add(text)
                writer._file.flush_some()
        except OSError as error:
            self._fail(writer._failed(error))

    def _fail(self, error: FileError) -> None:
        self._error = error.with_traceback(None)
        self._recording = False

    def _listen(self, event: MemoryEvent) -> None:
        action, address, nbytes, _, stream, uses, pool = event
        if action == "alloc":
            self._settings()
            self._allocated(address, nbytes, stream, call_site(), pool)
            self._after_request()
        elif action == "free_requested":
            self._freed(address, uses)

    def _settings(self) -> None:
        """Write the settings that the program changed since the last request."""
        budget = self._allocator._budget
        if (budget.limit, budget.fraction) != (self._limit, self._fraction):
            self._limit, self._fraction = budget.limit, budget.fraction
            self._write(self._writer.limit, self._limit, self._fraction)
        if self._allocator._slow_path.capturing != self._capturing:
            self._capturing = not self._capturing
            self._write(self._writer.capture, self._capturing)
        for pool in self._pools - self._allocator._open_pools if self._pools else ():
            self._pools.remove(pool)
            self._write(self._writer.close_pool, pool)

    def _after_request(self) -> None:
        if self._waited is not None:
            self._write(self._writer.synchronize, self._waited)
            self._waited = None

    # Called by the allocator -----------------------------------------------------------------------------------------

    def done(self, stream: int, requests: int) -> None:
        """Record that the work is complete that was queued on a stream before request number `requests`."""
        number = requests + self._writer.requests - self._allocator._listeners.requests
        if number > self._over.get(stream, -1):
            self._over[stream] = number
            self._write(self._writer.complete, stream, number)

    def refused(self, nbytes: int, stream: int, pool: int) -> None:
        """Record a request that could not be served."""
        self._settings()
        self._write(self._writer.refuse, min(nbytes, MAX_INT - 1), stream, call_site(), pool)
        self._after_request()

    def synchronized(self) -> None:
        """Record that all queued work is complete. A replay that empties the cache waits by itself."""
        if not self._emptying:
            self._waited = self._writer.requests
        self._emptying = False

    def emptying(self) -> None:
        """Record that idle memory is about to be released."""
        self._settings()
        self._write(self._writer.empty_cache)
        self._emptying = True

    def _write(self, write: Callable[..., None], *values: object) -> None:
        """Write a line, unless an earlier one could not be written."""
        if self._recording:
            try:
                write(*values)
            except FileError as error:
                self._fail(error)

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._recording else ", ended"
        return f"<Recording {self.path!r}, {self._writer.requests} requests{state}>"


def _flush_all() -> None:
    """Flush before a fork: a child would write the buffered lines a second time."""
    for recording in list(_recordings):
        recording.flush()


def _abandon_all() -> None:
    """Abandon all recordings in a forked child."""
    for recording in list(_recordings):
        recording._recording = False
