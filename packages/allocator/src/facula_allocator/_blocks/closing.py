"""The end of an allocator: its segments go when its last block is gone."""

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
] = []  # what could not go when its allocator went


def close(driver: Driver, segments: dict[int, int], ranges: dict[int, ReservedRange]) -> None:
    """Give back what an allocator held; later if a collection runs or a graph is captured.

    What is freed in a collection stays until its end: a finaliser may still look at it.

    Arguments:
        driver: where memory came from.
        segments: their bytes by address.
        ranges: reserved addresses by their start.
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
        pass  # the driver keeps what is left: nobody is there to be told


def close_deferred() -> None:
    """Give back what could not go when its allocator went, if it can now."""
    for _ in range(0 if collecting else len(_deferred)):
        try:
            entry = _deferred.pop(0)
        except IndexError:  # another thread was quicker
            break
        close(*entry)


def forget_parent_memory() -> None:
    """In the child of a fork: forget memory that only the parent may use."""
    _deferred[:] = [entry for entry in _deferred if entry[0].survives_fork]
