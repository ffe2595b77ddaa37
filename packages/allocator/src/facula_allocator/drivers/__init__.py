"""Drivers: where a `CachingAllocator` has its memory from, and what tells it of time.

`Driver` is the protocol, `DriverError` what a driver raises when it refuses. `HostDriver` gives memory of this
machine, `SimulatedDriver` addresses of a device that does not exist, with streams under a test's control.
`VirtualMemory` is the part of the protocol that drivers need not have; `supports_virtual_memory` says whether one does.

`CudaDriver`, `PinnedDriver` and `ManagedDriver` stand on a `Runtime`: CuPy's bindings of CUDA, or a `FakeRuntime` of
simulated devices. `RuntimeFailure` is what a runtime raises; drivers turn it into a DriverError.
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
