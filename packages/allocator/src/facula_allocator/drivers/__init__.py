"""Drivers: where a `CachingAllocator` has its memory from, and what tells it of time.

`Driver` is the protocol, `DriverError` what a driver raises when it refuses. `HostDriver` gives memory of this
machine, `SimulatedDriver` addresses of a device that does not exist, with streams under a test's control.
"""

from .host import HostDriver
from .protocol import Driver, DriverError
from .simulated import SimulatedDriver

__all__ = ["Driver", "DriverError", "HostDriver", "SimulatedDriver"]


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__name__", "host", "protocol", "simulated"]
