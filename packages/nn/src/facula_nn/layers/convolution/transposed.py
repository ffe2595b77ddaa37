"""Transposed convolutions of sequences, images and volumes, which increase the size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import lengths
from .convolution import Convolution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from ..._types import DeviceAndDType


class Transposed(Convolution):
    """Base class of transposed convolutions: output padding for a requested output size.

    Arguments:
        in_channels: the number of input channels.
        out_channels: the number of output channels.
        kernel_size: the size of the windows, one number or one per dimension.
        stride: the step between windows.
        padding: the number of elements removed from both ends of each dimension of the result.
        output_padding: the number of elements added at the end of each dimension of the result.
        groups: the number of groups of channels, which are convolved separately.
        bias: whether to add a trainable bias to each channel.
        dilation: the step between the elements of a window.
        padding_mode: must be "zeros".
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
    """

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        sizes = {"kernel_size": kernel_size, "stride": stride, "dilation": dilation, "output_padding": output_padding}
        super().__init__(in_channels, out_channels, groups, bias, padding, padding_mode, place, **sizes)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Convolve `input` (N, C_in, ...) or (C_in, ...); `output_size` is one of those that the stride allows."""
        extra = self.output_padding if output_size is None else self._extra(input, output_size)
        convolve = getattr(F, self._operator)
        return convolve(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _extra(self, input: Tensor, output_size: Sequence[int]) -> tuple[int, ...]:
        """Return the output padding for results of this size."""
        name, dims = type(self).__name__, self.dims
        if len(output_size) not in (dims, input.ndim):
            raise InvalidValueError(
                f"{name}: expected output_size of {dims} or {input.ndim} lengths; got {tuple(output_size)}"
            )
        wanted = lengths(name, "output_size", tuple(output_size)[-dims:], dims)
        least = [
            (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
            for size, stride, padding, dilation, kernel in zip(
                input.shape[-dims:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        extra = tuple(size - low for size, low in zip(wanted, least, strict=True))
        if any(not 0 <= more < stride for more, stride in zip(extra, self.stride, strict=True)):
            most = tuple(low + stride - 1 for low, stride in zip(least, self.stride, strict=True))
            raise InvalidValueError(
                f"{name}: expected output_size from {tuple(least)} to {most} for an input of shape "
                f"{tuple(input.shape)}; got {wanted}"
            )
        return extra


@boundary
class ConvTranspose1d(Transposed, dims=1, operator="conv_transpose1d"):
    """The transpose of a convolution of sequences: (N, C_in, L) to (N, C_out, L'), or without N.

    `weight` is (in_channels, out_channels / groups, kernel_size); other details are as in `ConvTranspose2d`.

    >>> from facula_tensor import ones
    >>> ConvTranspose1d(8, 3, kernel_size=2, stride=2)(ones(2, 8, 5)).shape
    facula.Size([2, 3, 10])
    """


@boundary
class ConvTranspose2d(Transposed, dims=2, operator="conv_transpose2d"):
    """The transpose of a convolution of images: (N, C_in, H, W) to (N, C_out, H', W'), or without N.

    `weight` is (in_channels, out_channels / groups, *kernel_size). H' is
    (H - 1) · stride - 2 · padding + dilation · (kernel - 1) + output_padding + 1.

    >>> from facula_tensor import ones
    >>> ConvTranspose2d(8, 3, kernel_size=2, stride=2)(ones(2, 8, 5, 5)).shape
    facula.Size([2, 3, 10, 10])
    """


@boundary
class ConvTranspose3d(Transposed, dims=3, operator="conv_transpose3d"):
    """The transpose of a convolution of volumes: (N, C_in, D, H, W) to (N, C_out, D', H', W'), or without N.

    `weight` is (in_channels, out_channels / groups, *kernel_size); other details are as in `ConvTranspose2d`.

    >>> from facula_tensor import ones
    >>> ConvTranspose3d(8, 3, kernel_size=2, stride=2)(ones(2, 8, 2, 3, 4)).shape
    facula.Size([2, 3, 4, 6, 8])
    """
