"""Channels and pixels in exchange, and windows as columns: `pixel_shuffle`, `channel_shuffle`, `unfold`, `fold`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import contiguous, layout_of

from .._core.geometry import Pair, pair
from .._core.promotion import as_integer
from .._core.tensor import Tensor, check_dim, method, steady
from .._dispatch.declaration import view
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .padding import pad

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import Lengths

__all__ = ["channel_shuffle", "fold", "pixel_shuffle", "pixel_unshuffle", "unfold"]


@view
class _unfold_dim:
    """Windows of `size` elements, `step` apart, along a dimension (from the front), as a new last dimension."""

    parameters = ("dim", "size", "step")

    def window(layout, dim, size, step):
        shape, strides = layout.shape, layout.strides
        count = (shape[dim] - size) // step + 1
        wanted = (*shape[:dim], count, *shape[dim + 1 :], size)
        return layout_of(
            wanted,
            (*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim]),
            layout.dtype,
            layout.device,
        ), 0

    def vjp_input(F, g, input_layout, dim, size, step):
        steps = contiguous(input_layout.shape, input_layout.dtype, input_layout.device).strides
        strides = (*steps[:dim], steps[dim] * step, *steps[dim + 1 :], steps[dim])
        return F.inset(g, (input_layout.shape, strides, 0, (len(strides) - 1,), 0))


@overridable
@method("unfold")
@boundary
def unfold_method(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of `size` elements, `step` apart, along a dimension: a new last dimension of `size`.

    Arguments:
        dimension: the dimension.
        size: the length of a window.
        step: the distance of two windows.

    >>> from facula_tensor import arange
    >>> arange(5).unfold(0, 3, 2)
    tensor([[0, 1, 2],
            [2, 3, 4]])
    """
    size, step = as_integer(size, "unfold", "size"), as_integer(step, "unfold", "step")
    if not self.ndim:  # a number is a vector of one element, of which the first window is given
        return recorded_ops.select(unfold_method(recorded_ops.unsqueeze(self, 0), dimension, size, step), 0, 0)
    dim = check_dim("unfold", dimension, self.ndim)
    if not 0 <= size <= self.shape[dim] or step < 1:
        raise ArgumentError(
            f"unfold: expected a size of 0 to {self.shape[dim]}, the length of dimension {dim}, and a positive step; "
            f"got {size} and {step}"
        )
    return recorded_ops.unfold_dim(self, dim, size, step)


def _factor(operation: str, value: object, name: str) -> int:
    """`value` as a positive integer; errors name the argument `name`."""
    factor = as_integer(value, operation, name)
    if factor < 1:
        raise ArgumentError(f"{operation}: expected a positive {name}; got {factor}")
    return factor


@overridable
@boundary
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels as pixels: (..., C · r², H, W) to (..., C, H · r, W · r).

    >>> from facula_tensor import arange
    >>> pixel_shuffle(arange(4).view(4, 1, 1), 2)
    tensor([[[0, 1],
             [2, 3]]])
    """
    x, r = steady(as_tensor("pixel_shuffle", input)), _factor("pixel_shuffle", upscale_factor, "upscale_factor")
    if x.ndim < 3 or x.shape[-3] % (r * r):
        raise ArgumentError(
            f"pixel_shuffle: expected shape (..., channels, height, width), channels a multiple of {r * r}; got "
            f"{tuple(x.shape)}"
        )
    *first, channels, height, width = x.shape
    n = len(first)
    parts = recorded_ops.reshape(x, (*first, channels // (r * r), r, r, height, width))
    parts = recorded_ops.permute(parts, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return recorded_ops.reshape(recorded_ops.contiguous(parts), (*first, channels // (r * r), height * r, width * r))


@overridable
@boundary
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Pixels as channels: (..., C, H · r, W · r) to (..., C · r², H, W), the opposite of `pixel_shuffle`.

    >>> from facula_tensor import arange
    >>> pixel_unshuffle(arange(4).view(1, 2, 2), 2).shape
    facula.Size([4, 1, 1])
    """
    name = "pixel_unshuffle"
    x, r = steady(as_tensor(name, input)), _factor(name, downscale_factor, "downscale_factor")
    if x.ndim < 3 or x.shape[-2] % r or x.shape[-1] % r:
        raise ArgumentError(
            f"{name}: expected shape (..., channels, height, width), height and width multiples of {r}; got "
            f"{tuple(x.shape)}"
        )
    *first, channels, height, width = x.shape
    n = len(first)
    parts = recorded_ops.reshape(x, (*first, channels, height // r, r, width // r, r))
    parts = recorded_ops.permute(parts, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return recorded_ops.reshape(recorded_ops.contiguous(parts), (*first, channels * r * r, height // r, width // r))


@overridable
@boundary
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of `groups` in turn: (N, C, ...), C a multiple of `groups`.

    >>> from facula_tensor import arange
    >>> channel_shuffle(arange(4).view(1, 4, 1), 2).view(-1)
    tensor([0, 2, 1, 3])
    """
    x, groups = steady(as_tensor("channel_shuffle", input)), _factor("channel_shuffle", groups, "groups")
    if x.ndim < 3 or x.shape[1] % groups:
        raise ArgumentError(
            f"channel_shuffle: expected shape (N, C, ...), C a multiple of {groups}; got {tuple(x.shape)}"
        )
    images, channels, *size = x.shape
    parts = recorded_ops.transpose(recorded_ops.reshape(x, (images, groups, channels // groups, *size)), 1, 2)
    return recorded_ops.reshape(recorded_ops.contiguous(parts), tuple(x.shape))


def _windows(
    operation: str, size: tuple[int, ...], kernel: Pair, dilation: Pair, padding: Pair, stride: Pair
) -> tuple[Pair, Pair]:
    """The numbers of windows down and across, and the padded size."""
    padded = (size[0] + 2 * padding[0], size[1] + 2 * padding[1])
    counts = [
        (length - gap * (taps - 1) - 1) // step + 1
        for length, gap, taps, step in zip(padded, dilation, kernel, stride, strict=True)
    ]
    if min(counts) < 1:
        raise ArgumentError(
            f"{operation}: a window {kernel} with dilation {dilation} does not fit {tuple(size)} with padding {padding}"
        )
    return (counts[0], counts[1]), padded


def _geometry(
    operation: str, kernel: Lengths, dilation: Lengths, padding: Lengths, stride: Lengths
) -> tuple[Pair, Pair, Pair, Pair]:
    """Kernel, dilation, padding and stride as pairs, checked."""
    return (
        pair(operation, "kernel_size", kernel, 1),
        pair(operation, "dilation", dilation, 1),
        pair(operation, "padding", padding, 0),
        pair(operation, "stride", stride, 1),
    )


def _strides(width: int, plane: int, channels: int, dilation: Pair, stride: Pair) -> tuple[int, ...]:
    """Of images, channels, window rows and columns, and windows down and across, in padded images."""
    return (channels * plane, plane, dilation[0] * width, dilation[1], stride[0] * width, stride[1])


@overridable
@boundary
def unfold(
    input: Tensor,
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """The windows of images as columns: (N, C, H, W) to (N, C · window, windows), or without N.

    Arguments:
        input: images (N, C, H, W), or one without N.
        kernel_size: height and width of a window: one number, or two.
        dilation: the distance of a window's elements.
        padding: how many zeros are added at each border.
        stride: the distance of windows.

    >>> from facula_tensor import arange
    >>> unfold(arange(9.0).view(1, 3, 3), 2)
    tensor([[0., 1., 3., 4.],
            [1., 2., 4., 5.],
            [3., 4., 6., 7.],
            [4., 5., 7., 8.]])
    """
    x, geometry = steady(as_tensor("unfold", input)), _geometry("unfold", kernel_size, dilation, padding, stride)
    if x.ndim not in (3, 4):
        raise ArgumentError(f"unfold: expected shape (N, C, H, W) or (C, H, W); got {tuple(x.shape)}")
    kernel, gaps, around, steps = geometry
    counts, (height, width) = _windows("unfold", x.shape[-2:], *geometry)
    images, channels = x.shape[0] if x.ndim == 4 else 1, x.shape[-3]
    if any(around):
        x = pad(x, (around[1], around[1], around[0], around[0]))
    size = (images, channels, *kernel, *counts)
    strides = _strides(width, height * width, channels, gaps, steps)
    columns = recorded_ops.windows(x, (size, strides, 0, (2, 3)))
    first = (images,) if x.ndim == 4 else ()
    return recorded_ops.reshape(columns, (*first, channels * kernel[0] * kernel[1], counts[0] * counts[1]))


@overridable
@boundary
def fold(
    input: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """Images from the columns of `unfold`, those of one place added: (N, C · window, windows) to (N, C, H, W).

    Arguments:
        input: columns (N, C · window, windows), or those of one image without N.
        output_size: height and width of the images: one number, or two.
        kernel_size: height and width of a window.
        dilation: the distance of a window's elements.
        padding: how many zeros the images had at each border.
        stride: the distance of windows.

    >>> from facula_tensor import ones
    >>> fold(ones(4, 4), (3, 3), 2)
    tensor([[[1., 2., 1.],
             [2., 4., 2.],
             [1., 2., 1.]]])
    """
    x, geometry = steady(as_tensor("fold", input)), _geometry("fold", kernel_size, dilation, padding, stride)
    wanted = pair("fold", "output_size", output_size, 1)
    kernel, gaps, around, steps = geometry
    counts, (height, width) = _windows("fold", wanted, *geometry)
    area, places = kernel[0] * kernel[1], counts[0] * counts[1]
    if x.ndim not in (2, 3) or x.shape[-2] % area or x.shape[-1] != places:
        raise ArgumentError(
            f"fold: expected shape (N, C · {area}, {places}), or without N, for windows {kernel} of images {wanted}; "
            f"got {tuple(x.shape)}"
        )
    images, channels = x.shape[0] if x.ndim == 3 else 1, x.shape[-2] // area
    columns = recorded_ops.reshape(x, (images, channels, *kernel, *counts))
    strides = _strides(width, height * width, channels, gaps, steps)
    made = recorded_ops.inset(columns, ((images, channels, height, width), strides, 0, (2, 3), 0))
    if any(around):
        made = pad(made, (-around[1], -around[1], -around[0], -around[0]))
    return made if x.ndim == 3 else recorded_ops.reshape(made, (channels, *wanted))
