"""Devices of several processes, which are not supported yet."""

from .._lookup.names import publish
from .._lookup.refusals import Kind, Refusal, Refusals

__all__ = ["DeviceMesh", "init_device_mesh"]

_missing = Refusals("distributed", "use the module or tensor itself")
DeviceMesh: Kind = _missing.kind("DeviceMesh")
init_device_mesh: Refusal = _missing.function("init_device_mesh")

publish(__name__)
