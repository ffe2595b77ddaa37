"""facula_cuda: NVIDIA GPUs, through CUDA's driver alone: no toolkit and no CUDA header is needed.

May import: NumPy, cffi's runtime and the standard library; of the siblings, facula_errors, facula_storage,
facula_allocator and facula_cpu.
All that names CUDA's functions is in `_port`; `_driver` is the module in C.
Start with `_port/driver.py`, which opens the driver and turns its codes into errors, and csrc/driver.h, the table of
its functions. `_port/devices.py` and `_port/streams.py` are what programs see of devices. `_backend/backend.py` is what
facula_storage calls.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._backend.fallback_counts import fallbacks
from ._errors import CudaError
from ._port.device_memory import device_allocator
from ._port.devices import (
    DeviceProperties,
    can_device_access_peer,
    current_device,
    device,
    device_count,
    get_device_capability,
    get_device_name,
    get_device_properties,
    set_device,
    synchronize,
)
from ._port.driver import driver_version, is_available
from ._port.graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing
from ._port.pinned import pinned_allocator
from ._port.streams import Event, ExternalStream, Stream, current_stream, default_stream, set_stream, stream
from ._port.waits import waits

_register("facula_cuda")

__all__ = [
    "CUDAGraph",
    "CudaError",
    "DeviceProperties",
    "Event",
    "ExternalStream",
    "Stream",
    "can_device_access_peer",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_allocator",
    "device_count",
    "driver_version",
    "fallbacks",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "graph",
    "graph_pool_handle",
    "is_available",
    "is_current_stream_capturing",
    "pinned_allocator",
    "set_device",
    "set_stream",
    "stream",
    "synchronize",
    "waits",
]


__dir__ = _published(__name__)
