"""Memory of CPU tensors, under the names of PyTorch's functions for CUDA devices.

The bytes in tensors and those that the allocator reserves are always known, at no cost. Their allocation sites, and the
peak of bytes in tensors, are known while memory is recorded:

>>> import facula
>>> facula.cpu.memory.record_memory_history()
>>> before = facula.cpu.memory_allocated()
>>> x = facula.zeros(1000, 1000)
>>> facula.cpu.memory_allocated() - before
4000000
>>> del x
>>> facula.cpu.max_memory_allocated() - before
4000000
>>> facula.cpu.memory.record_memory_history(None)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import OperationError

from .._lookup.names import publish
from .._memory import DeviceMemory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._memory import Allocator

__all__ = [
    "dump_snapshot", "empty_cache", "max_memory_allocated", "max_memory_reserved", "mem_get_info", "memory_allocated",
    "memory_reserved", "memory_snapshot", "memory_stats", "memory_stats_as_nested_dict", "memory_summary",
    "record_memory_history", "record_trace", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
    "set_per_process_memory_fraction", "snapshot",
]  # fmt: skip


def _allocators() -> Mapping[int, Allocator]:
    from facula_allocator import HostAllocator, StorageAllocator
    from facula_storage import cpu

    found = cpu.backend.allocator
    if isinstance(found, StorageAllocator):
        return {0: found.allocator}
    if not isinstance(found, HostAllocator):
        raise OperationError(f"cpu: expected tensors to have their memory from facula_allocator; got {found!r:.80}")
    return {0: found}


_memory = DeviceMemory("cpu", _allocators)
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

# PyTorch's private names.
_dump_snapshot = dump_snapshot
_record_memory_history = record_memory_history
_snapshot = snapshot

publish(__name__)
