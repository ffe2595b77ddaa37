"""facula.xpu: Intel's GPU, as far as it can be asked about: there is no backend for it."""

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
    """Whether tensors can be put on device "xpu": False."""
    return False


def is_initialized() -> bool:
    """Whether an XPU device is in use: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether an XPU device computes in bfloat16: False."""
    return False


def device_count() -> int:
    """The number of XPU devices: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the current XPU device's generator: none is there, and nothing happens."""


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all XPU devices: none is there, and nothing happens."""


def empty_cache() -> None:
    """Give memory that is kept for XPU tensors back: there is none."""


Event: Kind = _absent.kind("Event")
Stream: Kind = _absent.kind("Stream")
current_device: Refusal = _absent.function("current_device")
get_device_name: Refusal = _absent.function("get_device_name")
get_device_properties: Refusal = _absent.function("get_device_properties")
set_device: Refusal = _absent.function("set_device")
synchronize: Refusal = _absent.function("synchronize")

publish(__name__)
