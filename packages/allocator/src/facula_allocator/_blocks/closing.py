"""The end of an allocator: its segments are released with its last block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._host.process import collecting
from ..drivers.protocol import DriverError, supports_virtual_memory
from .expandable_segments import release_ranges

if TYPE_CHECKING:
    from ..drivers.protocol import Driver
    from .expandable_segments import ReservedRange

_deferred: list[
    tuple[Driver, dict[int, int], dict[int, ReservedRange]]
] = []  # memory that could not be released when its allocator was finalised


def close(driver: Driver, segments: dict[int, int], ranges: dict[int, ReservedRange]) -> None:
    """Release the memory of an allocator; later if a collection runs or a graph is captured.

    Memory freed during a collection stays until its end, because a finaliser may still read it.

    Arguments:
        driver: the driver of the memory.
        segments: sizes of the segments in bytes, by address.
        ranges: reserved address ranges, by start address.
    """
    try:
        if collecting or driver.is_capturing():
            _deferred.append((driver, segments, ranges))
            return
        driver.synchronize()
        while segments:
            driver.free(*segments.popitem())
        if supports_virtual_memory(driver):
            release_ranges(driver, ranges)
    except DriverError:
        pass  # the driver keeps the rest: there is no caller to notify


def close_deferred() -> None:
    """Release deferred memory, if that is possible now."""
    for _ in range(0 if collecting else len(_deferred)):
        try:
            entry = _deferred.pop(0)
        except IndexError:  # another thread took the last entry
            break
        close(*entry)


def forget_parent_memory() -> None:
    """In a forked child: abandon memory that only the parent may use."""
    _deferred[:] = [entry for entry in _deferred if entry[0].survives_fork]
