"""facula_cuda: NVIDIA GPUs, through CUDA's driver alone: no toolkit and no CUDA header is needed.

May import: NumPy, cffi's runtime and the standard library; of the siblings, facula_errors, facula_storage,
facula_allocator and facula_cpu.
All that names CUDA's functions is in `_port`; `_driver` is the module in C.
Start with `_port/driver.py`, which opens the driver and turns its codes into errors, and csrc/driver.h, the table of
its functions. `_port/devices.py` and `_port/streams.py` are what programs see of devices. `_backend/backend.py` is what
facula_storage calls.
"""

from facula_errors import MissingPackageError as _MissingPackageError
from facula_errors.extend import imported_later as _imported_later
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

try:
    from . import _driver as _driver
except ImportError as error:
    raise _MissingPackageError(
        f"facula_cuda: expected its module in C and cffi's runtime, _cffi_backend; got {error}. Install cffi by pip, "
        "from a wheel for this version of Python if there is no network: see 'Check a machine' in the README"
    ) from None

from ._backend.fallback_counts import fallbacks
from ._errors import CudaError
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
from ._port.events import Event
from ._port.streams import ExternalStream, Stream, current_stream, default_stream, set_stream, stream
from ._port.waits import waits

_register("facula_cuda")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._libraries.library import libraries as libraries
    from ._port.device_memory import device_allocator as device_allocator
    from ._port.graphs import CUDAGraph as CUDAGraph
    from ._port.graphs import graph as graph
    from ._port.graphs import graph_pool_handle as graph_pool_handle
    from ._port.graphs import is_current_stream_capturing as is_current_stream_capturing
    from ._port.memory_pools import MemPool as MemPool
    from ._port.memory_pools import use_mem_pool as use_mem_pool
    from ._port.nvml import clock_rate as clock_rate
    from ._port.nvml import memory_usage as memory_usage
    from ._port.nvml import power_draw as power_draw
    from ._port.nvml import temperature as temperature
    from ._port.nvml import utilization as utilization
    from ._port.nvtx import marks as marks
    from ._port.pinned import pinned_allocator as pinned_allocator
    from ._port.sync_debug import get_sync_debug_mode as get_sync_debug_mode
    from ._port.sync_debug import set_sync_debug_mode as set_sync_debug_mode
    from ._precision import get_float32_matmul_precision as get_float32_matmul_precision
    from ._precision import set_float32_matmul_precision as set_float32_matmul_precision

__all__ = [
    "CUDAGraph",
    "CudaError",
    "DeviceProperties",
    "Event",
    "ExternalStream",
    "MemPool",
    "Stream",
    "can_device_access_peer",
    "clock_rate",
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
    "get_float32_matmul_precision",
    "get_sync_debug_mode",
    "graph",
    "graph_pool_handle",
    "is_available",
    "is_current_stream_capturing",
    "libraries",
    "marks",
    "memory_usage",
    "pinned_allocator",
    "power_draw",
    "set_device",
    "set_float32_matmul_precision",
    "set_stream",
    "set_sync_debug_mode",
    "stream",
    "synchronize",
    "temperature",
    "use_mem_pool",
    "utilization",
    "waits",
]

# Imported on first access: the allocator's drivers take longer to import than the rest of this package.
__getattr__ = _imported_later(
    __name__,
    {
        "._libraries.library": ("libraries",),
        "._precision": ("get_float32_matmul_precision", "set_float32_matmul_precision"),
        "._port.device_memory": ("device_allocator",),
        "._port.graphs": ("CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing"),
        "._port.memory_pools": ("MemPool", "use_mem_pool"),
        "._port.nvml": ("clock_rate", "memory_usage", "power_draw", "temperature", "utilization"),
        "._port.nvtx": ("marks",),
        "._port.pinned": ("pinned_allocator",),
        "._port.sync_debug": ("get_sync_debug_mode", "set_sync_debug_mode"),
    },
)
__dir__ = _published(__name__)
