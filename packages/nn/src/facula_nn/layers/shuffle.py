"""Layers that rearrange channels and pixels, or the order of channels."""

from __future__ import annotations

from facula_tensor import Tensor

from .. import functional as F
from .._arguments import check_input
from .._modules.layer import layer
from .._modules.module import Module


@layer
class PixelShuffle(Module):
    """Rearrange channels into pixels: (..., C · r², H, W) to (..., C, H · r, W · r).

    >>> from facula_tensor import ones
    >>> PixelShuffle(2)(ones(1, 8, 3, 3)).shape
    facula.Size([1, 2, 6, 6])
    """

    upscale_factor: int

    def forward(self, input: Tensor) -> Tensor:
        """Rearrange `input` (..., C · r², H, W)."""
        check_input("PixelShuffle", input)
        return F.pixel_shuffle(input, self.upscale_factor)


@layer
class PixelUnshuffle(Module):
    """Rearrange pixels into channels: (..., C, H · r, W · r) to (..., C · r², H, W).

    >>> from facula_tensor import ones
    >>> PixelUnshuffle(2)(ones(1, 2, 6, 6)).shape
    facula.Size([1, 8, 3, 3])
    """

    downscale_factor: int

    def forward(self, input: Tensor) -> Tensor:
        """Rearrange `input` (..., C, H · r, W · r)."""
        check_input("PixelUnshuffle", input)
        return F.pixel_unshuffle(input, self.downscale_factor)


@layer
class ChannelShuffle(Module):
    """Interleave the channels of `groups` groups: (N, C, ...), C a multiple of `groups`.

    >>> from facula_tensor import arange
    >>> ChannelShuffle(2)(arange(4.0).view(1, 4, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    groups: int

    def forward(self, input: Tensor) -> Tensor:
        """Interleave the channels of `input` (N, C, ...)."""
        check_input("ChannelShuffle", input)
        return F.channel_shuffle(input, self.groups)
