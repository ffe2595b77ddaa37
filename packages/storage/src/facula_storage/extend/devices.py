"""Backends: registration, and the allocation of host memory. For packages that provide a device."""

from .._devices import default_device_blocks, is_connected, register_backend
from .._host import HostMemory

__all__ = [
    "HostMemory",
    "default_device_blocks",
    "is_connected",
    "register_backend",
]
