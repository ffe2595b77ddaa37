"""Names of PyTorch's torch.nn.modules.normalization, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import CrossMapLRN2d as CrossMapLRN2d
from facula_nn import GroupNorm as GroupNorm
from facula_nn import LayerNorm as LayerNorm
from facula_nn import LocalResponseNorm as LocalResponseNorm
from facula_nn import RMSNorm as RMSNorm
