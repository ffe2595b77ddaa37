"""facula.cpu: the CPU, with the query functions of other devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lookup.names import publish
from .memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)

if TYPE_CHECKING:
    from . import amp as amp

__all__ = [
    "amp", "current_device", "device_count", "empty_cache", "is_available", "is_initialized", "max_memory_allocated",
    "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_reserved", "memory_snapshot", "memory_stats",
    "memory_stats_as_nested_dict", "memory_summary", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
    "set_device", "set_per_process_memory_fraction", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Return whether tensors can be placed on the CPU: True."""
    return True


def is_initialized() -> bool:
    """Return whether the CPU is in use: True."""
    return True


def device_count() -> int:
    """Return the number of CPU devices: 1."""
    return 1


def current_device() -> str:
    """Return the name of the current device: "cpu"."""
    return "cpu"


def set_device(device: object) -> None:
    """Select the CPU. A no-op."""


def synchronize(device: object = None) -> None:
    """Wait for the CPU. A no-op: functions return after their work is done."""


publish(__name__, later=("amp",))
