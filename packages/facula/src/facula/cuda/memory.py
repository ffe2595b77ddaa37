"""Memory of CUDA devices: none is in use."""

from __future__ import annotations

from .._absent_device import AbsentDevice, Refusal
from .._names import publish

__all__ = [
    "empty_cache", "list_gpu_processes", "max_memory_allocated", "max_memory_cached", "max_memory_reserved",
    "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot", "memory_stats",
    "memory_summary", "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_peak_memory_stats", "set_per_process_memory_fraction",
]  # fmt: skip

_absent = AbsentDevice("cuda", "CUDA")
list_gpu_processes: Refusal = _absent.function("list_gpu_processes")
mem_get_info: Refusal = _absent.function("mem_get_info")
memory_snapshot: Refusal = _absent.function("memory_snapshot")
memory_summary: Refusal = _absent.function("memory_summary")
reset_accumulated_memory_stats: Refusal = _absent.function("reset_accumulated_memory_stats")
reset_max_memory_allocated: Refusal = _absent.function("reset_max_memory_allocated")
reset_max_memory_cached: Refusal = _absent.function("reset_max_memory_cached")
reset_peak_memory_stats: Refusal = _absent.function("reset_peak_memory_stats")
set_per_process_memory_fraction: Refusal = _absent.function("set_per_process_memory_fraction")


def empty_cache() -> None:
    """Give memory that is kept for CUDA tensors back: there is none."""


def max_memory_allocated(device: object = None) -> int:
    """The most bytes that were in CUDA tensors: 0."""
    return 0


def max_memory_cached(device: object = None) -> int:
    """The most bytes that were kept for CUDA tensors: 0."""
    return 0


def max_memory_reserved(device: object = None) -> int:
    """The most bytes that were kept for CUDA tensors: 0."""
    return 0


def memory_allocated(device: object = None) -> int:
    """Bytes in CUDA tensors: 0."""
    return 0


def memory_cached(device: object = None) -> int:
    """Bytes kept for CUDA tensors, as `memory_reserved` was once called: 0."""
    return 0


def memory_reserved(device: object = None) -> int:
    """Bytes kept for CUDA tensors: 0."""
    return 0


def memory_stats(device: object = None) -> dict[str, int]:
    """Counts of CUDA memory by name: none."""
    return {}


publish(__name__)
