"""The CUDA device, as far as it can be asked about without a CUDA backend.

Programs seed, ask and tidy up on the way past `is_available()`: what has an answer without a device gives it, as in
PyTorch; the rest is a RuntimeError that says why.
"""

from __future__ import annotations

from typing import Any

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary

__all__ = [
    "current_device", "device_count", "empty_cache", "get_device_capability", "get_device_name",
    "get_device_properties",
    "is_available", "is_bf16_supported", "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "seed", "seed_all", "set_device", "synchronize",
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


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that were kept for CUDA tensors: 0."""
    return 0


def _no_device(name: str) -> OperationError:
    return OperationError(
        f"cuda.{name}: there is no CUDA device, since facula has published no backend for it yet; call it only where "
        "cuda.is_available()"
    )


@boundary
def current_device() -> int:
    """The number of the CUDA device in use: RuntimeError, there is none."""
    raise _no_device("current_device")


@boundary
def set_device(device: Any) -> None:
    """Choose the CUDA device to use: RuntimeError, there is none."""
    raise _no_device("set_device")


@boundary
def synchronize(device: Any = None) -> None:
    """Wait for a CUDA device's work: RuntimeError, there is none."""
    raise _no_device("synchronize")


@boundary
def get_device_name(device: Any = None) -> str:
    """The name of a CUDA device: RuntimeError, there is none."""
    raise _no_device("get_device_name")


@boundary
def get_device_capability(device: Any = None) -> tuple[int, int]:
    """What a CUDA device can do, as two numbers: RuntimeError, there is none."""
    raise _no_device("get_device_capability")


@boundary
def get_device_properties(device: Any = None) -> Any:
    """Name, memory and more of a CUDA device: RuntimeError, there is none."""
    raise _no_device("get_device_properties")
