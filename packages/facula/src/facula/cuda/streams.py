"""Streams of CUDA devices, which are not available."""

from __future__ import annotations

from .._lookup.absent_device import AbsentDevice, Kind
from .._lookup.names import publish

__all__ = ["Event", "ExternalStream", "Stream"]

_absent = AbsentDevice("cuda", "CUDA")
Event: Kind = _absent.kind("Event")
ExternalStream: Kind = _absent.kind("ExternalStream")
Stream: Kind = _absent.kind("Stream")

publish(__name__)
