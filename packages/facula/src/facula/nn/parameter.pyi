"""Names of PyTorch's torch.nn.parameter, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Buffer as Buffer
from facula_nn import UninitializedBuffer as UninitializedBuffer
from facula_nn import UninitializedParameter as UninitializedParameter
from facula_nn.extend import is_lazy as is_lazy
from facula_tensor import Parameter as Parameter
