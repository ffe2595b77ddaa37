"""Backends: registration, and the allocation of host memory. For packages that provide a device.

`AcceleratorBackend` is the protocol of the optional calls of a backend whose device has its own memory.
"""

from .._backend import AcceleratorBackend
from .._devices import connected, default_device_blocks, is_connected, register_backend
from .._host import HostMemory

__all__ = [
    "AcceleratorBackend",
    "HostMemory",
    "connected",
    "default_device_blocks",
    "is_connected",
    "register_backend",
]
