"""Names of PyTorch's torch.nn.modules.upsampling, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import Upsample as Upsample
from facula_nn import UpsamplingBilinear2d as UpsamplingBilinear2d
from facula_nn import UpsamplingNearest2d as UpsamplingNearest2d
