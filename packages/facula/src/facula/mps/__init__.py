"""facula.mps: queries about Apple's GPU, for which there is no backend."""

from __future__ import annotations

from .._lookup.absent_device import AbsentDevice, Kind, Refusal
from .._lookup.names import publish

__all__ = [
    "Event", "current_allocated_memory", "device_count", "driver_allocated_memory", "empty_cache", "get_rng_state",
    "is_available", "manual_seed", "recommended_max_memory", "seed", "set_per_process_memory_fraction",
    "set_rng_state", "synchronize",
]  # fmt: skip

_absent = AbsentDevice("mps", "MPS")


def is_available() -> bool:
    """Return whether tensors can be placed on device "mps": False."""
    return False


def device_count() -> int:
    """Return the number of MPS devices: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the MPS device's generator. A no-op, as there is none."""


Event: Kind = _absent.kind("Event")
current_allocated_memory: Refusal = _absent.function("current_allocated_memory")
driver_allocated_memory: Refusal = _absent.function("driver_allocated_memory")
empty_cache: Refusal = _absent.function("empty_cache")
get_rng_state: Refusal = _absent.function("get_rng_state")
recommended_max_memory: Refusal = _absent.function("recommended_max_memory")
seed: Refusal = _absent.function("seed")
set_per_process_memory_fraction: Refusal = _absent.function("set_per_process_memory_fraction")
set_rng_state: Refusal = _absent.function("set_rng_state")
synchronize: Refusal = _absent.function("synchronize")

publish(__name__)
