"""Names of PyTorch's torch.nn.modules.batchnorm, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import BatchNorm1d as BatchNorm1d
from facula_nn import BatchNorm2d as BatchNorm2d
from facula_nn import BatchNorm3d as BatchNorm3d
from facula_nn import LazyBatchNorm1d as LazyBatchNorm1d
from facula_nn import LazyBatchNorm2d as LazyBatchNorm2d
from facula_nn import LazyBatchNorm3d as LazyBatchNorm3d
from facula_nn import SyncBatchNorm as SyncBatchNorm
from facula_nn.extend import BatchNorm as _own_BatchNorm
from facula_nn.extend import ChannelNorm as _own_ChannelNorm

_BatchNorm = _own_BatchNorm
_NormBase = _own_ChannelNorm
