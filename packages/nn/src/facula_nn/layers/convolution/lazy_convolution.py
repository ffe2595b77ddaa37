"""Convolutions and their transposes that infer the number of channels on the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ..._arguments import check_input
from ..lazy import Lazy, unsized
from .convolution import Conv1d, Conv2d, Conv3d, Convolution
from .transposed import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d

if TYPE_CHECKING:
    from collections.abc import Sequence


class _LazyChannels(Lazy, Convolution):
    """Base class of convolutions that take `in_channels` from the first input."""

    def initialize_parameters(self, input: Tensor, output_size: Sequence[int] | None = None) -> None:
        """Set `in_channels` from `input`."""
        name = type(self).__name__
        check_input(name, input)
        if input.ndim not in (self.dims + 1, self.dims + 2):
            raise InvalidValueError(
                f"{name}: expected {self.dims + 1} or {self.dims + 2} dimensions; got an input of shape "
                f"{tuple(input.shape)}"
            )
        channels = input.shape[-self.dims - 1]
        if channels % self.groups:
            raise InvalidValueError(f"{name}: expected groups to divide in_channels; got {self.groups} and {channels}")
        first, second = (channels, self.out_channels) if self.transposed else (self.out_channels, channels)
        self.in_channels = channels
        self._take_shapes(weight=(first, second // self.groups, *self.kernel_size), bias=(self.out_channels,))


class _LazyConv(_LazyChannels):
    @unsized(Conv2d.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...


class _LazyConvTranspose(_LazyChannels):
    @unsized(ConvTranspose2d.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...


@boundary
class LazyConv1d(_LazyConv, Conv1d, becomes=Conv1d):
    """`Conv1d` that infers `in_channels` on its first call; otherwise like `LazyConv2d`."""


@boundary
class LazyConv2d(_LazyConv, Conv2d, becomes=Conv2d):
    """`Conv2d` that infers `in_channels` on its first call, and then becomes a `Conv2d`; takes the other arguments.

    >>> from facula_tensor import ones
    >>> layer = LazyConv2d(8, kernel_size=3)
    >>> layer(ones(2, 3, 5, 5)).shape, layer.weight.shape
    (facula.Size([2, 8, 3, 3]), facula.Size([8, 3, 3, 3]))
    """


@boundary
class LazyConv3d(_LazyConv, Conv3d, becomes=Conv3d):
    """`Conv3d` that infers `in_channels` on its first call; otherwise like `LazyConv2d`."""


@boundary
class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d, becomes=ConvTranspose1d):
    """`ConvTranspose1d` that infers `in_channels` on its first call; otherwise like `LazyConv2d`."""


@boundary
class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d, becomes=ConvTranspose2d):
    """`ConvTranspose2d` that infers `in_channels` on its first call; otherwise like `LazyConv2d`."""


@boundary
class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d, becomes=ConvTranspose3d):
    """`ConvTranspose3d` that infers `in_channels` on its first call; otherwise like `LazyConv2d`."""
