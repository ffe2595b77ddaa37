"""The end of an allocator: its segments go when its last block is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._process import collecting
from .drivers.protocol import DriverError

if TYPE_CHECKING:
    from .drivers.protocol import Driver

_late: list[tuple[Driver, dict[int, int]]] = []  # what could not go when its allocator went


def close(driver: Driver, segments: dict[int, int]) -> None:
    """Give back what an allocator held, {address: bytes}; later if a collection runs or a graph is captured.

    What is freed in a collection stays until its end: a finaliser may still look at it.
    """
    try:
        if collecting or driver.is_capturing():
            _late.append((driver, segments))
            return
        driver.synchronize()
        while segments:
            driver.free(*segments.popitem())
    except DriverError:
        pass  # the driver keeps what is left: nobody is there to be told


def close_late() -> None:
    """Give back what could not go when its allocator went, if it can now."""
    for _ in range(0 if collecting else len(_late)):
        close(*_late.pop(0))


def forget_foreign() -> None:
    """In the child of a fork: forget memory that only the parent may use."""
    _late[:] = [(driver, segments) for driver, segments in _late if driver.survives_fork]
