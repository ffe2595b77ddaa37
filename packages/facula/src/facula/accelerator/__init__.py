"""facula.accelerator: the functions of `facula.cuda` under names that do not depend on the type of the device."""

from __future__ import annotations

from functools import wraps
from importlib import import_module

from facula_errors import OperationError
from facula_errors.extend import boundary
from facula_storage import Device, DType

from .. import cuda
from .._lookup.names import publish
from .._lookup.refusals import Refusal

__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count",
    "device_index", "empty_cache", "get_device_capability", "get_memory_info", "is_available", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
    "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Return whether an accelerator is available.

    >>> device = current_accelerator() if is_available() else "cpu"
    """
    return cuda.is_available()


def device_count() -> int:
    """Return the number of accelerators."""
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> Device | None:
    """Return the accelerator's type as a device without an index, `device("cuda")`; None if none is available.

    >>> device = current_accelerator() or "cpu"
    """
    return Device("cuda") if is_available() else None


@boundary
def get_device_capability(device: object = None) -> dict[str, set[DType]]:
    """Return the properties that accelerators of all types have: the set of "supported_dtypes"."""
    _require("get_device_capability")
    return {"supported_dtypes": {value for value in vars(import_module("facula")).values() if isinstance(value, DType)}}


def _require(name: str) -> None:
    if not is_available():
        raise OperationError(
            f"accelerator.{name}: there is no accelerator; call it only where accelerator.is_available()"
        )


def _on_accelerator(name: str, theirs: str = "") -> Refusal:
    """Return a function of `facula.cuda`, which raises RuntimeError if there is no accelerator."""

    function = getattr(cuda, theirs or name)

    @wraps(function)
    def call(*arguments: object, **options: object) -> object:
        _require(name)
        return function(*arguments, **options)

    call.__name__ = call.__qualname__ = name
    call.__module__ = __name__
    call.__doc__ = f"`facula.cuda.{theirs or name}` on the accelerator. RuntimeError if there is none."
    return boundary(call)


current_device_index: Refusal = _on_accelerator("current_device_index", "current_device")
current_device_idx: Refusal = _on_accelerator("current_device_idx", "current_device")
current_stream: Refusal = _on_accelerator("current_stream")
device_index: Refusal = _on_accelerator("device_index", "device")
empty_cache: Refusal = _on_accelerator("empty_cache")
get_memory_info: Refusal = _on_accelerator("get_memory_info", "mem_get_info")
max_memory_allocated: Refusal = _on_accelerator("max_memory_allocated")
max_memory_reserved: Refusal = _on_accelerator("max_memory_reserved")
memory_allocated: Refusal = _on_accelerator("memory_allocated")
memory_reserved: Refusal = _on_accelerator("memory_reserved")
memory_stats: Refusal = _on_accelerator("memory_stats")
reset_accumulated_memory_stats: Refusal = _on_accelerator("reset_accumulated_memory_stats")
reset_peak_memory_stats: Refusal = _on_accelerator("reset_peak_memory_stats")
set_device_idx: Refusal = _on_accelerator("set_device_idx", "set_device")
set_device_index: Refusal = _on_accelerator("set_device_index", "set_device")
set_stream: Refusal = _on_accelerator("set_stream")
synchronize: Refusal = _on_accelerator("synchronize")

publish(__name__)
