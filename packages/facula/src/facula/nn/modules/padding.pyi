"""Names of PyTorch's torch.nn.modules.padding, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import CircularPad1d as CircularPad1d
from facula_nn import CircularPad2d as CircularPad2d
from facula_nn import CircularPad3d as CircularPad3d
from facula_nn import ConstantPad1d as ConstantPad1d
from facula_nn import ConstantPad2d as ConstantPad2d
from facula_nn import ConstantPad3d as ConstantPad3d
from facula_nn import ReflectionPad1d as ReflectionPad1d
from facula_nn import ReflectionPad2d as ReflectionPad2d
from facula_nn import ReflectionPad3d as ReflectionPad3d
from facula_nn import ReplicationPad1d as ReplicationPad1d
from facula_nn import ReplicationPad2d as ReplicationPad2d
from facula_nn import ReplicationPad3d as ReplicationPad3d
from facula_nn import ZeroPad1d as ZeroPad1d
from facula_nn import ZeroPad2d as ZeroPad2d
from facula_nn import ZeroPad3d as ZeroPad3d
