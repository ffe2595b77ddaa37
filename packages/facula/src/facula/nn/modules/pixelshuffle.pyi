"""Names of PyTorch's torch.nn.modules.pixelshuffle, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_nn import PixelShuffle as PixelShuffle
from facula_nn import PixelUnshuffle as PixelUnshuffle
