"""Names of PyTorch's torch.distributed.device_mesh, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributed.device_mesh import DeviceMesh as DeviceMesh
from facula_distributed.device_mesh import init_device_mesh as init_device_mesh
