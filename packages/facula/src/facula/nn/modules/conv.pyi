"""Names of PyTorch's torch.nn.modules.conv, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Conv1d as Conv1d
from facula_nn import Conv2d as Conv2d
from facula_nn import Conv3d as Conv3d
from facula_nn import ConvTranspose1d as ConvTranspose1d
from facula_nn import ConvTranspose2d as ConvTranspose2d
from facula_nn import ConvTranspose3d as ConvTranspose3d
from facula_nn import LazyConv1d as LazyConv1d
from facula_nn import LazyConv2d as LazyConv2d
from facula_nn import LazyConv3d as LazyConv3d
from facula_nn import LazyConvTranspose1d as LazyConvTranspose1d
from facula_nn import LazyConvTranspose2d as LazyConvTranspose2d
from facula_nn import LazyConvTranspose3d as LazyConvTranspose3d
from facula_nn.extend import Convolution as _own_Convolution
from facula_nn.extend import Transposed as _own_Transposed

_ConvNd = _own_Convolution
_ConvTransposeNd = _own_Transposed
