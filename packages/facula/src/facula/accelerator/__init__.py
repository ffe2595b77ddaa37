"""facula.accelerator: queries about an accelerator. None is available yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from facula_errors import OperationError
from facula_errors.extend import boundary

from .._lookup.names import publish
from .._lookup.refusals import Refusal

if TYPE_CHECKING:
    from facula_storage import Device

__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count",
    "device_index", "empty_cache", "get_device_capability", "get_memory_info", "is_available", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
    "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Return whether an accelerator is available: False.

    >>> is_available()
    False
    """
    return False


def device_count() -> int:
    """Return the number of accelerators: 0."""
    return 0


def current_accelerator(check_available: bool = False) -> Device | None:
    """Return the type of the accelerator: None.

    >>> device = current_accelerator() or "cpu"
    >>> device
    'cpu'
    """
    return None


def _needs_accelerator(name: str) -> Refusal:
    """Return a function that raises RuntimeError, since there is no accelerator."""

    def refuse(*arguments: object, **options: object) -> NoReturn:
        raise OperationError(
            f"accelerator.{name}: there is no accelerator, since facula has no backend but the CPU's yet; call it only "
            "where accelerator.is_available()"
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "RuntimeError: there is no accelerator."
    return boundary(refuse)


current_device_index: Refusal = _needs_accelerator("current_device_index")
current_device_idx: Refusal = _needs_accelerator("current_device_idx")
current_stream: Refusal = _needs_accelerator("current_stream")
device_index: Refusal = _needs_accelerator("device_index")
empty_cache: Refusal = _needs_accelerator("empty_cache")
get_device_capability: Refusal = _needs_accelerator("get_device_capability")
get_memory_info: Refusal = _needs_accelerator("get_memory_info")
max_memory_allocated: Refusal = _needs_accelerator("max_memory_allocated")
max_memory_reserved: Refusal = _needs_accelerator("max_memory_reserved")
memory_allocated: Refusal = _needs_accelerator("memory_allocated")
memory_reserved: Refusal = _needs_accelerator("memory_reserved")
memory_stats: Refusal = _needs_accelerator("memory_stats")
reset_accumulated_memory_stats: Refusal = _needs_accelerator("reset_accumulated_memory_stats")
reset_peak_memory_stats: Refusal = _needs_accelerator("reset_peak_memory_stats")
set_device_idx: Refusal = _needs_accelerator("set_device_idx")
set_device_index: Refusal = _needs_accelerator("set_device_index")
set_stream: Refusal = _needs_accelerator("set_stream")
synchronize: Refusal = _needs_accelerator("synchronize")

publish(__name__)
