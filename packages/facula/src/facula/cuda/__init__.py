"""The CUDA device, as far as it can be asked about without a CUDA backend.

Programs seed, ask and tidy up on the way past `is_available()`: what has an answer without a device gives it, as in
PyTorch; the rest is a RuntimeError that says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._absent_device import AbsentDevice
from .._names import publish

if TYPE_CHECKING:
    from . import amp as amp
    from . import nvtx as nvtx

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CUDAGraph", "CharTensor", "DoubleTensor", "Event", "ExternalStream",
    "FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "ShortTensor", "Stream", "StreamContext",
    "amp", "can_device_access_peer", "current_device", "current_stream", "default_stream", "device", "device_count",
    "device_of", "empty_cache", "get_arch_list", "get_device_capability", "get_device_name", "get_device_properties",
    "get_rng_state", "get_rng_state_all", "graph", "init", "initial_seed", "ipc_collect", "is_available",
    "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported", "list_gpu_processes",
    "make_graphed_callables", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_cached",
    "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot",
    "memory_stats", "memory_summary", "nvtx", "reset_accumulated_memory_stats", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_peak_memory_stats", "seed", "seed_all", "set_device",
    "set_per_process_memory_fraction", "set_rng_state", "set_rng_state_all", "set_stream", "stream", "synchronize",
    "utilization",
]  # fmt: skip


def is_available() -> bool:
    """Whether tensors can be put on device "cuda": False, since there is no CUDA backend yet.

    >>> is_available()
    False
    """
    return False


def device_count() -> int:
    """The number of CUDA devices that tensors can be put on.

    >>> device_count()
    0
    """
    return 0


def is_initialized() -> bool:
    """Whether a CUDA device is in use: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether a CUDA device computes in bfloat16: False, there is none."""
    return False


@boundary
def manual_seed(seed: int) -> None:
    """Seed the current CUDA device's generator: none is there, and nothing happens. TypeError for what is no integer.

    >>> manual_seed(1)
    """
    if not hasattr(seed, "__index__"):
        raise InvalidTypeError(f"cuda.manual_seed: expected seed to be an integer; got {seed!r}")


@boundary
def manual_seed_all(seed: int) -> None:
    """Seed the generators of all CUDA devices: none is there, and nothing happens."""
    manual_seed(seed)


def seed() -> None:
    """Seed the current CUDA device's generator from the system: none is there."""


def seed_all() -> None:
    """Seed the generators of all CUDA devices from the system: none is there."""


def empty_cache() -> None:
    """Give memory that is kept for CUDA tensors back: there is none."""


def memory_allocated(device: Any = None) -> int:
    """Bytes in CUDA tensors: 0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were in CUDA tensors: 0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """Bytes kept for CUDA tensors: 0."""
    return 0


def memory_cached(device: Any = None) -> int:
    """Bytes kept for CUDA tensors, as `memory_reserved` was once called: 0."""
    return 0


def max_memory_cached(device: Any = None) -> int:
    """The most bytes that were kept for CUDA tensors: 0."""
    return 0


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Counts of CUDA memory by name: none."""
    return {}


def get_arch_list() -> list[str]:
    """The kinds of CUDA devices that kernels are built for: none."""
    return []


def get_rng_state_all() -> list[Any]:
    """The states of the generators of all CUDA devices: none."""
    return []


def set_rng_state_all(new_states: Any) -> None:
    """Set the states of the generators of all CUDA devices: none is there."""


def is_tf32_supported() -> bool:
    """Whether a CUDA device computes in TF32: False, there is none."""
    return False


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that were kept for CUDA tensors: 0."""
    return 0


_absent = AbsentDevice("cuda", "CUDA")
CUDAGraph = _absent.kind("CUDAGraph")
Event = _absent.kind("Event")
ExternalStream = _absent.kind("ExternalStream")
Stream = _absent.kind("Stream")
BFloat16Tensor = _absent.tensor_kind("BFloat16Tensor")
BoolTensor = _absent.tensor_kind("BoolTensor")
ByteTensor = _absent.tensor_kind("ByteTensor")
CharTensor = _absent.tensor_kind("CharTensor")
DoubleTensor = _absent.tensor_kind("DoubleTensor")
FloatTensor = _absent.tensor_kind("FloatTensor")
HalfTensor = _absent.tensor_kind("HalfTensor")
IntTensor = _absent.tensor_kind("IntTensor")
LongTensor = _absent.tensor_kind("LongTensor")
ShortTensor = _absent.tensor_kind("ShortTensor")
can_device_access_peer = _absent.function("can_device_access_peer")
current_device = _absent.function("current_device")
current_stream = _absent.function("current_stream")
default_stream = _absent.function("default_stream")
get_device_capability = _absent.function("get_device_capability")
get_device_name = _absent.function("get_device_name")
get_device_properties = _absent.function("get_device_properties")
get_rng_state = _absent.function("get_rng_state")
graph = _absent.kind("graph")
init = _absent.function("init")
initial_seed = _absent.function("initial_seed")
ipc_collect = _absent.function("ipc_collect")
is_current_stream_capturing = _absent.function("is_current_stream_capturing")
list_gpu_processes = _absent.function("list_gpu_processes")
make_graphed_callables = _absent.function("make_graphed_callables")
mem_get_info = _absent.function("mem_get_info")
memory_snapshot = _absent.function("memory_snapshot")
memory_summary = _absent.function("memory_summary")
reset_accumulated_memory_stats = _absent.function("reset_accumulated_memory_stats")
reset_max_memory_allocated = _absent.function("reset_max_memory_allocated")
reset_max_memory_cached = _absent.function("reset_max_memory_cached")
reset_peak_memory_stats = _absent.function("reset_peak_memory_stats")
set_per_process_memory_fraction = _absent.function("set_per_process_memory_fraction")
set_rng_state = _absent.function("set_rng_state")
set_stream = _absent.function("set_stream")
synchronize = _absent.function("synchronize")
utilization = _absent.function("utilization")


def set_device(device: Any) -> None:
    """Choose the CUDA device to use: RuntimeError, there is none; but a negative number asks for nothing."""
    if not isinstance(device, int) or device >= 0:
        _set_device(device)


_set_device = _absent.function("set_device")


class _Nothing:
    """A block on another device, or stream, where none is asked for: nothing is done."""

    def __init__(self, what: Any = None) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


class device(_Nothing):
    """A block with another current device: there is none, and nothing changes."""


class device_of(_Nothing):
    """A block with a tensor's device as the current one: there is none, and nothing changes."""


class stream(_Nothing):
    """A block whose work goes to another stream: there is none, and nothing changes."""


StreamContext = stream

publish(__name__, later=("amp", "nvtx"))
