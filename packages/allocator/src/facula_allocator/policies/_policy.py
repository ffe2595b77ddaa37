"""What policies have in common."""

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
_forks: list[object] = []  # not empty once the child of a fork is followed


@boundary
class Policy:
    """A driver that hands every call on to another one; subclasses do more in some of them.

    What a subclass counts it changes under `_lock`, which is not held while the driver below works. It may be
    re-entered: a finaliser that runs inside may give memory back.

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
        """The address of fresh memory; DriverError when there is none."""
        return self.driver.allocate(nbytes)

    def free(self, address: int, nbytes: int) -> None:
        """Give memory back: the whole of what one `allocate` gave."""
        self.driver.free(address, nbytes)

    def reserve_addresses(self, nbytes: int) -> int:
        """The address of a range without memory; DriverError where the driver below has no virtual memory."""
        return self._pages().reserve_addresses(nbytes)

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Give a range back."""
        self._pages().free_addresses(address, nbytes)

    def map(self, address: int, nbytes: int) -> None:
        """Put fresh memory behind pages of a range."""
        self._pages().map(address, nbytes)

    def unmap(self, address: int, nbytes: int) -> None:
        """Take the memory from behind pages."""
        self._pages().unmap(address, nbytes)

    def _pages(self) -> VirtualMemory:
        driver = self.driver
        if not self.page_size or not supports_virtual_memory(driver):
            raise DriverError(f"{type(self).__name__}: expected a driver with virtual memory; got {driver!r}")
        return driver

    def record_event(self, stream: int) -> int:
        """An event that is done when all work queued on `stream` until now is."""
        return self.driver.record_event(stream)

    def wait_event(self, stream: int, event: int) -> None:
        """Let work that is queued on `stream` from now on begin after the event."""
        self.driver.wait_event(stream, event)

    def event_done(self, event: int) -> bool:
        """Whether the work before the event is over."""
        return self.driver.event_done(event)

    def free_event(self, event: int) -> None:
        """The event is not asked about again."""
        self.driver.free_event(event)

    def synchronize(self) -> None:
        """Wait until all queued work on all streams is over."""
        self.driver.synchronize()

    def is_capturing(self, stream: int | None = None) -> bool:
        """Whether a graph is being captured on `stream`, or on any for None."""
        return self.driver.is_capturing(stream)

    def memory_info(self) -> tuple[int, int]:
        """The bytes that there are: (free, total)."""
        return self.driver.memory_info()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.driver!r}>"

    def _forget(self) -> None:
        """In the child of a fork that may not use the parent's memory: let go of what is known of it."""


def _after_fork() -> None:
    for policy in list(_policies):
        policy._lock = ExitLock()
        if not policy.survives_fork:
            policy._forget()


def checked_count(operation: str, name: str, value: object, least: int = 0) -> int:
    """An argument that has to be an int of at least so much.

    Arguments:
        operation: who asks.
        name: the argument's name.
        value: what was given.
        least: the smallest that will do.
    """
    if type(value) is not int:
        raise InvalidTypeError(f"{operation}: expected {name}, an int; got {value!r:.60}")
    if value < least:
        raise InvalidValueError(f"{operation}: expected {name} >= {least}; got {value}")
    if value >= 1 << 63:
        raise InvalidValueError(f"{operation}: expected {name} < 2**63; got {value}")
    return value
