"""The CUDA device: the queries that work without a CUDA backend.

Programs seed, query and clean up CUDA without checking `is_available()`. Functions with a meaningful result without a
device return it, as in PyTorch; the others raise an explanatory RuntimeError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_allocator import OutOfMemoryError

from .._lookup.absent_device import AbsentDevice, Kind, Refusal
from .._lookup.names import publish
from .graphs import (
    CUDAGraph,
    graph,
    is_current_stream_capturing,
    make_graphed_callables,
)
from .memory import (
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
)
from .random import (
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
from .streams import (
    Event,
    ExternalStream,
    Stream,
)

if TYPE_CHECKING:
    from . import amp as amp
    from . import nvtx as nvtx

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CUDAGraph", "CharTensor", "DoubleTensor", "Event",
    "ExternalStream", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "OutOfMemoryError", "ShortTensor",
    "Stream", "StreamContext", "amp", "can_device_access_peer", "current_device", "current_stream", "default_stream",
    "device", "device_count", "device_of", "empty_cache", "get_arch_list", "get_device_capability", "get_device_name",
    "get_device_properties", "get_rng_state", "get_rng_state_all", "graph", "init", "initial_seed", "ipc_collect",
    "is_available", "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported",
    "list_gpu_processes", "make_graphed_callables", "manual_seed", "manual_seed_all", "max_memory_allocated",
    "max_memory_cached", "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached",
    "memory_reserved", "memory_snapshot", "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "nvtx",
    "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_peak_memory_stats", "seed", "seed_all", "set_device", "set_per_process_memory_fraction", "set_rng_state",
    "set_rng_state_all", "set_stream", "stream", "synchronize", "utilization",
]  # fmt: skip


def is_available() -> bool:
    """Return whether tensors can be placed on device "cuda": False, since there is no CUDA backend yet.

    >>> is_available()
    False
    """
    return False


def device_count() -> int:
    """Return the number of CUDA devices that tensors can be placed on.

    >>> device_count()
    0
    """
    return 0


def is_initialized() -> bool:
    """Return whether a CUDA device is in use: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether a CUDA device supports bfloat16: False, there is none."""
    return False


def get_arch_list() -> list[str]:
    """Return the CUDA architectures that kernels are built for: none."""
    return []


def is_tf32_supported() -> bool:
    """Return whether a CUDA device supports TF32: False, there is none."""
    return False


_absent = AbsentDevice("cuda", "CUDA")
BFloat16Tensor: Kind = _absent.tensor_kind("BFloat16Tensor")
BoolTensor: Kind = _absent.tensor_kind("BoolTensor")
ByteTensor: Kind = _absent.tensor_kind("ByteTensor")
CharTensor: Kind = _absent.tensor_kind("CharTensor")
DoubleTensor: Kind = _absent.tensor_kind("DoubleTensor")
FloatTensor: Kind = _absent.tensor_kind("FloatTensor")
HalfTensor: Kind = _absent.tensor_kind("HalfTensor")
IntTensor: Kind = _absent.tensor_kind("IntTensor")
LongTensor: Kind = _absent.tensor_kind("LongTensor")
ShortTensor: Kind = _absent.tensor_kind("ShortTensor")
can_device_access_peer: Refusal = _absent.function("can_device_access_peer")
current_device: Refusal = _absent.function("current_device")
current_stream: Refusal = _absent.function("current_stream")
default_stream: Refusal = _absent.function("default_stream")
get_device_capability: Refusal = _absent.function("get_device_capability")
get_device_name: Refusal = _absent.function("get_device_name")
get_device_properties: Refusal = _absent.function("get_device_properties")
init: Refusal = _absent.function("init")
ipc_collect: Refusal = _absent.function("ipc_collect")
set_stream: Refusal = _absent.function("set_stream")
synchronize: Refusal = _absent.function("synchronize")
utilization: Refusal = _absent.function("utilization")


def set_device(device: object) -> None:
    """Select a CUDA device: RuntimeError, as there is none. A negative index is a no-op."""
    if not isinstance(device, int) or device >= 0:
        _set_device(device)


_set_device: Refusal = _absent.function("set_device")


class _Nothing:
    """A block without effect, for devices and streams that are not specified."""

    def __init__(self, what: object = None) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


class device(_Nothing):
    """A block with another current device. A no-op, as there is none."""


class device_of(_Nothing):
    """A block with a tensor's device as the current one. A no-op, as there is none."""


class stream(_Nothing):
    """A block whose work runs on another stream. A no-op, as there is none."""


StreamContext = stream

publish(__name__, later=("amp", "nvtx"))
