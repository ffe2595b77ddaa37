"""What a caching allocator asks of a device: memory, and the order of work on its streams."""

from __future__ import annotations

from typing import Protocol

from facula_errors import InvalidTypeError, OperationError

__all__ = ["Driver", "DriverError"]


class DriverError(OperationError):
    """A driver refused a call. After a refused `allocate` the allocator gives cached memory back and tries again."""


class Driver(Protocol):
    """A device, in flat calls: addresses, streams and events are ints.

    The allocator calls it from any thread, one call at a time for each allocator. Every method but `is_capturing`
    and `memory_info` may raise DriverError, and has then changed nothing.
    """

    #: All sizes are multiples of it, all addresses too (bytes).
    granularity: int
    #: What errors call the memory: "host memory".
    memory: str
    #: Whether a forked child may use memory that its parent allocated.
    survives_fork: bool

    def allocate(self, nbytes: int) -> int:
        """The address of fresh memory; DriverError when there is none."""

    def free(self, address: int, nbytes: int) -> None:
        """Give memory back: the whole of what one `allocate` gave, which no queued work uses."""

    def record_event(self, stream: int) -> int:
        """An event that is done when all work queued on `stream` until now is."""

    def wait_event(self, stream: int, event: int) -> None:
        """Let work that is queued on `stream` from now on begin after the event; the caller does not wait."""

    def event_done(self, event: int) -> bool:
        """Whether the work before the event is over."""

    def free_event(self, event: int) -> None:
        """The event is not asked about again; streams that wait for it go on doing so."""

    def synchronize(self) -> None:
        """Wait until all queued work on all streams is over."""

    def is_capturing(self, stream: int | None = None) -> bool:
        """Whether a graph is being captured on `stream`, or on any for None."""

    def memory_info(self) -> tuple[int, int]:
        """The device's bytes: (free, total)."""


def checked_driver(driver: Driver, operation: str = "CachingAllocator", name: str = "driver") -> Driver:
    """The driver, if it has all that an allocator asks of it; InvalidTypeError names what is missing.

    Arguments:
        driver: what was given.
        operation: who asks, for the error.
        name: what it calls the driver.
    """
    wanted = [name for name in (*Driver.__annotations__, *vars(Driver)) if not name.startswith("_")]
    missing = [name for name in wanted if not hasattr(driver, name)]
    if missing:
        names = ", ".join(missing)
        raise InvalidTypeError(f"{operation}: expected {name}, as HostDriver(); got {driver!r} without {names}")
    return driver
