"""The caching allocator: memory from any driver, cached per stream, with PyTorch's statistics."""

from __future__ import annotations

import os
from time import sleep
from typing import TYPE_CHECKING
from weakref import WeakSet, finalize

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, trim_traceback

from .._blocks.budget import Budget
from .._blocks.closing import close, forget_parent_memory
from .._blocks.slow_path import SlowPath
from .._core import Block, Core
from .._errors import OutOfMemoryError
from .._host.host_allocator import checked_size
from .._host.process import COLLECTION_PAUSE, MAX_RETRIES, collecting, watch
from .._host.size_classes import MAX_BLOCK_BYTES
from .._locks import ExitLock
from .._observers.event_history import EventHistory
from .._observers.listeners import Listeners, MemoryEvent
from .._observers.oom_observers import OomObservers
from .._observers.stacks import StackLines
from .._options import UNBOUNDED, Option, checked_options, environment_options
from .._settings import checked_fraction
from ..drivers.protocol import checked_driver, device_of, supports_virtual_memory
from .memory_summary import snapshot_segments, summary_table
from .private_pools import PoolOwner, current_pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._reports.snapshot_types import Snapshot
    from .._reports.whole_files import Path
    from ..drivers.protocol import Driver
    from .recording import Recording

_allocators: WeakSet[CachingAllocator] = WeakSet()
_forks: list[object] = []  # not empty once the fork handler is registered


@boundary
class CachingAllocator(PoolOwner):
    """Allocator that caches a driver's memory in blocks. A block's own stream reuses it at once, others after events.

    Safe to use from any thread. A block may be freed anywhere, including in finalisers and during collections. A forked
    child abandons memory that it may not use.

    Arguments:
        driver: the source of memory: `HostDriver`, `SimulatedDriver`, or an implementation of the protocol `Driver`.
        limit: the most bytes to take from the driver; None for no limit.
        options: the fields of `Options`, by name: `max_split_size`, `garbage_collection_threshold`, `lend` and others.
            Options not given are read from the environment, `FACULA_ALLOCATOR_OPTIONS=max_split_size=64MiB,lend=no`.

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
        "_budget", "_core", "_counts", "_listeners", "_lock", "_observers", "_slow_path", "_take", "driver", "options",
    )  # fmt: skip

    def __init__(self, driver: Driver, limit: int | None = None, **options: Option):
        self.driver = checked_driver(driver)
        pages, general = supports_virtual_memory(driver), environment_options()
        if not pages:
            general.pop("expandable_segments", None)  # a setting for all allocators applies where supported
        self.options = checked_options({**general, **options}, driver.granularity, pages)
        self._budget = Budget(None if limit is None else checked_size("CachingAllocator", limit, "limit"))
        self._listeners = Listeners()
        self._observers: OomObservers[CachingAllocator] = OomObservers()
        super().__init__()  # `_detours` also has an entry per listener: if not empty, `allocate` takes the slow path
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
        """Start with an empty core."""
        self._lock = ExitLock()
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
        self._slow_path = SlowPath(
            self._core, self.driver, options, self._budget, self._listeners, self._open_pools, self._counts
        )
        finalize(self._core, close, self.driver, self._slow_path.segments, self._slow_path.ranges).atexit = False
        self._listen()

    def _listen(self) -> None:
        """Update the slow path and the core for the present listeners."""
        history = self._listeners.history
        self._core.listening = bool(self._listeners)
        self._take = self._core.take if history is None else history.recorded_take(self._core)

    # ------------------------------------------------------------------------------------------------------ allocation
    def allocate(self, nbytes: int, stream: int = 0) -> Block:
        """Allocate a block of at least `nbytes` for work on `stream`.

        Raises:
            OutOfMemoryError: neither idle nor new memory is available, even after waiting for all streams.
            DriverError: the device fails while the allocator waits for it.
        """
        if self._detours or (block := self._take(nbytes, stream, 0)) is None:
            try:
                return self._allocate(nbytes, stream)
            except FaculaError as error:
                trim_traceback(error)
                raise
        return block

    def _allocate(self, nbytes: int, stream: int) -> Block:
        nbytes, pool = checked_size("allocate", nbytes), current_pool(self)
        if type(stream) is not int or not -(1 << 63) <= stream < 1 << 63:
            raise InvalidTypeError(f"allocate: expected stream, an int of 64 bits; got {stream!r}")
        if not nbytes:
            return self._core.take_nothing(stream)
        if not self._listeners:
            block = self._serve(nbytes, stream, pool)
        else:
            with self._lock:  # events are delivered in the order of the allocator's changes, in every thread
                self._listeners.drain(self._core)
                block = self._serve(nbytes, stream, pool)
                if block is not None:
                    self._listeners.notify("alloc", block.ptr, nbytes, block.capacity, stream, pool)
                else:
                    self._listeners.notify_followers_of_refusal(nbytes, stream, pool)
        return block if block is not None else self._refuse(nbytes, stream, pool)

    def _serve(self, nbytes: int, stream: int, pool: int) -> Block | None:
        block = None
        if nbytes <= MAX_BLOCK_BYTES:
            block = self._core.take(nbytes, stream, pool)
            retries = 0
            while block is None:
                busy = bool(collecting)
                with self._lock:
                    block = self._slow_path.allocate(nbytes, stream, pool)
                if block is not None or not (busy or collecting) or retries == MAX_RETRIES:
                    break
                # What was freed during a collection stays until its end: another thread's may end meanwhile.
                retries += 1
                sleep(COLLECTION_PAUSE)
        return block

    def _refuse(self, nbytes: int, stream: int, pool: int) -> Block:
        """Return a block if an out-of-memory observer freed memory; otherwise raise OutOfMemoryError."""
        refusal, self._slow_path.refusal = self._slow_path.refusal, None
        error = self._out_of_memory(nbytes, stream, pool)
        error.__cause__ = refusal
        with self._lock:
            self._listeners.notify_refused(nbytes, stream, error.device_free)
        try:
            return self._observers.retry_after_observers(error, self, lambda: self._allocate(nbytes, stream))
        except OutOfMemoryError as last:
            self._counts["num_ooms"] += last is error
            raise

    def _out_of_memory(self, nbytes: int, stream: int, pool: int) -> OutOfMemoryError:
        now = self._core.statistics()
        allocated, reserved = now["allocated_bytes.all.current"], now["reserved_bytes.all.current"]
        budget = self._budget.nbytes(self.driver)
        limit = None if budget == UNBOUNDED else budget
        error = OutOfMemoryError(nbytes, allocated, reserved, reserved - allocated, limit)
        error.memory = self.driver.memory
        error.remedy = "raise the limit or the memory fraction"
        try:
            from .oom_message import oom_message

            error.device_free = self.driver.memory_info()[0]
            self._drain()
            error.explanation = oom_message(
                self._core, self.driver, self._listeners.history, self._settings(),
                nbytes=nbytes, stream=stream, pool=pool, limit=limit,
            )  # fmt: skip
        except Exception:  # for example, no memory for the explanation either: the first line suffices
            error.explanation = ""
        return error

    # -------------------------------------------------------------------------------------------- statistics and limits
    def empty_cache(self) -> int:
        """Wait for all work, release idle segments to the driver, and return the bytes released.

        Does nothing while a graph is captured. Segments of private pools stay as long as their pools live.
        """
        with self._lock:
            return self._slow_path.release_all()

    @property
    def limit(self) -> int | None:
        """The most bytes to take from the driver, or None."""
        return self._budget.limit

    def set_memory_fraction(self, fraction: float | None) -> None:
        """Limit the allocator to a fraction of the driver's memory, 0 < `fraction` <= 1; None for all of it."""
        self._budget.fraction = checked_fraction("set_memory_fraction", fraction)

    def memory_stats(self) -> dict[str, int]:
        """Return exact counters under PyTorch's names: "allocated_bytes.all.current", "num_ooms" and so on.

        * allocated: blocks in use.
        * active: blocks in use, and freed blocks that other streams may still use.
        * reserved: memory taken from the driver.
        * inactive_split: idle blocks split from the same segment as blocks in use.
        * requested: allocated, before rounding up.

        Freed blocks count as free even before the next allocation merges them.
        """
        self._drain()
        bound = self.options.max_split_size
        return {**self._core.statistics(), **self._counts, "max_split_size": -1 if bound is None else bound}

    def reset_peak_memory_stats(self) -> None:
        """Restart the peaks at the present values."""
        self._drain()
        self._core.reset(False)

    def reset_accumulated_memory_stats(self) -> None:
        """Restart the figures "allocated" and "freed", and the counts "num_...", at 0."""
        self._drain()
        self._core.reset(True)
        self._counts.update(dict.fromkeys(self._counts, 0))

    def memory_summary(self) -> str:
        """Return a table of `memory_stats`, for people."""
        return summary_table(self.memory_stats(), self.driver.memory)

    def memory_snapshot(self) -> Snapshot:
        """Return all segments and their blocks, in the format of `torch.cuda.memory._snapshot()`."""
        self._drain()
        lines, history, device = StackLines(), self._listeners.history, device_of(self.driver)
        events = [] if history is None else history.events(lines)
        return {
            "segments": snapshot_segments(self._core, device, history, lines),
            "device_traces": [*([] for _ in range(device)), events],
            "allocator_settings": self._settings(),
        }

    def _settings(self) -> dict[str, object]:
        """Return the settings in the format of snapshots; None for expandable segments without virtual memory."""
        expandable = self.options.expandable_segments is not False if supports_virtual_memory(self.driver) else None
        return {
            **self.options._asdict(),
            "expandable_segments": expandable,
            "limit": self.limit,
            "history": self._listeners.history is not None,
        }

    # ------------------------------------------------------------------------------------------------------- listeners
    def add_listener(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Call `listener` with each `MemoryEvent`, in the order of the allocator's changes.

        A free is delivered when it takes effect: at the next allocation, query of statistics or `empty_cache`. It is
        delivered again if a KeyboardInterrupt interrupted the delivery. The first error that a listener raises becomes
        a warning; no error propagates.
        """
        if not callable(listener):
            raise InvalidTypeError(f"add_listener: expected listener, a function; got {listener!r:.60}")
        self._drain()  # earlier frees are not delivered to the new listener
        self._listeners.add(listener)
        self._detours.append(listener)
        self._listen()

    def remove_listener(self, listener: Callable[[MemoryEvent], None]) -> None:
        """Stop calling `listener`."""
        if listener not in self._listeners:
            raise InvalidValueError(f"remove_listener: expected one that was added; got {listener!r}")
        self._drain()
        self._listeners.remove(listener)
        self._detours.remove(listener)
        self._listen()

    def record_history(self, frames: int | None = 8, length: int = 50_000) -> None:
        """Record the allocating stacks and the last events from now on, for `memory_snapshot` and error messages.

        Costs about a microsecond per allocation, and about 400 bytes per event. A second call restarts the history.

        Arguments:
            frames: the most frames to keep of an allocating stack, innermost first, without the library's own; 0 for
                none. None stops and discards the history, as `stop_history` does.
            length: the most events to keep.

        >>> from facula_allocator.drivers import SimulatedDriver
        >>> allocator = CachingAllocator(SimulatedDriver(1 << 30))
        >>> allocator.record_history()
        >>> block = allocator.allocate(1000)
        >>> [event["action"] for event in allocator.memory_snapshot()["device_traces"][0]]
        ['segment_alloc', 'alloc']
        >>> allocator.record_history(None)
        >>> allocator.memory_snapshot()["device_traces"][0]
        []
        """
        self._set_history(None if frames is None else EventHistory(frames, length))

    def stop_history(self) -> None:
        """Stop the history, and discard it."""
        self._set_history(None)

    def _set_history(self, history: EventHistory | None) -> None:
        with self._lock:
            self._listeners.drain(self._core)
            self._listeners.history = history
            self._listen()

    def add_oom_observer(self, observer: Callable[[OutOfMemoryError, CachingAllocator], object]) -> None:
        """Call `observer(error, allocator)` before an OutOfMemoryError is raised.

        The observer may log the error or free memory. If it returns True, the allocation is tried once more. An
        exception that it raises is added to the error as a note.
        """
        self._observers.add(observer)

    def remove_oom_observer(self, observer: Callable[[OutOfMemoryError, CachingAllocator], object]) -> None:
        """Stop calling `observer`."""
        self._observers.remove(observer)

    def record_trace(self, path: Path) -> Recording:
        """Write every request to this allocator to a file from now on, for `replay` and `will_it_fit`.

        Recording ends with `close()` or the `with` block of the returned `Recording`. Blocks alive at the start come
        first.
        """
        from .recording import Recording

        return Recording(self, path)

    def _drain(self) -> None:
        with self._lock:
            self._listeners.drain(self._core)

    def _c_functions(self) -> object:
        return self._core.functions(self._allocate, self._detours)

    def _after_fork(self) -> None:
        """In a forked child: replace locks that other threads held, and abandon memory that only the parent may use."""
        if self.driver.survives_fork:
            self._lock = ExitLock()
            self._slow_path.inside = self._core.telling = False
            self._listen()
        else:
            self._core.abandoned = True
            self._slow_path.forget()
            self._listeners.forget()
            if self._listeners.history is not None:
                self._listeners.history.forget()
            self._open()

    def __repr__(self) -> str:
        return f"<CachingAllocator, {self._core.reserved()} bytes of {self.driver!r}>"


def known_caching_allocators() -> list[CachingAllocator]:
    """Return all live caching allocators."""
    return list(_allocators)


def _after_fork() -> None:
    forget_parent_memory()
    for allocator in list(_allocators):
        allocator._after_fork()
