"""The base class of policies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from weakref import WeakSet

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._locks import ExitLock
from ..drivers.protocol import DriverError, checked_driver, supports_virtual_memory

if TYPE_CHECKING:
    from .._locks import ExitLock
from ..drivers.protocol import Driver, VirtualMemory

_policies: WeakSet[Policy] = WeakSet()
_forks: list[object] = []  # not empty once the fork handler is registered


@boundary
class Policy:
    """A driver that forwards every call to another one; subclasses override some of the calls.

    A subclass updates its counters under `_lock`, which is not held while the driver below works. The lock is
    re-entrant: a finaliser that runs inside may free memory.

    Arguments:
        driver: the driver below, which may be a policy itself.

    >>> from facula_allocator.drivers import HostDriver
    >>> class Announced(Policy):
    ...     __slots__ = ()
    ...     def allocate(self, nbytes):
    ...         print("asked for", nbytes)
    ...         return super().allocate(nbytes)
    >>> driver = Announced(HostDriver())
    >>> driver.free(driver.allocate(4096), 4096)
    asked for 4096
    """

    __slots__ = ("__weakref__", "_lock", "driver", "granularity", "memory", "page_size", "survives_fork")

    def __init__(self, driver: Driver):
        self.driver: Driver = checked_driver(driver, type(self).__name__)
        self.granularity: int = driver.granularity
        self.memory: str = driver.memory
        self.survives_fork: bool = driver.survives_fork
        self.page_size: int = driver.page_size if supports_virtual_memory(driver) else 0
        self._lock = ExitLock()
        _policies.add(self)
        if not _forks:
            _forks.append(True)
            os.register_at_fork(after_in_child=_after_fork)

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory. Raises DriverError if there is none."""
        return self.driver.allocate(nbytes)

    def free(self, address: int, nbytes: int) -> None:
        """Free the whole result of one `allocate`."""
        self.driver.free(address, nbytes)

    def reserve_addresses(self, nbytes: int) -> int:
        """Reserve a range without memory, and return its address. DriverError if the driver has no virtual memory."""
        return self._pages().reserve_addresses(nbytes)

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Release a range."""
        self._pages().free_addresses(address, nbytes)

    def map(self, address: int, nbytes: int) -> None:
        """Map new memory to pages of a range."""
        self._pages().map(address, nbytes)

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages."""
        self._pages().unmap(address, nbytes)

    def _pages(self) -> VirtualMemory:
        driver = self.driver
        if not self.page_size or not supports_virtual_memory(driver):
            raise DriverError(f"{type(self).__name__}: expected a driver with virtual memory; got {driver!r}")
        return driver

    def record_event(self, stream: int) -> int:
        """Return an event that is done when all work queued on `stream` so far is complete."""
        return self.driver.record_event(stream)

    def wait_event(self, stream: int, event: int) -> None:
        """Make work queued on `stream` from now on wait for the event."""
        self.driver.wait_event(stream, event)

    def event_done(self, event: int) -> bool:
        """Return whether the work before the event is complete."""
        return self.driver.event_done(event)

    def free_event(self, event: int) -> None:
        """Release an event, which is not queried again."""
        self.driver.free_event(event)

    def synchronize(self) -> None:
        """Wait until all queued work on all streams is complete."""
        self.driver.synchronize()

    def is_capturing(self, stream: int | None = None) -> bool:
        """Return whether a graph is being captured on `stream`, or on any stream for None."""
        return self.driver.is_capturing(stream)

    def memory_info(self) -> tuple[int, int]:
        """Return the bytes that exist: (free, total)."""
        return self.driver.memory_info()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.driver!r}>"

    def _forget(self) -> None:
        """Drop the state of the parent's memory, in a forked child that may not use that memory."""


def _after_fork() -> None:
    for policy in list(_policies):
        policy._lock = ExitLock()
        if not policy.survives_fork:
            policy._forget()


def checked_count(operation: str, name: str, value: object, least: int = 0) -> int:
    """Check that an argument is an int of at least `least`, and return it.

    Arguments:
        operation: the caller's name.
        name: the argument's name.
        value: the argument.
        least: the smallest valid value.
    """
    if type(value) is not int:
        raise InvalidTypeError(f"{operation}: expected {name}, an int; got {value!r:.60}")
    if value < least:
        raise InvalidValueError(f"{operation}: expected {name} >= {least}; got {value}")
    if value >= 1 << 63:
        raise InvalidValueError(f"{operation}: expected {name} < 2**63; got {value}")
    return value
