"""Memory of CUDA devices: that of facula_allocator's allocators, which tensors and CuPy arrays can use.

Without a device in use, statistics are 0, as in PyTorch without CUDA. Functions that need a device start to use it, and
raise RuntimeError if there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Device

from .._lookup.absent_device import CudaDevice, Kind, Refusal, cuda_backend
from .._lookup.names import publish
from .._memory import DeviceMemory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._memory import Allocator

__all__ = [
    "MemPool", "dump_snapshot", "empty_cache", "list_gpu_processes", "max_memory_allocated", "max_memory_cached",
    "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot",
    "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "record_memory_history", "record_trace",
    "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_peak_memory_stats", "set_per_process_memory_fraction", "snapshot", "use_mem_pool",
]  # fmt: skip


def _allocators() -> Mapping[int, Allocator]:
    from facula_allocator import known_device_allocators

    return known_device_allocators()


def _current() -> int | None:
    """Return the index of the current device, or None if facula_cuda has none."""
    backend = cuda_backend()
    return None if backend is None else int(backend.current_device())


def _start(index: int | None) -> None:
    """Start to use a device, so that it has an allocator."""
    if cuda_backend() is not None:
        Device("cuda", index).resolved.backend  # noqa: B018


_absent = CudaDevice()
list_gpu_processes: Refusal = _absent.function("list_gpu_processes")
MemPool: Kind = _absent.provided("MemPool")
use_mem_pool: Refusal = _absent.function("use_mem_pool")

_memory = DeviceMemory("cuda", _allocators, _absent.error, _current, _start)
dump_snapshot = _memory.dump_snapshot
empty_cache = _memory.empty_cache
max_memory_allocated = _memory.max_memory_allocated
max_memory_reserved = _memory.max_memory_reserved
mem_get_info = _memory.mem_get_info
memory_allocated = _memory.memory_allocated
memory_reserved = _memory.memory_reserved
memory_snapshot = _memory.memory_snapshot
memory_stats = _memory.memory_stats
memory_stats_as_nested_dict = _memory.memory_stats_as_nested_dict
memory_summary = _memory.memory_summary
record_memory_history = _memory.record_memory_history
record_trace = _memory.record_trace
reset_accumulated_memory_stats = _memory.reset_accumulated_memory_stats
reset_peak_memory_stats = _memory.reset_peak_memory_stats
set_per_process_memory_fraction = _memory.set_per_process_memory_fraction
snapshot = _memory.snapshot

# PyTorch's former names, and its private ones.
max_memory_cached = max_memory_reserved
memory_cached = memory_reserved
reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats
_dump_snapshot = dump_snapshot
_record_memory_history = record_memory_history
_snapshot = snapshot

publish(__name__)
