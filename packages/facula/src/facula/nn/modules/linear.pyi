"""Names of PyTorch's torch.nn.modules.linear, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Bilinear as Bilinear
from facula_nn import Identity as Identity
from facula_nn import LazyLinear as LazyLinear
from facula_nn import Linear as Linear
from facula_nn.extend import NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear
