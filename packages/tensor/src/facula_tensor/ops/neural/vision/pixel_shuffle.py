"""Pixel and channel shuffling, and windows as columns: `pixel_shuffle`, `channel_shuffle`, `unfold`, `fold`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import contiguous, layout_of

from ...._core.geometry import Pair, pair
from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, check_dim, layout_of_tensor, method
from ...._dispatch.arguments import geometry
from ...._dispatch.declaration import view
from ...._dispatch.namespaces import recorded_ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import function
from .padding import pad

if TYPE_CHECKING:
    from facula_storage import DType

    from ...._core.types import Lengths
    from ...._dispatch.kinds import Numbers, Positive, Steady
    from ...._dispatch.namespaces import Namespace

    Described = tuple[tuple[tuple[int, ...], DType], ...]


@view
class _unfold_dim:
    """View windows of `size` elements, `step` apart, along a nonnegative dimension as a new last dimension."""

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
    """Return a view of all windows of `size` elements, `step` apart, along a dimension: a new last dimension of `size`.

    Arguments:
        dimension: the dimension.
        size: the length of a window.
        step: the distance between windows.

    >>> from facula_tensor import arange
    >>> arange(5).unfold(0, 3, 2)
    tensor([[0, 1, 2],
            [2, 3, 4]])
    """
    size, step = as_integer(size, "unfold", "size"), as_integer(step, "unfold", "step")
    shape = layout_of_tensor(self).shape
    if not shape:  # treat a zero-dimensional tensor as a vector, and return its first window
        return recorded_ops.select(unfold_method(recorded_ops.unsqueeze(self, 0), dimension, size, step), 0, 0)
    dim = check_dim("unfold", dimension, len(shape))
    if not 0 <= size <= shape[dim] or step < 1:
        raise ArgumentError(
            f"unfold: expected a size of 0 to {shape[dim]}, the length of dimension {dim}, and a positive step; "
            f"got {size} and {step}"
        )
    return recorded_ops.unfold_dim(self, dim, size, step)


@function(overridable=True)
def pixel_shuffle(F: Namespace, input: Steady, upscale_factor: Positive) -> Tensor:
    """Rearrange channels to pixels: (..., C · r², H, W) to (..., C, H · r, W · r).

    Arguments:
        upscale_factor: the factor r.

    >>> from facula_tensor import arange
    >>> pixel_shuffle(arange(4).view(4, 1, 1), 2)
    tensor([[[0, 1],
             [2, 3]]])
    """
    r, shape = upscale_factor, layout_of_tensor(input).shape
    if len(shape) < 3 or shape[-3] % (r * r):
        raise ArgumentError(
            f"pixel_shuffle: expected shape (..., channels, height, width), channels a multiple of {r * r}; got {shape}"
        )
    *first, channels, height, width = shape
    n = len(first)
    parts = F.reshape(input, (*first, channels // (r * r), r, r, height, width))
    parts = F.permute(parts, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return F.reshape(F.contiguous(parts), (*first, channels // (r * r), height * r, width * r))


@function(overridable=True)
def pixel_unshuffle(F: Namespace, input: Steady, downscale_factor: Positive) -> Tensor:
    """Rearrange pixels to channels: (..., C, H · r, W · r) to (..., C · r², H, W), the inverse of `pixel_shuffle`.

    Arguments:
        downscale_factor: the factor r.

    >>> from facula_tensor import arange
    >>> pixel_unshuffle(arange(4).view(1, 2, 2), 2).shape
    facula.Size([4, 1, 1])
    """
    r, shape = downscale_factor, layout_of_tensor(input).shape
    if len(shape) < 3 or shape[-2] % r or shape[-1] % r:
        raise ArgumentError(
            f"pixel_unshuffle: expected shape (..., channels, height, width), height and width multiples of {r}; got "
            f"{shape}"
        )
    *first, channels, height, width = shape
    n = len(first)
    parts = F.reshape(input, (*first, channels, height // r, r, width // r, r))
    parts = F.permute(parts, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return F.reshape(F.contiguous(parts), (*first, channels * r * r, height // r, width // r))


@function(overridable=True)
def channel_shuffle(F: Namespace, input: Steady, groups: Positive) -> Tensor:
    """Interleave the channels of `groups` groups: (N, C, ...), C a multiple of `groups`.

    Arguments:
        groups: the number of groups.

    >>> from facula_tensor import arange
    >>> channel_shuffle(arange(4).view(1, 4, 1), 2).view(-1)
    tensor([0, 2, 1, 3])
    """
    shape = layout_of_tensor(input).shape
    if len(shape) < 3 or shape[1] % groups:
        raise ArgumentError(f"channel_shuffle: expected shape (N, C, ...), C a multiple of {groups}; got {shape}")
    images, channels, *size = shape
    parts = F.transpose(F.reshape(input, (images, groups, channels // groups, *size)), 1, 2)
    return F.reshape(F.contiguous(parts), shape)


def _window_geometry(
    operation: str, size: Pair, kernel_size: Lengths, dilation: Lengths, padding: Lengths, stride: Lengths
) -> tuple[Pair, Pair, Pair, Pair, tuple[int, ...]]:
    """Return the windows of images of this size: kernel, padding, numbers of windows, padded size, and memory steps.

    Steps are between window rows and columns, and between windows down and across. The arguments are the caller's.
    """
    kernel, gaps = pair(operation, "kernel_size", kernel_size, 1), pair(operation, "dilation", dilation, 1)
    around, steps = pair(operation, "padding", padding, 0), pair(operation, "stride", stride, 1)
    height, width = size[0] + 2 * around[0], size[1] + 2 * around[1]
    down = (height - gaps[0] * (kernel[0] - 1) - 1) // steps[0] + 1
    across = (width - gaps[1] * (kernel[1] - 1) - 1) // steps[1] + 1
    if min(down, across) < 1:
        raise ArgumentError(
            f"{operation}: a window {kernel} with dilation {gaps} does not fit {tuple(size)}; got padding {around}"
        )
    return kernel, around, (down, across), (height, width), (gaps[0] * width, gaps[1], steps[0] * width, steps[1])


@geometry
def unfolding(name: str, operands: Described, *arguments: Lengths) -> tuple[Pair, tuple[int, ...], tuple[object, ...]]:
    """Return the padding of images, the shape of their columns, and the parameters of `windows`."""
    ((shape, _),) = operands
    if len(shape) not in (3, 4):
        raise ArgumentError(f"{name}: expected shape (N, C, H, W) or (C, H, W); got {shape}")
    kernel, around, counts, (height, width), steps = _window_geometry(name, (shape[-2], shape[-1]), *arguments)
    *first, channels = shape[:-2]
    images, plane = first[0] if first else 1, height * width
    window = (images, channels, *kernel, *counts), (channels * plane, plane, *steps), 0, (2, 3)
    return around, (*first, channels * kernel[0] * kernel[1], counts[0] * counts[1]), window


@geometry
def folding(
    name: str, operands: Described, output_size: Lengths, *arguments: Lengths
) -> tuple[Pair, tuple[int, ...], tuple[int, ...], tuple[object, ...]]:
    """Return the padding of images, their shape, that of their columns as windows, and the parameters of `inset`."""
    ((shape, _),) = operands
    wanted = pair(name, "output_size", output_size, 1)
    kernel, around, counts, (height, width), steps = _window_geometry(name, wanted, *arguments)
    area, places = kernel[0] * kernel[1], counts[0] * counts[1]
    if len(shape) not in (2, 3) or shape[-2] % area or shape[-1] != places:
        raise ArgumentError(
            f"{name}: expected shape (N, C · {area}, {places}), or without N, for windows {kernel} of images {wanted}; "
            f"got {shape}"
        )
    first, channels = shape[:-2], shape[-2] // area
    images, plane = first[0] if first else 1, height * width
    room = (images, channels, height, width), (channels * plane, plane, *steps), 0, (2, 3), 0
    return around, (*first, channels, *wanted), (images, channels, *kernel, *counts), room


@function(overridable=True)
def unfold(
    F: Namespace, input: Steady, kernel_size: Numbers, dilation: Numbers = 1, padding: Numbers = 0, stride: Numbers = 1
) -> Tensor:
    """Copy the windows of images to columns: (N, C, H, W) to (N, C · window, windows), or without N.

    Arguments:
        input: images (N, C, H, W), or one without N.
        padding: the number of zeros added at each border.
        stride: the distance between windows.

    >>> from facula_tensor import arange
    >>> unfold(arange(9.0).view(1, 3, 3), 2)
    tensor([[0., 1., 3., 4.],
            [1., 2., 4., 5.],
            [3., 4., 6., 7.],
            [4., 5., 7., 8.]])
    """
    (down, across), shape, window = unfolding("unfold", (input,), kernel_size, dilation, padding, stride)
    if down or across:
        input = pad(input, (across, across, down, down))
    return F.reshape(F.windows(input, window), shape)


@function(overridable=True)
def fold(
    F: Namespace,
    input: Steady,
    output_size: Numbers,
    kernel_size: Numbers,
    dilation: Numbers = 1,
    padding: Numbers = 0,
    stride: Numbers = 1,
) -> Tensor:
    """Sum the columns of `unfold` into images: (N, C · window, windows) to (N, C, H, W).

    Arguments:
        input: columns (N, C · window, windows), or those of one image without N.
        output_size: height and width of the images: one number, or two.
        padding: the number of zeros that `unfold` added at each border.
        stride: the distance between windows.

    >>> from facula_tensor import ones
    >>> fold(ones(4, 4), (3, 3), 2)
    tensor([[[1., 2., 1.],
             [2., 4., 2.],
             [1., 2., 1.]]])
    """
    arguments = kernel_size, dilation, padding, stride
    (down, across), shape, columns, room = folding("fold", (input,), output_size, *arguments)
    made = F.inset(F.reshape(input, columns), room)
    if down or across:
        made = pad(made, (-across, -across, -down, -down))
    return made if len(shape) == 4 else F.reshape(made, shape)
