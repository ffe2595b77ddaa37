"""The public functions of `ops/neural/vision/pixel_shuffle.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.tensor import layout_of_tensor
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
    try:
        input = steady_tensor("channel_shuffle", input)
        if type(groups) is not int or groups < 1:
            groups = positive_integer("channel_shuffle", "groups", groups)
        shape = layout_of_tensor(input).shape
        if len(shape) < 3 or shape[1] % groups:
            raise ArgumentError(f"channel_shuffle: expected shape (N, C, ...), C a multiple of {groups}; got {shape}")
        images, channels, *size = shape
        parts = ops.transpose(ops.reshape(input, (images, groups, channels // groups, *size)), 1, 2)
        return ops.reshape(ops.contiguous(parts), shape)
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    dilation: the distance between the elements of a window.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    dilation: the distance between the elements of a window.
    """
    try:
        input = steady_tensor("fold", input)
        return bodies.fold(ops, input, output_size, kernel_size, dilation, padding, stride)
    except FaculaError as error:
        trim_traceback(error)
        raise
