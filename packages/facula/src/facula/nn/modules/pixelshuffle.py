"""Pixels and channels in exchange, where programs for PyTorch look for it."""

from ..._siblings import needs

with needs("facula.nn.modules.pixelshuffle"):
    from facula_nn.layers.pixels import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
