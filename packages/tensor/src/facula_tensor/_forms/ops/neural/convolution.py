"""The public functions of `ops/neural/convolution.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor

bodies = bodies_of("ops.neural.convolution")


@overridable
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """Compute the cross-correlation of sequences with filters, called a convolution in networks.

    Half precisions are computed in float32; integers in float64, in which sums up to 2**53 are exact. V. Dumoulin,
    F. Visin: A guide to convolution arithmetic for deep learning, 2016.

    Arguments:
        input: (sequences, channels, length), or without the first dimension.
        weight: (filters, channels / groups, kernel length), with the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters: one number, or one for each dimension.
        padding: zeros on each side, likewise; "same" for an output as large as the input; or "valid" for none.
        dilation: the distance between a filter's taps, likewise.
        groups: the number of groups of channels and filters; filters of a group see only its channels.

    Returns:
        (sequences, filters, out length), where an out length is
        (length + 2 padding - dilation (kernel - 1) - 1) // stride + 1.

    Raises:
        ValueError: if a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv1d(ones(1, 1, 2), ones(1, 1, 2)).item()
    2.0
    """
    try:
        return bodies.conv1d(ops, input, weight, bias, stride, padding, dilation, groups)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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
    """Compute the transpose of the linear map `conv1d`, plus a bias: it enlarges what `conv1d` reduces.

    Arguments:
        input: (sequences, channels, length), or without the first dimension.
        weight: (channels, filters / groups, kernel length), with the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters over the output: one number, or one for each dimension.
        padding: the number of elements removed from each side of the output, likewise.
        output_padding: additional length at the output's ends, likewise; less than stride or dilation.
        groups: the number of groups of channels and filters.
        dilation: the distance between a filter's taps: one number, or one for each dimension.

    Returns:
        (sequences, filters, out length), where an out length is
        (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    Raises:
        ValueError: if a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv_transpose1d(ones(1, 1, 1), ones(1, 1, 2)).shape
    facula.Size([1, 1, 2])
    """
    try:
        return bodies.conv_transpose1d(ops, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except FaculaError as error:
        trim_traceback(error)
        raise


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """Compute the cross-correlation of images with filters, called a convolution in networks.

    Half precisions are computed in float32; integers in float64, in which sums up to 2**53 are exact. V. Dumoulin,
    F. Visin: A guide to convolution arithmetic for deep learning, 2016.

    Arguments:
        input: (images, channels, height, width), or without the first dimension.
        weight: (filters, channels / groups, kernel height, kernel width), with the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters: one number, or one for each dimension.
        padding: zeros on each side, likewise; "same" for an output as large as the input; or "valid" for none.
        dilation: the distance between a filter's taps, likewise.
        groups: the number of groups of channels and filters; filters of a group see only its channels.

    Returns:
        (images, filters, out height, out width), where an out length is
        (length + 2 padding - dilation (kernel - 1) - 1) // stride + 1.

    Raises:
        ValueError: if a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv2d(ones(1, 1, 2, 2), ones(1, 1, 2, 2)).item()
    4.0
    """
    try:
        return bodies.conv2d(ops, input, weight, bias, stride, padding, dilation, groups)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    """Compute the transpose of the linear map `conv2d`, plus a bias: it enlarges what `conv2d` reduces.

    Arguments:
        input: (images, channels, height, width), or without the first dimension.
        weight: (channels, filters / groups, kernel height, kernel width), with the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters over the output: one number, or one for each dimension.
        padding: the number of elements removed from each side of the output, likewise.
        output_padding: additional length at the output's ends, likewise; less than stride or dilation.
        groups: the number of groups of channels and filters.
        dilation: the distance between a filter's taps: one number, or one for each dimension.

    Returns:
        (images, filters, out height, out width), where an out length is
        (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    Raises:
        ValueError: if a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv_transpose2d(ones(1, 1, 1, 1), ones(1, 1, 2, 2)).shape
    facula.Size([1, 1, 2, 2])
    """
    try:
        return bodies.conv_transpose2d(ops, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """Compute the cross-correlation of volumes with filters, called a convolution in networks.

    Half precisions are computed in float32; integers in float64, in which sums up to 2**53 are exact. V. Dumoulin,
    F. Visin: A guide to convolution arithmetic for deep learning, 2016.

    Arguments:
        input: (volumes, channels, depth, height, width), or without the first dimension.
        weight: (filters, channels / groups, kernel depth, kernel height, kernel width), with the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters: one number, or one for each dimension.
        padding: zeros on each side, likewise; "same" for an output as large as the input; or "valid" for none.
        dilation: the distance between a filter's taps, likewise.
        groups: the number of groups of channels and filters; filters of a group see only its channels.

    Returns:
        (volumes, filters, out depth, out height, out width), where an out length is
        (length + 2 padding - dilation (kernel - 1) - 1) // stride + 1.

    Raises:
        ValueError: if a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv3d(ones(1, 1, 2, 2, 2), ones(1, 1, 2, 2, 2)).item()
    8.0
    """
    try:
        return bodies.conv3d(ops, input, weight, bias, stride, padding, dilation, groups)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    """Compute the transpose of the linear map `conv3d`, plus a bias: it enlarges what `conv3d` reduces.

    Arguments:
        input: (volumes, channels, depth, height, width), or without the first dimension.
        weight: (channels, filters / groups, kernel depth, kernel height, kernel width), with the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters over the output: one number, or one for each dimension.
        padding: the number of elements removed from each side of the output, likewise.
        output_padding: additional length at the output's ends, likewise; less than stride or dilation.
        groups: the number of groups of channels and filters.
        dilation: the distance between a filter's taps: one number, or one for each dimension.

    Returns:
        (volumes, filters, out depth, out height, out width), where an out length is
        (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    Raises:
        ValueError: if a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv_transpose3d(ones(1, 1, 1, 1, 1), ones(1, 1, 2, 2, 2)).shape
    facula.Size([1, 1, 2, 2, 2])
    """
    try:
        return bodies.conv_transpose3d(ops, input, weight, bias, stride, padding, output_padding, groups, dilation)
    except FaculaError as error:
        trim_traceback(error)
        raise
