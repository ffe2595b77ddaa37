"""The device interface that a caching allocator needs: memory, and the order of work on streams."""

from __future__ import annotations

from typing import Protocol, TypeGuard

from facula_errors import InvalidTypeError, InvalidValueError, OperationError

__all__ = ["Driver", "DriverError", "VirtualMemory", "supports_virtual_memory"]


class DriverError(OperationError):
    """A driver refused a call. After a refused `allocate`, the allocator releases cached memory and retries."""


class Driver(Protocol):
    """A device, in flat calls: addresses, streams and events are ints.

    An allocator calls it from any thread, but makes one call at a time. Every method except `is_capturing` and
    `memory_info` may raise DriverError, and then has no effect. A MemoryError from a method that provides memory has
    the same meaning.
    """

    #: Bytes. All sizes and all addresses are multiples of it.
    granularity: int
    #: The name of the memory in error messages: "host memory".
    memory: str
    #: Whether a forked child may use memory that its parent allocated.
    survives_fork: bool

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory. Raises DriverError if there is none."""

    def free(self, address: int, nbytes: int) -> None:
        """Free the whole result of one `allocate`, which no queued work uses."""

    def record_event(self, stream: int) -> int:
        """Return an event that is done when all work queued on `stream` so far is complete."""

    def wait_event(self, stream: int, event: int) -> None:
        """Make work queued on `stream` from now on wait for the event; the caller does not wait."""

    def event_done(self, event: int) -> bool:
        """Return whether the work before the event is complete."""

    def free_event(self, event: int) -> None:
        """Release an event, which is not queried again; streams that wait for it continue to wait."""

    def synchronize(self) -> None:
        """Wait until all queued work on all streams is complete."""

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return whether a graph is being captured on `stream`, or on any stream for None."""

    def memory_info(self) -> tuple[int, int]:
        """Return the device's bytes: (free, total)."""


class VirtualMemory(Driver, Protocol):
    """A driver that reserves addresses first and maps memory to them later, page by page.

    A driver of such a class without virtual memory has `page_size` 0: `supports_virtual_memory` then returns False, and
    the calls below raise DriverError.
    """

    #: The bytes of a page, a multiple of the granularity. Ranges and mappings consist of whole pages.
    page_size: int

    def reserve_addresses(self, nbytes: int) -> int:
        """Reserve a range without memory, and return its address, a multiple of `page_size`."""

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Release the whole result of one `reserve_addresses`, with no page mapped."""

    def map(self, address: int, nbytes: int) -> None:
        """Map new memory to unmapped pages of one range. Raises DriverError if the device has not enough memory."""

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages, in any grouping, that no queued work uses."""


def supports_virtual_memory(driver: Driver) -> TypeGuard[VirtualMemory]:
    """Return whether a driver has the calls of `VirtualMemory` and a page size.

    >>> from facula_allocator.drivers import HostDriver, SimulatedDriver
    >>> supports_virtual_memory(HostDriver()), supports_virtual_memory(SimulatedDriver(1 << 30, page_size=2 << 20))
    (False, True)
    """
    return not _missing(driver, VirtualMemory) and bool(getattr(driver, "page_size", 0))


def device_of(driver: object) -> int:
    """Return the number of a driver's device for snapshots, also through policies; 0 for a driver without one."""
    while driver is not None:
        number = getattr(driver, "device", None)
        if type(number) is int:
            return number
        driver = getattr(driver, "driver", None)
    return 0


def checked_driver(driver: Driver, operation: str = "CachingAllocator", name: str = "driver") -> Driver:
    """Check that `driver` has all that an allocator needs, and return it. InvalidTypeError names missing attributes.

    Arguments:
        driver: the object to check.
        operation: the caller's name, for the error.
        name: the caller's name for the driver.
    """
    if isinstance(driver, type):
        raise InvalidTypeError(
            f"{operation}: expected {name}, as HostDriver(); got the class {driver.__name__}; call it"
        )
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
    """Raise InvalidValueError unless a driver returned an address that follows its own rules."""
    if not isinstance(address, int) or address < 0 or address % granularity:
        expected = f"an address from the driver, a multiple of {granularity}"
        raise InvalidValueError(f"allocate: expected {expected}; got {address!r:.60}")


def as_refusal(error: BaseException) -> DriverError:
    """Convert a driver's out-of-memory error to a DriverError without its traceback, which would keep frames alive."""
    if isinstance(error, DriverError):
        return error.with_traceback(None)
    return DriverError(f"the driver has no memory: {type(error).__name__}: {error!s:.200}")


def _missing(driver: Driver, protocol: type) -> list[str]:
    wanted = [name for name in (*protocol.__annotations__, *vars(protocol)) if not name.startswith("_")]
    return [name for name in wanted if not hasattr(driver, name)]
