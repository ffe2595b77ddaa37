"""What a caching allocator asks of a device: memory, and the order of work on its streams."""

from __future__ import annotations

from typing import Protocol, TypeGuard

from facula_errors import InvalidTypeError, InvalidValueError, OperationError

__all__ = ["Driver", "DriverError", "VirtualMemory", "supports_virtual_memory"]


class DriverError(OperationError):
    """A driver refused a call. After a refused `allocate` the allocator gives cached memory back and tries again."""


class Driver(Protocol):
    """A device, in flat calls: addresses, streams and events are ints.

    The allocator calls it from any thread, one call at a time for each allocator. Every method but `is_capturing`
    and `memory_info` may raise DriverError, and has then changed nothing. A MemoryError of what gives memory says the
    same.
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


class VirtualMemory(Driver, Protocol):
    """A driver that reserves addresses first and puts memory behind them later, page by page.

    A driver of such a class whose `page_size` is 0 has no virtual memory: `supports_virtual_memory` says so, and the
    calls below raise DriverError.
    """

    #: The bytes of a page, a multiple of the granularity. Ranges and what is mapped are whole pages.
    page_size: int

    def reserve_addresses(self, nbytes: int) -> int:
        """The address of a range without memory, a multiple of `page_size`."""

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Give a range back: the whole of what one `reserve_addresses` gave, with no page mapped."""

    def map(self, address: int, nbytes: int) -> None:
        """Put fresh memory behind pages of one range that have none; DriverError when the device has not enough."""

    def unmap(self, address: int, nbytes: int) -> None:
        """Take the memory from behind mapped pages, however they were mapped, which no queued work uses."""


def supports_virtual_memory(driver: Driver) -> TypeGuard[VirtualMemory]:
    """Whether a driver has the calls of `VirtualMemory`, and pages.

    >>> from facula_allocator.drivers import HostDriver, SimulatedDriver
    >>> supports_virtual_memory(HostDriver()), supports_virtual_memory(SimulatedDriver(1 << 30, page_size=2 << 20))
    (False, True)
    """
    return not _missing(driver, VirtualMemory) and bool(getattr(driver, "page_size", 0))


def device_of(driver: object) -> int:
    """The number of a driver's device, as snapshots have it, also below policies; 0 where a driver has none."""
    while driver is not None:
        number = getattr(driver, "device", None)
        if type(number) is int:
            return number
        driver = getattr(driver, "driver", None)
    return 0


def checked_driver(driver: Driver, operation: str = "CachingAllocator", name: str = "driver") -> Driver:
    """The driver, if it has all that an allocator asks of it; InvalidTypeError names what is missing.

    Arguments:
        driver: what was given.
        operation: who asks, for the error.
        name: what it calls the driver.
    """
    missing = _missing(driver, Driver)
    if missing:
        names = ", ".join(missing)
        raise InvalidTypeError(f"{operation}: expected {name}, as HostDriver(); got {driver!r} without {names}")
    granularity, page_size = driver.granularity, getattr(driver, "page_size", 0)
    if type(granularity) is not int or granularity < 1:
        raise InvalidValueError(f"{operation}: expected {name}.granularity >= 1, an int; got {granularity!r:.60}")
    if type(page_size) is not int or page_size < 0 or page_size % granularity:
        expected = f"{name}.page_size, 0 or a multiple of the granularity, {granularity}"
        raise InvalidValueError(f"{operation}: expected {expected}; got {page_size!r:.60}")
    return driver


def check_address(address: object, granularity: int) -> None:
    """Raise InvalidValueError unless a driver gave an address that its own rules allow."""
    if not isinstance(address, int) or address < 0 or address % granularity:
        expected = f"an address from the driver, a multiple of {granularity}"
        raise InvalidValueError(f"allocate: expected {expected}; got {address!r:.60}")


def as_refusal(error: BaseException) -> DriverError:
    """What a driver raised where it had no memory, without its traceback, which would keep the callers' frames."""
    if isinstance(error, DriverError):
        return error.with_traceback(None)
    return DriverError(f"the driver has no memory: {type(error).__name__}: {error!s:.200}")


def _missing(driver: Driver, protocol: type) -> list[str]:
    wanted = [name for name in (*protocol.__annotations__, *vars(protocol)) if not name.startswith("_")]
    return [name for name in wanted if not hasattr(driver, name)]
