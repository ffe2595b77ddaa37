"""Convolutions of sequences, images and volumes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty

from ... import functional as F
from ... import init
from ..._arguments import check_lengths, lengths
from ..variant import Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from ..._types import DeviceAndDType

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


@boundary
class Convolution(Variant):
    """Base class of convolutions: geometry, weight and bias. Transposes swap the weight's first two dimensions.

    Arguments:
        in_channels: the number of input channels.
        out_channels: the number of output channels.
        groups: the number of groups of channels, which are convolved separately.
        bias: whether to add a trainable bias to each channel.
        padding: the padding at both ends of each dimension, zeros or as `padding_mode` specifies.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        place: the device and the dtype of the parameters.
        **sizes: the sizes of the windows, by name.
    """

    _repr_items = (
        "in_channels, out_channels, kernel_size=, stride=, padding=0, dilation=1, output_padding=0, groups=1, "
        "bias=True, padding_mode='zeros'"
    )
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    output_padding: tuple[int, ...]
    padding: Any
    weight: Parameter

    transposed: bool = False
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        groups: int,
        bias: bool,
        padding: object,
        padding_mode: str,
        place: DeviceAndDType,
        **sizes: Any,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        check_lengths(name, in_channels=in_channels, out_channels=out_channels)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise InvalidValueError(
                f"{name}: expected groups to divide in_channels and out_channels; "
                f"got {groups}, {in_channels} and {out_channels}"
            )
        if padding_mode not in PADDING_MODES[: 1 if self.transposed else None]:
            known = "'zeros'" if self.transposed else f"one of {', '.join(PADDING_MODES)}"
            raise InvalidValueError(f"{name}: expected padding_mode to be {known}; got {padding_mode!r}")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = lengths(name, "kernel_size", sizes["kernel_size"], self.dims)
        self.stride = lengths(name, "stride", sizes["stride"], self.dims)
        self.dilation = lengths(name, "dilation", sizes["dilation"], self.dims)
        check_lengths(name, kernel_size=min(self.kernel_size))
        check_lengths(name, 1, stride=min(self.stride), dilation=min(self.dilation))
        self.output_padding = lengths(name, "output_padding", sizes.get("output_padding", 0), self.dims)
        self.padding = _padding(name, padding, self.stride, self.transposed)
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (first, second // groups, *self.kernel_size)
        self.weight = Parameter(empty(shape, **place))
        self.register_parameter("bias", Parameter(empty(out_channels, **place)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize weight and bias again, uniformly from ±1 / sqrt(the number of inputs of each output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = math.prod(self.weight.shape[1:])
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _surrounded(self, input: Tensor) -> Tensor:
        """Return `input` padded as `padding_mode` specifies."""
        sides: list[int] = []
        for at in reversed(range(self.dims)):
            if self.padding == "same":
                span = self.dilation[at] * (self.kernel_size[at] - 1)
                sides += [span // 2, span - span // 2]
            else:
                sides += [0 if self.padding == "valid" else self.padding[at]] * 2
        return F.pad(input, sides, self.padding_mode)


class _Conv(Convolution):
    """Base class of convolutions with the order of their constructors' arguments."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | str = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        sizes = {"kernel_size": kernel_size, "stride": stride, "dilation": dilation}
        super().__init__(in_channels, out_channels, groups, bias, padding, padding_mode, place, **sizes)

    def forward(self, input: Tensor) -> Tensor:
        """Convolve `input` (N, C_in, ...) or (C_in, ...), with one length for each dimension of the windows."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._surrounded(input), 0
        convolve = getattr(F, self._operator)
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


@boundary
class Conv1d(_Conv, dims=1, operator="conv1d"):
    """A convolution (cross-correlation) of sequences: (N, C_in, L) to (N, C_out, L'), or without N.

    `weight` is (out_channels, in_channels / groups, kernel_size). Other details are as in `Conv2d`, with one size
    instead of two.

    Arguments: those of `Conv2d`.

    >>> from facula_tensor import ones
    >>> Conv1d(3, 8, kernel_size=3, padding=1)(ones(2, 3, 5)).shape
    facula.Size([2, 8, 5])
    """


@boundary
class Conv2d(_Conv, dims=2, operator="conv2d"):
    """A convolution (cross-correlation) of images: (N, C_in, H, W) to (N, C_out, H', W'), or without N.

    `weight` (out_channels, in_channels / groups, *kernel_size) and `bias` (out_channels) are initialized uniformly from
    ±1 / sqrt(in_channels / groups · kernel area). Sizes are integers or pairs; `padding` may also be "same" or "valid".
    `padding_mode` is "zeros", or one of "reflect", "replicate" and "circular" as in `functional.pad`.
    ValueError for invalid combinations. `functional.conv2d` describes the algorithm, and how large errors are.

    Arguments:
        in_channels: the number of input channels.
        out_channels: the number of output channels.
        kernel_size: the size of the windows, one number or one per dimension.
        stride: the step between windows.
        padding: the padding at both ends of each dimension; or "same" or "valid".
        dilation: the step between the elements of a window.
        groups: the number of groups of channels, which are convolved separately.
        bias: whether to add a trainable bias to each channel.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import ones
    >>> Conv2d(3, 8, kernel_size=3, padding=1)(ones(2, 3, 5, 5)).shape
    facula.Size([2, 8, 5, 5])
    """


@boundary
class Conv3d(_Conv, dims=3, operator="conv3d"):
    """A convolution (cross-correlation) of volumes: (N, C_in, D, H, W) to (N, C_out, D', H', W'), or without N.

    `weight` is (out_channels, in_channels / groups, *kernel_size). Other details are as in `Conv2d`, with three sizes
    instead of two.

    Arguments: those of `Conv2d`.

    >>> from facula_tensor import ones
    >>> Conv3d(3, 8, kernel_size=3, padding=1)(ones(2, 3, 4, 5, 5)).shape
    facula.Size([2, 8, 4, 5, 5])
    """


def _padding(layer: str, padding: object, stride: tuple[int, ...], transposed: bool) -> str | tuple[int, ...]:
    """Return the padding as numbers or as a name.

    Arguments:
        layer: the layer's class name, with which errors begin.
        padding: a number, one for each dimension, "same" or "valid".
        stride: the strides, one for each dimension.
        transposed: whether names are rejected.
    """
    if not isinstance(padding, str) or transposed:
        return lengths(layer, "padding", padding, len(stride))
    if padding not in ("same", "valid"):
        raise InvalidValueError(f"{layer}: expected padding 'same', 'valid' or numbers; got {padding!r}")
    if padding == "same" and max(stride) != 1:
        raise InvalidValueError(f"{layer}: padding 'same' needs a stride of 1; got {stride}")
    return padding
