"""CUDA devices: a view of the package facula_cuda, which is imported on first use.

Programs seed, query and clean up CUDA without checking `is_available()`. Functions with a meaningful result without a
device return it, as in PyTorch; the others raise an explanatory RuntimeError.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from facula_allocator import OutOfMemoryError
from facula_errors.extend import Exit, boundary, pass_on
from facula_storage import Device
from facula_storage.extend.devices import is_connected

from .._lookup.absent_device import CudaDevice, Kind, Refusal, cuda_backend, cuda_tensor_type
from .._lookup.names import publish
from .._types import AnyValue
from .memory import (
    MemPool,
    empty_cache,
    list_gpu_processes,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    use_mem_pool,
)
from .random import (
    default_generators,
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from facula_tensor.extend.arguments import DeviceLike

    from . import amp as amp
    from . import nccl as nccl
    from . import nvtx as nvtx
    from .graphs import CUDAGraph as CUDAGraph
    from .graphs import graph as graph
    from .graphs import graph_pool_handle as graph_pool_handle
    from .graphs import is_current_stream_capturing as is_current_stream_capturing
    from .graphs import make_graphed_callables as make_graphed_callables
    from .streams import Event as Event
    from .streams import ExternalStream as ExternalStream
    from .streams import Stream as Stream

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CUDAGraph", "CharTensor", "DoubleTensor", "Event", "ExternalStream",
    "FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "MemPool", "OutOfMemoryError", "ShortTensor", "Stream",
    "StreamContext", "amp", "can_device_access_peer", "clock_rate", "current_device", "current_stream",
    "default_generators", "default_stream", "device", "device_count", "device_of", "empty_cache", "get_arch_list",
    "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state", "get_rng_state_all",
    "get_sync_debug_mode", "graph", "graph_pool_handle", "init", "initial_seed", "ipc_collect", "is_available",
    "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported", "list_gpu_processes",
    "make_graphed_callables", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_cached",
    "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot",
    "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "memory_usage", "nccl", "nvtx", "power_draw",
    "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_peak_memory_stats", "seed", "seed_all", "set_device", "set_per_process_memory_fraction", "set_rng_state",
    "set_rng_state_all", "set_stream", "set_sync_debug_mode", "stream", "synchronize", "temperature", "use_mem_pool",
    "utilization",
]  # fmt: skip


def is_available() -> bool:
    """Return whether tensors can be placed on device "cuda".

    That requires the package facula-cuda, NVIDIA's driver, and a device.

    >>> device = "cuda" if is_available() else "cpu"
    """
    return cuda_backend() is not None


@boundary
def device_count() -> int:
    """Return the number of CUDA devices that tensors can be placed on."""
    backend = cuda_backend()
    return 0 if backend is None else int(backend.device_count())


def is_initialized() -> bool:
    """Return whether a CUDA device is in use."""
    return any(is_connected(Device("cuda", index)) for index in range(device_count()))


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether the current device supports bfloat16; without `including_emulation`, by instructions for it."""
    return is_available() and (including_emulation or get_device_capability() >= (8, 0))


def is_tf32_supported() -> bool:
    """Return whether the current device has instructions for TF32."""
    return is_available() and get_device_capability() >= (8, 0)


def get_arch_list() -> list[str]:
    """Return the architectures that kernels can be built for: those of the devices, as they are built on first use.

    >>> get_arch_list() if not is_available() else []
    []
    """
    found = {get_device_capability(index) for index in range(device_count())}
    return [f"sm_{major}{minor}" for major, minor in sorted(found)]


_absent = CudaDevice()
BFloat16Tensor: Kind = cuda_tensor_type("BFloat16Tensor")
BoolTensor: Kind = cuda_tensor_type("BoolTensor")
ByteTensor: Kind = cuda_tensor_type("ByteTensor")
CharTensor: Kind = cuda_tensor_type("CharTensor")
DoubleTensor: Kind = cuda_tensor_type("DoubleTensor")
FloatTensor: Kind = cuda_tensor_type("FloatTensor")
HalfTensor: Kind = cuda_tensor_type("HalfTensor")
IntTensor: Kind = cuda_tensor_type("IntTensor")
LongTensor: Kind = cuda_tensor_type("LongTensor")
ShortTensor: Kind = cuda_tensor_type("ShortTensor")
clock_rate: Refusal = _absent.function("clock_rate")
memory_usage: Refusal = _absent.function("memory_usage")
power_draw: Refusal = _absent.function("power_draw")
temperature: Refusal = _absent.function("temperature")
utilization: Refusal = _absent.function("utilization")


@boundary
def current_device() -> int:
    """Return the index of the thread's current device."""
    return int(_absent.needed("current_device").current_device())


@boundary
def set_device(device: DeviceLike | int) -> None:
    """Make a device the thread's current one. A negative index is a no-op. RuntimeError if there is no device."""
    if not isinstance(device, int) or device >= 0:
        _absent.needed("set_device").set_device(device)


@boundary
def synchronize(device: DeviceLike | int | None = None) -> None:
    """Wait for all work on all streams of a device, by default of the current one."""
    _absent.needed("synchronize").synchronize(device)


@boundary
def get_device_name(device: DeviceLike | int | None = None) -> str:
    """Return the name of a device, by default of the current one: "NVIDIA H100"."""
    return str(_absent.needed("get_device_name").get_device_name(device))


@boundary
def get_device_capability(device: DeviceLike | int | None = None) -> tuple[int, int]:
    """Return the compute capability of a device, by default of the current one: (9, 0) for an H100."""
    major, minor = _absent.needed("get_device_capability").get_device_capability(device)
    return major, minor


@boundary
def get_device_properties(device: DeviceLike | int | None = None) -> AnyValue:
    """Return the properties of a device, by default of the current one: `name`, `total_memory`, `major` and others."""
    return _absent.needed("get_device_properties").get_device_properties(device)


@boundary
def can_device_access_peer(device: DeviceLike | int, peer_device: DeviceLike | int) -> bool:
    """Return whether kernels on a device can access the memory of another device."""
    return bool(_absent.needed("can_device_access_peer").can_device_access_peer(device, peer_device))


@boundary
def current_stream(device: DeviceLike | int | None = None) -> AnyValue:
    """Return the thread's current stream of a device, by default of the current one."""
    return _absent.needed("current_stream").current_stream(device)


@boundary
def default_stream(device: DeviceLike | int | None = None) -> AnyValue:
    """Return the default stream of a device, by default of the current one."""
    return _absent.needed("default_stream").default_stream(device)


@boundary
def set_stream(stream: AnyValue) -> None:
    """Make a stream the thread's current one; `with stream(s):` restores the previous one. None is a no-op."""
    if stream is not None:
        _absent.needed("set_stream").set_stream(stream)


@boundary
def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Select what happens where the host waits for a stream: "default" (0) nothing, "warn" (1), or "error" (2)."""
    _absent.needed("set_sync_debug_mode").set_sync_debug_mode(debug_mode)


@boundary
def get_sync_debug_mode() -> int:
    """Return the mode that `set_sync_debug_mode` selected: 0, 1 or 2."""
    return int(_absent.needed("get_sync_debug_mode").get_sync_debug_mode())


@boundary
def init() -> None:
    """Start to use CUDA, which the first tensor on a device does, too. RuntimeError without a device."""
    _absent.needed("init")


@boundary
def ipc_collect() -> None:
    """Release memory that other processes have released. RuntimeError without a device."""
    _absent.needed("ipc_collect")
    empty_cache()


class _Block:
    """A block in which a device or a stream is the current one; without effect if there is no device."""

    _name = "device"

    def __init__(self, value: AnyValue = None) -> None:
        self._value = value
        self._blocks: list[AbstractContextManager[object]] = []

    def __enter__(self) -> None:
        backend = None if self._value is None else cuda_backend()
        block = nullcontext() if backend is None else getattr(backend, self._name)(self._value)
        pass_on(self, block)
        block.__enter__()
        self._blocks.append(block)

    def _leave(self, *exc: AnyValue) -> None:
        self._blocks.pop().__exit__(*exc)

    __exit__ = Exit(_leave)


class device(_Block):
    """Context manager in which a device, given by its index or name, is the thread's current one.

    Creation functions with `device="cuda"` use it. None, a negative index, and a program without a device are no-ops.
    """


class device_of(device):
    """Context manager in which the device of a tensor is the thread's current one; a no-op for CPU tensors."""

    def __init__(self, obj: AnyValue) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else None)


class stream(_Block):
    """Context manager in which a stream and its device are the thread's current ones. None is a no-op."""

    _name = "stream"


StreamContext = stream

_GRAPHS = "CUDAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables"
publish(__name__, later=("amp", "nccl", "nvtx"), lazily={"streams": "Event ExternalStream Stream", "graphs": _GRAPHS})
