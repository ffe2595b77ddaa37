"""Backends: registration, and the allocation of host memory. For packages that provide a device.

`AcceleratorBackend` is the protocol of the optional calls of a backend whose device has its own memory. It describes
each launch that may fail later by the last entry of `pending_launches`.
"""

from .._backend import AcceleratorBackend
from .._devices import connected, default_device_blocks, is_connected, pending_launches, register_backend
from .._host import HostMemory

__all__ = [
    "AcceleratorBackend",
    "HostMemory",
    "connected",
    "default_device_blocks",
    "is_connected",
    "pending_launches",
    "register_backend",
]
