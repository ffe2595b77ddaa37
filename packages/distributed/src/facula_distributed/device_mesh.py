"""Meshes of processes, under the names of torch.distributed.device_mesh."""

from facula_errors.extend import published as _published

from ._dtensor.mesh import DeviceMesh, init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]

__dir__ = _published(__name__)
