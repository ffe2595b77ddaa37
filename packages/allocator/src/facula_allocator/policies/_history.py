"""The last calls of a driver."""

from __future__ import annotations

from collections import deque
from time import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from facula_errors import FaculaError
from facula_errors.extend import boundary

from .._reports.call_sites import CallSite, call_site
from ._policy import Policy, checked_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..drivers.protocol import Driver

    T = TypeVar("T")


class Call(NamedTuple):
    """A call of a driver.

    Arguments:
        seconds: the time of the call, as returned by `time.time()`.
        name: the method.
        arguments: its arguments.
        result: its result, or the text of the error that it raised.
        site: the line of the program that made the call.
    """

    seconds: float
    name: str
    arguments: tuple[int, ...]
    result: int | bool | str | None
    site: CallSite


@boundary
class History(Policy):
    """The last calls of a driver, in `calls`: with their time, their result and the calling line.

    Queries without effect (`is_capturing`, `memory_info`) are not included.

    Arguments:
        driver: the driver below.
        length: the number of calls to keep.

    >>> from facula_allocator.drivers import HostDriver
    >>> driver = History(HostDriver(), length=2)
    >>> for nbytes in (4096, 8192):
    ...     driver.free(driver.allocate(nbytes), nbytes)
    >>> [(call.name, call.arguments[-1]) for call in driver.calls]
    [('allocate', 8192), ('free', 8192)]
    """

    __slots__ = ("_calls",)

    def __init__(self, driver: Driver, length: int = 1000):
        super().__init__(driver)
        self._calls: deque[Call] = deque(maxlen=checked_count("History", "length", length, 1))

    @property
    def calls(self) -> list[Call]:
        """The last calls, oldest first."""
        return list(self._calls)

    def clear(self) -> None:
        """Clear the history."""
        self._calls.clear()

    def allocate(self, nbytes: int) -> int:
        """Allocate from the driver below."""
        return self._noted(super().allocate, nbytes)

    def free(self, address: int, nbytes: int) -> None:
        """Free memory."""
        self._noted(super().free, address, nbytes)

    def reserve_addresses(self, nbytes: int) -> int:
        """Reserve a range without memory, and return its address."""
        return self._noted(super().reserve_addresses, nbytes)

    def free_addresses(self, address: int, nbytes: int) -> None:
        """Release a range."""
        self._noted(super().free_addresses, address, nbytes)

    def map(self, address: int, nbytes: int) -> None:
        """Map new memory to pages of a range."""
        self._noted(super().map, address, nbytes)

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages."""
        self._noted(super().unmap, address, nbytes)

    def record_event(self, stream: int) -> int:
        """Return an event that is done when all work queued on `stream` so far is complete."""
        return self._noted(super().record_event, stream)

    def wait_event(self, stream: int, event: int) -> None:
        """Make work queued on `stream` from now on wait for the event."""
        self._noted(super().wait_event, stream, event)

    def event_done(self, event: int) -> bool:
        """Return whether the work before the event is complete."""
        return self._noted(super().event_done, event)

    def free_event(self, event: int) -> None:
        """Release an event, which is not queried again."""
        self._noted(super().free_event, event)

    def synchronize(self) -> None:
        """Wait until all queued work on all streams is complete."""
        self._noted(super().synchronize)

    def _noted(self, method: Callable[..., T], *arguments: int) -> T:
        now, site = time(), call_site(2)
        try:
            result = method(*arguments)
        except FaculaError as error:
            self._calls.append(Call(now, method.__name__, arguments, str(error), site))
            raise
        told = result if isinstance(result, int) else None
        self._calls.append(Call(now, method.__name__, arguments, told, site))
        return result
