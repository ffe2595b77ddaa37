"""Names of PyTorch's torch.nn.modules.instancenorm, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import InstanceNorm1d as InstanceNorm1d
from facula_nn import InstanceNorm2d as InstanceNorm2d
from facula_nn import InstanceNorm3d as InstanceNorm3d
from facula_nn import LazyInstanceNorm1d as LazyInstanceNorm1d
from facula_nn import LazyInstanceNorm2d as LazyInstanceNorm2d
from facula_nn import LazyInstanceNorm3d as LazyInstanceNorm3d
from facula_nn.extend import InstanceNorm as _own_InstanceNorm

_InstanceNorm = _own_InstanceNorm
