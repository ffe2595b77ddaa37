"""A simulated device: addresses without memory, and streams that advance under a test's control."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from facula_errors import InvalidTypeError, InvalidValueError

from ._hazards import Access, Clock, Hazards, merge_clock
from ._simulated_memory import MAX_ADDRESSES, SimulatedMemory
from .protocol import DriverError

__all__ = ["SimulatedDriver"]

#: (address, nbytes), or with an owner: the holder of the memory. Two owners must never use memory at the same time.
Range = tuple[int, int] | tuple[int, int, object]


class _Kernel(NamedTuple):
    serial: int
    accesses: tuple[tuple[Access, tuple[int, ...]], ...]  # with the numbers of the region or pages of the memory


class _Event:
    __slots__ = ("captured", "clock", "done")

    def __init__(self, clock: Clock, captured: bool):
        self.clock = clock
        self.captured = captured
        self.done = False


class _Record(NamedTuple):
    event: _Event


class _Wait(NamedTuple):
    event: _Event


class _Stream:
    __slots__ = ("captured", "clock", "queue", "spoiled", "ticks")

    def __init__(self) -> None:
        self.queue: deque[_Kernel | _Record | _Wait] = deque()
        self.clock: Clock = {}
        self.ticks = 0
        self.captured: list[tuple[Range, ...]] | None = None  # the graph under capture
        self.spoiled: str | None = None


class SimulatedDriver:
    """A device of `capacity` bytes for tests and for replaying traces, without actual memory and time.

    Kernels wait in their streams' queues until `complete` runs them. The device raises an error on wrong use of memory:

    * A kernel runs on memory that was freed or used by another owner since its launch.
    * With `strict`, a kernel is launched on memory that a former owner's work may still use in some order of the
      streams.
    * A call that CUDA forbids is made during capture.

    All calls are in `log`, as (name, arguments...).

    Arguments:
        capacity: bytes that can be allocated, including mapped pages.
        granularity: sizes and addresses are multiples of it.
        strict: also refuse use that is wrong in some order of the streams.
        page_size: bytes of a page, for a device with virtual memory; 0 for one without.
        addresses: bytes of addresses. With None, as many as the capacity, a region needs contiguous free memory. A
            larger number relaxes this, as on devices that build a region from arbitrary pages.

    >>> driver = SimulatedDriver(1 << 20)
    >>> address = driver.allocate(4096)
    >>> driver.launch(7, writes=[(address, 4096)])
    1
    >>> event = driver.record_event(7)
    >>> driver.event_done(event), driver.complete(7), driver.event_done(event)
    (False, 1, True)
    """

    memory = "device memory"
    survives_fork = False

    def __init__(
        self, capacity: int, granularity: int = 512, strict: bool = True, page_size: int = 0,
        addresses: int | None = None,
    ) -> None:  # fmt: skip
        if type(capacity) is not int or capacity <= 0:
            raise InvalidValueError(f"SimulatedDriver: expected capacity > 0 bytes, an int; got {capacity!r}")
        if type(granularity) is not int or granularity <= 0 or granularity & (granularity - 1):
            raise InvalidValueError(f"SimulatedDriver: expected granularity, a power of two; got {granularity!r}")
        if type(page_size) is not int or page_size < 0 or page_size & (page_size - 1) or page_size % granularity:
            expected = f"page_size, 0 or a power of two that is a multiple of {granularity}"
            raise InvalidValueError(f"SimulatedDriver: expected {expected}; got {page_size!r}")
        if addresses is not None and (type(addresses) is not int or not capacity <= addresses <= MAX_ADDRESSES):
            expected = f"capacity <= addresses <= {MAX_ADDRESSES}, an int, or None"
            raise InvalidValueError(f"SimulatedDriver: expected {expected}; got {addresses!r}")
        self.capacity = capacity
        self.granularity = granularity
        self.strict = strict
        self.page_size = page_size
        self.log: list[tuple[object, ...]] = []
        self._memory = SimulatedMemory(capacity, granularity, page_size, addresses=addresses)
        self._streams: dict[int, _Stream] = {}
        self._events: dict[int, _Event] = {}
        self._serial = 0
        self._hazards = Hazards()
        self._failures: dict[str, list[BaseException | None]] = {}

    # ------------------------------------------------------------------------------------------- the driver's protocol
    def allocate(self, nbytes: int) -> int:
        """Allocate at the lowest address where `nbytes` fit."""
        self._called("allocate", nbytes)
        return self._memory.allocate(nbytes)

    def free(self, address: int, nbytes: int) -> None:
        """Free a region; refused while a kernel may use it, as far as the host knows."""
        self._called("free", address, nbytes)
        self._no_capture("free")
        self._memory.check_region(address, nbytes)
        self._no_hazard("free", address, nbytes)
        self._memory.free(address, nbytes)

    def record_event(self, stream: int) -> int:
        """Return an event after the work queued on `stream`."""
        self._called("record_event", stream)
        found = self._stream(stream)
        self._serial += 1
        event = self._serial
        clock = dict(found.clock)
        merge_clock(clock, self._hazards.host)
        made = self._events[event] = _Event(clock, found.captured is not None)
        if found.captured is None:
            found.queue.append(_Record(made))
            self._settle()
        return event

    def wait_event(self, stream: int, event: int) -> None:
        """Make `stream` wait for the event."""
        self._called("wait_event", stream, event)
        found, known = self._stream(stream), self._event("wait_event", event)
        if known.captured != (found.captured is not None):
            self._spoil(f"wait_event: stream {stream} and event {event} are not both of one capture")
        merge_clock(found.clock, known.clock)
        if found.captured is None:
            found.queue.append(_Wait(known))
            self._settle()

    def event_done(self, event: int) -> bool:
        """Return whether the event's stream has passed it; the host then knows that its work is complete."""
        self._called("event_done", event)
        self._no_capture("event_done")
        known = self._event("event_done", event)
        if known.done:
            self._hazards.complete_for_host(known.clock)
        return known.done

    def free_event(self, event: int) -> None:
        """Release an event; streams that wait for it continue to wait."""
        self._called("free_event", event)
        self._event("free_event", event)
        del self._events[event]

    def synchronize(self) -> None:
        """Run all queued work."""
        self._called("synchronize")
        self._no_capture("synchronize")
        self.complete_all()
        for stream in self._streams.values():
            self._hazards.complete_for_host(stream.clock)

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return whether `stream`, or any stream for None, is between `begin_capture` and `end_capture`."""
        if stream is not None:
            return self._stream(stream).captured is not None
        return any(other.captured is not None for other in self._streams.values())

    def memory_info(self) -> tuple[int, int]:
        """Return (free, total) bytes."""
        return self._memory.unused, self.capacity

    def reserve_addresses(self, nbytes: int) -> int:
        """Reserve a range at the lowest free address."""
        self._called("reserve_addresses", nbytes)
        return self._memory.reserve(nbytes)

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Release a range from which all pages are unmapped."""
        self._called("free_addresses", address, nbytes)
        self._no_capture("free_addresses")
        self._memory.free_range(address, nbytes)

    def map(self, address: int, nbytes: int) -> None:
        """Map free bytes to pages of a range."""
        self._called("map", address, nbytes)
        self._memory.map(address, nbytes)

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages; refused while a kernel may use them, as far as the host knows."""
        self._called("unmap", address, nbytes)
        self._no_capture("unmap")
        self._memory.check_mapped(address, nbytes)
        self._no_hazard("unmap", address, nbytes)
        self._memory.unmap(address, nbytes)

    # --------------------------------------------------------------------------------------------------- test controls
    def launch(self, stream: int, reads: Iterable[Range] = (), writes: Iterable[Range] = ()) -> int:
        """Queue a kernel; return its number. Raises DriverError if its memory is unallocated or may be another owner's.

        Arguments:
            stream: the stream to queue it on; during capture the kernel becomes part of the graph instead.
            reads: the memory it reads, as (address, nbytes) or (address, nbytes, owner).
            writes: the memory it writes, with the same checks as `reads`.
        """
        ranges = (*reads, *writes)
        self.log.append(("launch", stream, *ranges))
        found = self._stream(stream)
        if found.captured is not None:
            found.captured.append(ranges)
            return 0
        self._serial += 1
        serial = self._serial
        tick = found.ticks + 1
        clock = {**found.clock, stream: found.ticks}
        merge_clock(clock, self._hazards.host)
        accesses = []
        for address, nbytes, *owner in ranges:
            access = Access(address, address + nbytes, owner[0] if owner else None, stream, tick, serial)
            accesses.append((access, self._regions_of(access)))
            wrong = self._hazards.launch(access, clock)
            if wrong is not None and self.strict:
                raise DriverError(f"SimulatedDriver.launch: {wrong}")
        found.ticks = found.clock[stream] = tick
        found.queue.append(_Kernel(serial, tuple(accesses)))
        return serial

    def complete(self, stream: int, n: int = 1) -> int:
        """Run up to `n` kernels of a stream, fewer if it waits for another; return how many ran."""
        if type(n) is not int or n < 0:
            raise InvalidValueError(f"SimulatedDriver.complete: expected n >= 0 kernels, an int; got {n!r:.60}")
        self.log.append(("complete", stream, n))
        found = self._stream(stream)
        ran = 0
        while ran < n and found.queue and isinstance(head := found.queue[0], _Kernel):
            found.queue.popleft()
            self._run(head)
            ran += 1
            self._settle()
        return ran

    def complete_all(self) -> None:
        """Run all queued work, in one of the orders that the events allow."""
        while any(self.complete(stream, len(found.queue)) for stream, found in list(self._streams.items())):
            pass

    def queued(self, stream: int) -> int:
        """Return the number of kernels in a stream's queue."""
        return sum(isinstance(kernel, _Kernel) for kernel in self._stream(stream).queue)

    def fail_next(self, call: str, error: BaseException | None = None, count: int = 1) -> None:
        """Make the next calls of one of the driver's methods fail.

        Arguments:
            call: the method's name.
            error: the exception to raise; a DriverError by default.
            count: the number of calls that fail; 0 cancels earlier failures.
        """
        if not callable(getattr(self, call, None)):
            raise InvalidValueError(f"SimulatedDriver.fail_next: expected call, a method's name; got {call!r}")
        if error is not None and not isinstance(error, BaseException):
            raise InvalidTypeError(f"SimulatedDriver.fail_next: expected error, an exception; got {error!r:.60}")
        if type(count) is not int or count < 0:
            raise InvalidValueError(f"SimulatedDriver.fail_next: expected count >= 0, an int; got {count!r:.60}")
        self._failures[call] = [error] * count

    def begin_capture(self, stream: int) -> None:
        """Capture kernels launched on `stream` in a graph until `end_capture`, instead of queueing them."""
        self.log.append(("begin_capture", stream))
        found = self._stream(stream)
        if found.captured is not None:
            raise DriverError(f"SimulatedDriver.begin_capture: stream {stream} is capturing; call end_capture first")
        found.captured, found.spoiled = [], None

    def end_capture(self, stream: int) -> list[tuple[Range, ...]]:
        """Return the graph, for `replay`. Raises DriverError if a forbidden call invalidated the capture."""
        self.log.append(("end_capture", stream))
        found = self._stream(stream)
        graph, found.captured = found.captured, None
        if graph is None:
            raise DriverError(
                f"SimulatedDriver.end_capture: stream {stream} is not capturing; call begin_capture first"
            )
        if found.spoiled is not None:
            raise DriverError(
                f"SimulatedDriver.end_capture: the capture is invalid since {found.spoiled}; capture again"
            )
        return graph

    def replay(self, stream: int, graph: list[tuple[Range, ...]]) -> None:
        """Launch the kernels of a graph."""
        for ranges in graph:
            self.launch(stream, ranges)

    def largest_free(self) -> int:
        """Return the largest number of bytes that `allocate` can provide."""
        return self._memory.largest_free()

    def regions(self) -> dict[int, int]:
        """Return the allocated regions, {address: bytes}, without mapped pages."""
        return self._memory.regions()

    def calls(self, name: str) -> int:
        """Return how often one of the methods was called."""
        return sum(entry[0] == name for entry in self.log)

    def __repr__(self) -> str:
        free, total = self.memory_info()
        return f"<SimulatedDriver, {total - free} of {total} bytes in {len(self.regions())} regions>"

    # -------------------------------------------------------------------------------------------------- implementation
    def _called(self, name: str, *arguments: int) -> None:
        self.log.append((name, *arguments))
        failures = self._failures.get(name)
        if failures:
            raise failures.pop() or DriverError(f"SimulatedDriver.{name}: refused by fail_next; call it again")

    def _no_capture(self, name: str) -> None:
        if self.is_capturing():
            self._spoil(f"{name}: forbidden while a graph is captured")

    def _no_hazard(self, name: str, address: int, nbytes: int) -> None:
        wrong = self._hazards.free(address, address + nbytes)
        if wrong is not None and self.strict:
            raise DriverError(f"SimulatedDriver.{name}: {wrong}")

    def _spoil(self, why: str) -> None:
        for stream in self._streams.values():
            if stream.captured is not None:
                stream.spoiled = why
        raise DriverError(f"SimulatedDriver.{why}")

    def _stream(self, stream: int) -> _Stream:
        return self._streams.setdefault(stream, _Stream())

    def _event(self, name: str, event: int) -> _Event:
        found = self._events.get(event)
        if found is None:
            raise DriverError(f"SimulatedDriver.{name}: expected an event that was not freed; got {event}")
        return found

    def _queued(self) -> Iterable[_Kernel | _Record | _Wait]:
        return (kernel for stream in self._streams.values() for kernel in stream.queue)

    def _find_regions(self, start: int, end: int) -> tuple[int, ...]:
        return self._memory.regions_of(start, end)

    def _regions_of(self, access: Access) -> tuple[int, ...]:
        """Return the region or pages that contain these bytes. Raises DriverError if there are none."""
        found = self._find_regions(access.start, access.end)
        if found:
            return found
        raise DriverError(
            f"SimulatedDriver: kernel {access.serial} on stream {access.stream} uses [{access.start:#x}, "
            f"{access.end:#x}) for {access.owner!r}, which is not allocated; keep it until the kernel is done"
        )

    def _run(self, kernel: _Kernel) -> None:
        oldest = min((launch.serial for launch in self._queued() if isinstance(launch, _Kernel)), default=self._serial)
        for access, regions in kernel.accesses:
            if self._regions_of(access) != regions:
                raise DriverError(
                    f"SimulatedDriver: kernel {kernel.serial} on stream {access.stream} runs on memory at "
                    f"{access.start:#x} that was freed and allocated again since its launch; "
                    "keep it until the kernel is done"
                )
            wrong = self._hazards.run(access, min(oldest, kernel.serial))
            if wrong is not None:
                raise DriverError(f"SimulatedDriver: {wrong}")

    def _settle(self) -> None:
        """Process events and waits at the heads of queues, until none can be processed."""
        moved = True
        while moved:
            moved = False
            for stream in self._streams.values():
                while stream.queue:
                    head = stream.queue[0]
                    if isinstance(head, _Kernel) or (isinstance(head, _Wait) and not head.event.done):
                        break
                    if isinstance(head, _Record):
                        head.event.done = True
                    stream.queue.popleft()
                    moved = True
