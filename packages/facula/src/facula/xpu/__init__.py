"""facula.xpu: queries about Intel's GPU, for which there is no backend."""

from __future__ import annotations

from .._lookup.absent_device import AbsentDevice, Kind, Refusal
from .._lookup.names import publish

__all__ = [
    "Event", "Stream", "current_device", "device_count", "empty_cache", "get_device_name", "get_device_properties",
    "is_available", "is_bf16_supported", "is_initialized", "manual_seed", "manual_seed_all", "set_device",
    "synchronize",
]  # fmt: skip

_absent = AbsentDevice("xpu", "XPU")


def is_available() -> bool:
    """Return whether tensors can be placed on device "xpu": False."""
    return False


def is_initialized() -> bool:
    """Return whether an XPU device is in use: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether an XPU device supports bfloat16: False."""
    return False


def device_count() -> int:
    """Return the number of XPU devices: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the current XPU device's generator. A no-op, as there is none."""


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all XPU devices. A no-op, as there are none."""


def empty_cache() -> None:
    """Release unused memory of XPU tensors. A no-op, as there is none."""


Event: Kind = _absent.kind("Event")
Stream: Kind = _absent.kind("Stream")
current_device: Refusal = _absent.function("current_device")
get_device_name: Refusal = _absent.function("get_device_name")
get_device_properties: Refusal = _absent.function("get_device_properties")
set_device: Refusal = _absent.function("set_device")
synchronize: Refusal = _absent.function("synchronize")

publish(__name__)
