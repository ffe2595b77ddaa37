"""Drivers: the sources of memory of a `CachingAllocator`, which also order work on streams.

`Driver` is the protocol, and `DriverError` the error of a driver that refuses a call. `HostDriver` provides memory of
this machine. `SimulatedDriver` provides addresses of a simulated device, with streams under a test's control.
`VirtualMemory` is the optional part of the protocol; `supports_virtual_memory` checks whether a driver implements it.

`CudaDriver`, `PinnedDriver` and `ManagedDriver` use a `Runtime`: CuPy's bindings of CUDA, or a `FakeRuntime` of
simulated devices. A runtime raises `RuntimeFailure`, which drivers turn into a DriverError.
"""

from facula_errors.extend import published

from ._runtime import Runtime, RuntimeFailure
from .cuda import CudaDriver
from .fake import FakeRuntime
from .host import HostDriver
from .managed import ManagedDriver
from .pinned import PinnedDriver
from .protocol import Driver, DriverError, VirtualMemory, supports_virtual_memory
from .simulated import SimulatedDriver

__all__ = [
    "CudaDriver", "Driver", "DriverError", "FakeRuntime", "HostDriver", "ManagedDriver", "PinnedDriver", "Runtime",
    "RuntimeFailure", "SimulatedDriver", "VirtualMemory", "supports_virtual_memory",
]  # fmt: skip


__dir__ = published(__name__, "cuda", "fake", "host", "managed", "pinned", "protocol", "simulated")
