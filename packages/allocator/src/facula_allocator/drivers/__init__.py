"""Drivers: where a `CachingAllocator` has its memory from, and what tells it of time.

`Driver` is the protocol, `DriverError` what a driver raises when it refuses. `HostDriver` gives memory of this
machine, `SimulatedDriver` addresses of a device that does not exist, with streams under a test's control.
`VirtualMemory` is the part of the protocol that drivers need not have; `supports_virtual_memory` says whether one does.
"""

from .host import HostDriver
from .protocol import Driver, DriverError, VirtualMemory, supports_virtual_memory
from .simulated import SimulatedDriver

__all__ = ["Driver", "DriverError", "HostDriver", "SimulatedDriver", "VirtualMemory", "supports_virtual_memory"]


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__name__", "host", "protocol", "simulated"]
