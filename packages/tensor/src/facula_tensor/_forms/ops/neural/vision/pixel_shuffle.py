"""The public functions of `ops/neural/vision/pixel_shuffle.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._dispatch.arguments import positive_integer, steady_tensor
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....._core.tensor import Tensor

bodies = bodies_of("ops.neural.vision.pixel_shuffle")


@overridable
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Rearrange channels to pixels: (..., C · r², H, W) to (..., C, H · r, W · r).

    Arguments:
        input: the tensor.
        upscale_factor: the factor r.

    >>> from facula_tensor import arange
    >>> pixel_shuffle(arange(4).view(4, 1, 1), 2)
    tensor([[[0, 1],
             [2, 3]]])
    """
    try:
        input = steady_tensor("pixel_shuffle", input)
        if type(upscale_factor) is not int or upscale_factor < 1:
            upscale_factor = positive_integer("pixel_shuffle", "upscale_factor", upscale_factor)
        return bodies.pixel_shuffle(ops, input, upscale_factor)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Rearrange pixels to channels: (..., C, H · r, W · r) to (..., C · r², H, W), the inverse of `pixel_shuffle`.

    Arguments:
        input: the tensor.
        downscale_factor: the factor r.

    >>> from facula_tensor import arange
    >>> pixel_unshuffle(arange(4).view(1, 2, 2), 2).shape
    facula.Size([4, 1, 1])
    """
    try:
        input = steady_tensor("pixel_unshuffle", input)
        if type(downscale_factor) is not int or downscale_factor < 1:
            downscale_factor = positive_integer("pixel_unshuffle", "downscale_factor", downscale_factor)
        return bodies.pixel_unshuffle(ops, input, downscale_factor)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the channels of `groups` groups: (N, C, ...), C a multiple of `groups`.

    Arguments:
        input: the tensor.
        groups: the number of groups.

    >>> from facula_tensor import arange
    >>> channel_shuffle(arange(4).view(1, 4, 1), 2).view(-1)
    tensor([0, 2, 1, 3])
    """
    try:
        input = steady_tensor("channel_shuffle", input)
        if type(groups) is not int or groups < 1:
            groups = positive_integer("channel_shuffle", "groups", groups)
        return bodies.channel_shuffle(ops, input, groups)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def unfold(
    input: Tensor,
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """Copy the windows of images to columns: (N, C, H, W) to (N, C · window, windows), or without N.

    Arguments:
        input: images (N, C, H, W), or one without N.
        kernel_size: the size of the window: one number, or one for each dimension.
        dilation: the distance between the elements of a window.
        padding: the number of zeros added at each border.
        stride: the distance between windows.

    >>> from facula_tensor import arange
    >>> unfold(arange(9.0).view(1, 3, 3), 2)
    tensor([[0., 1., 3., 4.],
            [1., 2., 4., 5.],
            [3., 4., 6., 7.],
            [4., 5., 7., 8.]])
    """
    try:
        input = steady_tensor("unfold", input)
        return bodies.unfold(ops, input, kernel_size, dilation, padding, stride)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def fold(
    input: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Tensor:
    """Sum the columns of `unfold` into images: (N, C · window, windows) to (N, C, H, W).

    Arguments:
        input: columns (N, C · window, windows), or those of one image without N.
        output_size: height and width of the images: one number, or two.
        kernel_size: the size of the window: one number, or one for each dimension.
        dilation: the distance between the elements of a window.
        padding: the number of zeros that `unfold` added at each border.
        stride: the distance between windows.

    >>> from facula_tensor import ones
    >>> fold(ones(4, 4), (3, 3), 2)
    tensor([[[1., 2., 1.],
             [2., 4., 2.],
             [1., 2., 1.]]])
    """
    try:
        input = steady_tensor("fold", input)
        return bodies.fold(ops, input, output_size, kernel_size, dilation, padding, stride)
    except FaculaError as error:
        trim_traceback(error)
        raise
