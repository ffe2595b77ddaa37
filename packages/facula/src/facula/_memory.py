"""PyTorch's memory functions of a device type: one implementation for all allocators.

Note [Recorded memory]: CPU tensors take their blocks from free lists without any accounting. While memory is recorded,
every allocation is counted instead: a listener follows the host allocator (`facula_allocator.follow`). An entry in each
of the two lists that operators check first keeps them away from the free lists. That is every operator's slow path, at
some microseconds a call.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from facula_allocator import CachingAllocator, HostAllocator, Recording
    from facula_allocator.snapshots import Snapshot, SnapshotEvent, SnapshotSegment

    Allocator: TypeAlias = CachingAllocator | HostAllocator

MAX_ENTRIES = 1 << 20


@boundary
class DeviceMemory:
    """The memory of one device type; its methods are the functions of the modules `memory`.

    Arguments:
        module: the module of the functions, for errors: "cuda".
        allocators: returns the allocators of the devices in use, by index.
        absent: the error of a function that needs a device if there is none.
        current: returns the index of the current device; without it, that is the first in use.
        start: starts to use a device of an index, which then has an allocator, if there is one.
    """

    def __init__(
        self,
        module: str,
        allocators: Callable[[], Mapping[int, Allocator]],
        absent: Callable[[str], Exception] | None = None,
        current: Callable[[], int | None] = lambda: None,
        start: Callable[[int | None], None] = lambda index: None,
    ):
        self._module = module
        self._allocators = allocators
        self._absent, self._current, self._start = absent, current, start

    # ------------------------------------------------------------------------------------------------------- figures
    def memory_allocated(self, device: object = None) -> int:
        """Return the bytes in tensors, rounded up to block sizes; 0 if no such device is in use."""
        return self._figures(device).get("allocated_bytes.all.current", 0)

    def max_memory_allocated(self, device: object = None) -> int:
        """Return the peak bytes in tensors since the start or `reset_peak_memory_stats`; 0 without a device in use.

        On the CPU the peak is known while memory is recorded, from that moment on; RuntimeError otherwise.
        """
        figures = self._figures(device)
        found = figures.get("allocated_bytes.all.peak")
        if found is None and figures:
            raise OperationError(
                f"{self._module}.max_memory_allocated: expected recorded memory; the peak of the bytes in tensors is "
                f"followed from a call of {self._module}.record_memory_history() on. max_memory_reserved() is never "
                "less, and always known"
            )
        return found or 0

    def memory_reserved(self, device: object = None) -> int:
        """Return the bytes that the allocator reserves, in tensors and idle; 0 if no such device is in use."""
        return self._figures(device).get("reserved_bytes.all.current", 0)

    def max_memory_reserved(self, device: object = None) -> int:
        """Return the peak of reserved bytes since the start or `reset_peak_memory_stats`."""
        return self._figures(device).get("reserved_bytes.all.peak", 0)

    def memory_stats(self, device: object = None) -> dict[str, int]:
        """Return all statistics under PyTorch's names, such as "allocated_bytes.all.current"; {} without a device.

        Statistics that are not tracked are absent. On the CPU these are most peaks, except those of recorded memory.
        """
        return self._figures(device)

    def memory_stats_as_nested_dict(self, device: object = None) -> dict[str, Any]:
        """Return `memory_stats` as nested dicts: `["allocated_bytes"]["all"]["current"]`."""
        nested: dict[str, Any] = {}
        for name, figure in self._figures(device).items():
            *levels, last = name.split(".")
            place = nested
            for level in levels:
                place = place.setdefault(level, {})
            place[last] = figure
        return nested

    def memory_summary(self, device: object = None, abbreviated: bool = False) -> str:
        """Return a readable table of memory in use. `abbreviated` is ignored."""
        return self._needed("memory_summary", device).memory_summary()

    def mem_get_info(self, device: object = None) -> tuple[int, int]:
        """Return (free, total) bytes of the device; on the CPU those available to this process."""
        allocator = self._needed("mem_get_info", device)
        driver = getattr(allocator, "driver", None)
        if driver is None or driver.survives_fork:
            from facula_allocator.extend import available_memory, usable_memory

            return available_memory(), usable_memory()
        return cast("tuple[int, int]", driver.memory_info())

    def reset_peak_memory_stats(self, device: object = None) -> None:
        """Reset peaks to the present use."""
        self._needed("reset_peak_memory_stats", device).reset_peak_memory_stats()

    def reset_accumulated_memory_stats(self, device: object = None) -> None:
        """Reset the cumulative counts of `memory_stats` to 0."""
        self._needed("reset_accumulated_memory_stats", device).reset_accumulated_memory_stats()

    # -------------------------------------------------------------------------------------------------------- memory
    def empty_cache(self) -> None:
        """Return idle memory to the system or the device."""
        for allocator in self._allocators().values():
            allocator.empty_cache()

    def set_per_process_memory_fraction(self, fraction: float, device: object = None) -> None:
        """Limit tensors to a fraction of the device's memory, 0 < `fraction` <= 1."""
        self._needed("set_per_process_memory_fraction", device).set_memory_fraction(fraction)

    # ----------------------------------------------------------------------------------------------- who holds what
    def memory_snapshot(self) -> list[SnapshotSegment]:
        """Return the segments of all devices in use, with their blocks."""
        return self.snapshot()["segments"]

    def snapshot(self, device: object = None) -> Snapshot:
        """Return the allocators' blocks and, if recorded, their allocation sites, for `facula_allocator.snapshots`.

        `_snapshot` is PyTorch's name of it.
        """
        self._needed("memory_snapshot", device)
        segments: list[SnapshotSegment] = []
        traces: list[list[SnapshotEvent]] = []
        settings: dict[str, object] = {}
        for index, allocator in self._allocators().items():
            found = allocator.memory_snapshot()
            for segment in found["segments"]:
                segment["device"] = index
            segments += found["segments"]
            traces += [[] for _ in range(len(traces), index)] + found["device_traces"][-1:]
            settings = settings or found["allocator_settings"]
        return {"segments": segments, "device_traces": traces, "allocator_settings": settings}

    def dump_snapshot(self, filename: str | os.PathLike[str] = "dump_snapshot.pickle") -> None:
        """Write a snapshot to a file, as JSON (".json") or as the pickle that PyTorch's memory viewer reads.

        `python -m facula_allocator render FILE -o page.html` renders it. `_dump_snapshot` is an alias.
        """
        from facula_allocator.snapshots import write_snapshot

        write_snapshot(self.snapshot(), filename)

    def record_memory_history(
        self,
        enabled: str | bool | None = "all",
        context: str | None = "all",
        stacks: str = "all",
        max_entries: int = 50_000,
        device: object = None,
        clear_history: bool = False,
        **options: Any,
    ) -> None:
        """Record every allocation from now on: allocation sites, the last events, exact peaks. `enabled=None` stops it.

        Costs microseconds per allocation. `_record_memory_history` is PyTorch's name of it.

        Arguments:
            enabled: "all" for live memory and the last events, "state" for live memory alone, None to stop recording.
            context: None records no source lines; "all", "alloc" and "state" record those of allocations.
            stacks: "all" or "python": Python source lines are recorded.
            max_entries: the maximum number of recorded events.
            device: the device; by default the first in use.
            clear_history: discard earlier records; this is always done.
            options: other options of PyTorch, which are ignored.
        """
        operation = f"{self._module}.record_memory_history"
        if enabled not in (None, True, False, "all", "state"):
            raise InvalidValueError(f"{operation}: expected enabled, one of 'all', 'state', None; got {enabled!r:.60}")
        if context not in (None, "all", "alloc", "state"):
            expected = "context, one of 'all', 'alloc', 'state', None"
            raise InvalidValueError(f"{operation}: expected {expected}; got {context!r:.60}")
        if type(max_entries) is not int or max_entries < 0:
            raise InvalidValueError(f"{operation}: expected max_entries >= 0, an int; got {max_entries!r:.60}")
        allocator = self._needed("record_memory_history", device)
        caching = _seen(allocator, bool(enabled))
        if not enabled:
            if caching is not None:
                caching.stop_history()
        elif caching is not None:
            length = 0 if enabled == "state" else min(max_entries, MAX_ENTRIES)
            caching.record_history(0 if context is None else 8, length)

    def record_trace(self, path: str | os.PathLike[str], device: object = None) -> AbstractContextManager[Recording]:
        """Write all requests to the allocator to a file while the block runs, for `facula_allocator.replay`.

        The recording's `mark("step 3")` marks a point of the program. Every allocation is recorded, as with
        `record_memory_history`.
        """
        if not isinstance(path, str | os.PathLike):
            raise InvalidTypeError(f"record_trace: expected a path, a str or os.PathLike; got {path!r:.60}")
        return self._recorded(path, device)

    @contextmanager
    def _recorded(self, path: str | os.PathLike[str], device: object) -> Iterator[Recording]:
        allocator = self._needed("record_trace", device)
        before = bool(_guards)
        caching = _seen(allocator, True)
        assert caching is not None
        try:
            with caching.record_trace(path) as recording:
                yield recording
        finally:
            if not before:
                _seen(allocator, False)

    def _figures(self, device: object) -> dict[str, int]:
        allocator = self._allocator(device)
        return {} if allocator is None else allocator.memory_stats()

    def _needed(self, name: str, device: object) -> Allocator:
        allocator = self._allocator(device)
        if allocator is None:
            self._start(self._index(device))
            allocator = self._allocator(device)
        if allocator is None:
            assert self._absent is not None
            raise self._absent(name)
        return allocator

    def _allocator(self, device: object) -> Allocator | None:
        """Return the allocator of a device, in PyTorch's notation; None if that device is not in use."""
        found, index = self._allocators(), self._index(device)
        return next(iter(found.values()), None) if index is None else found.get(index)

    def _index(self, device: object) -> int | None:
        """Return the index of a device, in PyTorch's notation; None for the first in use."""
        if device is None:
            return self._current()
        if isinstance(device, int) and not isinstance(device, bool):
            return device
        from facula_storage import Device

        if not isinstance(device, (str, Device)):
            raise InvalidTypeError(f"{self._module}: expected device, an int or a name; got {device!r:.60}")
        place = Device(device)
        if place.type != self._module:
            raise InvalidValueError(f"{self._module}: expected device to be one of {self._module!r}; got {device!r}")
        return (self._current() or 0) if place.index is None else place.index


# Note [Recorded memory]
_GUARD = "facula recorded memory"  # the key of its entries
_guards: list[None] = []  # one entry while operators are kept away from free lists


def _seen(allocator: Allocator, wanted: bool) -> CachingAllocator | None:
    """Start or stop the listener of every allocation, and return it; None if it was never started."""
    from facula_allocator import HostAllocator, follow, unfollow
    from facula_autograd.extend.modes import active_modes
    from facula_storage.extend.recording import collecting

    if not isinstance(allocator, HostAllocator):
        return allocator  # which are recorded anyway
    if wanted:
        if not _guards:
            _guards.append(None)
            collecting[_GUARD] = active_modes[_GUARD] = None
        return follow(allocator)
    if not _guards:
        return None
    caching = follow(allocator)
    unfollow(allocator)
    _guards.pop()
    for marks in (collecting, active_modes):
        marks.pop(_GUARD, None)
    return caching


def _after_fork() -> None:
    """Restore our entry in a forked child, where facula_storage has cleared its list."""
    if _guards:
        from facula_storage.extend.recording import collecting

        collecting[_GUARD] = None


os.register_at_fork(after_in_child=_after_fork)
