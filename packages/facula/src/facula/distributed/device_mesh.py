"""Devices of several processes, where programs for PyTorch look for them: not there yet."""

from .._names import publish
from . import DeviceMesh, init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]

publish(__name__)
