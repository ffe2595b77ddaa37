"""Convolution of sequences, and its transpose: those of images of height 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._core.geometry import hashable
from .._core.tensor import Tensor
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .convolution_geometry import check_dtypes, forward_parameters, shapes_of, transposed_parameters

if TYPE_CHECKING:
    from .._core.types import Parameters

__all__ = ["conv1d", "conv_transpose1d"]


def _flat(parameters: Parameters) -> Parameters:
    """The parameters for images of height 1."""
    (stride,), (padding,), (dilation,), groups, (length,) = parameters
    return (1, stride), (0, padding), (1, dilation), groups, (1, length)


def _as_images(input: Tensor, alone: bool) -> Tensor:
    image = recorded_ops.unsqueeze(input, -2)
    return recorded_ops.unsqueeze(image, 0) if alone else image


def _as_sequences(images: Tensor, alone: bool) -> Tensor:
    sequences = recorded_ops.squeeze(images, -2)
    return recorded_ops.squeeze(sequences, 0) if alone else sequences


@overridable
@boundary
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """The cross-correlation of sequences with filters, called a convolution in networks.

    Arguments:
        input: (sequences, channels, length), or one sequence without the first dimension.
        weight: (filters, channels / groups, kernel length), in the dtype of `input`.
        bias: (filters,), or None.
        stride: the step of the filters.
        padding: zeros on each side; or "same" or "valid", as in `conv2d`.
        dilation: the distance of a filter's taps.
        groups: into how many parts channels and filters are divided.

    Returns:
        (sequences, filters, out length), the length as in `conv2d`.

    Raises:
        ValueError: where shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv1d(ones(1, 1, 4), ones(1, 1, 2), padding=1)
    tensor([[[1., 2., 2., 2., 1.]]])
    """
    shapes = shapes_of("conv1d", input, weight, bias)
    check_dtypes("conv1d", input, weight, bias)
    parameters = forward_parameters(
        1, *shapes, hashable(stride), hashable(padding), hashable(dilation), hashable(groups)
    )
    alone = len(shapes[0]) == 2
    filters = recorded_ops.unsqueeze(weight, -2)
    return _as_sequences(recorded_ops.conv2d(_as_images(input, alone), filters, bias, _flat(parameters)), alone)


@overridable
@boundary
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    """The transpose of the linear map that `conv1d` is, plus a bias: it lengthens where `conv1d` shortens.

    Arguments:
        input: (sequences, channels, length), or one sequence without the first dimension.
        weight: (channels, filters / groups, kernel length), in the dtype of `input`.
        bias: (filters,), or None.
        stride: the step of the filters over the output.
        padding: what is cut from each side of the output.
        output_padding: how much longer the output is at its end, less than stride or dilation.
        groups: into how many parts channels and filters are divided.
        dilation: the distance of a filter's taps.

    Returns:
        (sequences, filters, out length), the length as in `conv_transpose2d`.

    >>> from facula_tensor import ones
    >>> conv_transpose1d(ones(1, 1, 3), ones(1, 1, 2))
    tensor([[[1., 2., 2., 1.]]])
    """
    shapes = shapes_of("conv_transpose1d", input, weight, bias)
    check_dtypes("conv_transpose1d", input, weight, bias)
    parameters = transposed_parameters(
        1, *shapes, *[hashable(one) for one in (stride, padding, output_padding, groups, dilation)]
    )
    alone = len(shapes[0]) == 2
    images = recorded_ops.conv2d_input(_as_images(input, alone), recorded_ops.unsqueeze(weight, -2), _flat(parameters))
    made = _as_sequences(images, alone)
    return made if bias is None else recorded_ops.add(made, recorded_ops.reshape(bias, (-1, 1)))
