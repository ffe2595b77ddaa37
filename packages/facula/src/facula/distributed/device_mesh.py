"""Devices of several processes: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusal, Refusals

__all__ = ["DeviceMesh", "init_device_mesh"]

_missing = Refusals("distributed", "there is one process so far; call it only where distributed.is_available() is true")
DeviceMesh: Kind = _missing.kind("DeviceMesh")
init_device_mesh: Refusal = _missing.function("init_device_mesh")

publish(__name__)
