"""Streams and events of CUDA devices: those of facula_cuda, or classes without instances if it is not installed."""

from __future__ import annotations

from .._lookup.absent_device import CudaDevice, Kind, installed_backend
from .._lookup.names import publish

__all__ = ["Event", "ExternalStream", "Stream"]

_source = installed_backend()
_absent = CudaDevice()
Event: Kind = getattr(_source, "Event", None) or _absent.kind("Event")
ExternalStream: Kind = getattr(_source, "ExternalStream", None) or _absent.kind("ExternalStream")
Stream: Kind = getattr(_source, "Stream", None) or _absent.kind("Stream")

publish(__name__)
