"""Streams and events of CUDA devices: those of facula_cuda, or classes without instances if it is not installed."""

from __future__ import annotations

from .._lookup.absent_device import CudaDevice, Kind
from .._lookup.names import publish

__all__ = ["Event", "ExternalStream", "Stream"]

_absent = CudaDevice()
Event: Kind = _absent.provided("Event")
ExternalStream: Kind = _absent.provided("ExternalStream")
Stream: Kind = _absent.provided("Stream")

publish(__name__)
