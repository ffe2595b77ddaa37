"""The public functions of `ops/neural/pooling/pooling.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....._core.tensor import Tensor

bodies = bodies_of("ops.neural.pooling.pooling")


@overridable
def max_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute the maximum of each window of sequences.

    A length of the result is (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or rounded up in
    ceil_mode if the last window then starts before the padding. Padding is never selected; among equal elements the
    first one is; NaN counts as the maximum. Raises ValueError if windows do not fit.

    Arguments:
        input: real numbers (sequences, channels, length), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        dilation: the distance between the elements of a window.
        ceil_mode: whether to round output lengths up.
        return_indices: whether to return the pair (elements, indices), with indices (int64) into each flattened
            (length).

    >>> from facula_tensor import arange
    >>> max_pool1d(arange(2.0).view(1, 2), 2).item()
    1.0
    """
    try:
        return bodies.max_pool1d(ops, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """Compute `max_pool1d` and return the indices as well.

    Arguments:
        input: real numbers (sequences, channels, length), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        dilation: the distance between the elements of a window.
        ceil_mode: whether to round output lengths up.
        return_indices: ignored.

    >>> from facula_tensor import arange
    >>> max_pool1d_with_indices(arange(2.0).view(1, 2), 2)[1].item()
    1
    """
    try:
        return bodies.max_pool1d_with_indices(
            ops, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def avg_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Compute the mean of each window of sequences; integers are truncated towards 0.

    Lengths, padding and ceil_mode are as in `max_pool1d`. Raises ValueError if windows do not fit.

    Arguments:
        input: (sequences, channels, length), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        ceil_mode: whether to round output lengths up.
        count_include_pad: whether the zero padding counts in means.

    >>> from facula_tensor import arange
    >>> avg_pool1d(arange(2.0).view(1, 2), 2).item()
    0.5
    """
    try:
        return bodies.avg_pool1d(ops, input, kernel_size, stride, padding, ceil_mode, count_include_pad)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Compute the means of windows that divide sequences into `output_size` parts, as evenly as possible.

    Part i of n covers elements from floor(i length / n) up to ceil((i + 1) length / n).

    Arguments:
        input: (sequences, channels, length), or without the first dimension.
        output_size: the number of windows: one number, or one for each dimension; None keeps a length.

    >>> from facula_tensor import arange
    >>> adaptive_avg_pool1d(arange(2.0).view(1, 2), 1).item()
    0.5
    """
    try:
        return bodies.adaptive_avg_pool1d(ops, input, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute the maxima of windows that divide sequences, those of `adaptive_avg_pool1d`.

    Arguments:
        input: (sequences, channels, length), or without the first dimension.
        output_size: the number of windows: one number, or one for each dimension; None keeps a length.
        return_indices: whether to return the pair (elements, indices), with indices (int64) into each flattened
            (length).

    >>> from facula_tensor import arange
    >>> adaptive_max_pool1d(arange(2.0).view(1, 2), 1).item()
    1.0
    """
    try:
        return bodies.adaptive_max_pool1d(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool1d` and return the indices as well.

    Arguments:
        input: (sequences, channels, length), or without the first dimension.
        output_size: as in `adaptive_max_pool1d`.
        return_indices: ignored.

    Returns:
        The pair (elements, indices).
    """
    try:
        return bodies.adaptive_max_pool1d_with_indices(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute the maximum of each window of images.

    A length of the result is (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or rounded up in
    ceil_mode if the last window then starts before the padding. Padding is never selected; among equal elements the
    first one is; NaN counts as the maximum. Raises ValueError if windows do not fit.

    Arguments:
        input: real numbers (images, channels, height, width), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        dilation: the distance between the elements of a window.
        ceil_mode: whether to round output lengths up.
        return_indices: whether to return the pair (elements, indices), with indices (int64) into each flattened
            (height, width).

    >>> from facula_tensor import arange
    >>> max_pool2d(arange(4.0).view(1, 2, 2), 2).item()
    3.0
    """
    try:
        return bodies.max_pool2d(ops, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """Compute `max_pool2d` and return the indices as well.

    Arguments:
        input: real numbers (images, channels, height, width), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        dilation: the distance between the elements of a window.
        ceil_mode: whether to round output lengths up.
        return_indices: ignored.

    >>> from facula_tensor import arange
    >>> max_pool2d_with_indices(arange(4.0).view(1, 2, 2), 2)[1].item()
    3
    """
    try:
        return bodies.max_pool2d_with_indices(
            ops, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def avg_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Compute the mean of each window of images; integers are truncated towards 0.

    Lengths, padding and ceil_mode are as in `max_pool2d`. Raises ValueError if windows do not fit.

    Arguments:
        input: (images, channels, height, width), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        ceil_mode: whether to round output lengths up.
        count_include_pad: whether the zero padding counts in means.
        divisor_override: the divisor of sums, instead of the number of elements.

    >>> from facula_tensor import arange
    >>> avg_pool2d(arange(4.0).view(1, 2, 2), 2).item()
    1.5
    """
    try:
        return bodies.avg_pool2d(
            ops, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Compute the means of windows that divide images into `output_size` parts, as evenly as possible.

    Part i of n covers elements from floor(i length / n) up to ceil((i + 1) length / n).

    Arguments:
        input: (images, channels, height, width), or without the first dimension.
        output_size: the number of windows: one number, or one for each dimension; None keeps a length.

    >>> from facula_tensor import arange
    >>> adaptive_avg_pool2d(arange(4.0).view(1, 2, 2), 1).item()
    1.5
    """
    try:
        return bodies.adaptive_avg_pool2d(ops, input, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute the maxima of windows that divide images, those of `adaptive_avg_pool2d`.

    Arguments:
        input: (images, channels, height, width), or without the first dimension.
        output_size: the number of windows: one number, or one for each dimension; None keeps a length.
        return_indices: whether to return the pair (elements, indices), with indices (int64) into each flattened
            (height, width).

    >>> from facula_tensor import arange
    >>> adaptive_max_pool2d(arange(4.0).view(1, 2, 2), 1).item()
    3.0
    """
    try:
        return bodies.adaptive_max_pool2d(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool2d` and return the indices as well.

    Arguments:
        input: (images, channels, height, width), or without the first dimension.
        output_size: as in `adaptive_max_pool2d`.
        return_indices: ignored.

    Returns:
        The pair (elements, indices).
    """
    try:
        return bodies.adaptive_max_pool2d_with_indices(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute the maximum of each window of volumes.

    A length of the result is (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or rounded up in
    ceil_mode if the last window then starts before the padding. Padding is never selected; among equal elements the
    first one is; NaN counts as the maximum. Raises ValueError if windows do not fit.

    Arguments:
        input: real numbers (volumes, channels, depth, height, width), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        dilation: the distance between the elements of a window.
        ceil_mode: whether to round output lengths up.
        return_indices: whether to return the pair (elements, indices), with indices (int64) into each flattened (depth,
            height, width).

    >>> from facula_tensor import arange
    >>> max_pool3d(arange(8.0).view(1, 2, 2, 2), 2).item()
    7.0
    """
    try:
        return bodies.max_pool3d(ops, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """Compute `max_pool3d` and return the indices as well.

    Arguments:
        input: real numbers (volumes, channels, depth, height, width), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        dilation: the distance between the elements of a window.
        ceil_mode: whether to round output lengths up.
        return_indices: ignored.

    >>> from facula_tensor import arange
    >>> max_pool3d_with_indices(arange(8.0).view(1, 2, 2, 2), 2)[1].item()
    7
    """
    try:
        return bodies.max_pool3d_with_indices(
            ops, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def avg_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Compute the mean of each window of volumes; integers are truncated towards 0.

    Lengths, padding and ceil_mode are as in `max_pool3d`. Raises ValueError if windows do not fit.

    Arguments:
        input: (volumes, channels, depth, height, width), or without the first dimension.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the number of elements to add at each border; at most half of `kernel_size`.
        ceil_mode: whether to round output lengths up.
        count_include_pad: whether the zero padding counts in means.
        divisor_override: the divisor of sums, instead of the number of elements.

    >>> from facula_tensor import arange
    >>> avg_pool3d(arange(8.0).view(1, 2, 2, 2), 2).item()
    3.5
    """
    try:
        return bodies.avg_pool3d(
            ops, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Compute the means of windows that divide volumes into `output_size` parts, as evenly as possible.

    Part i of n covers elements from floor(i length / n) up to ceil((i + 1) length / n).

    Arguments:
        input: (volumes, channels, depth, height, width), or without the first dimension.
        output_size: the number of windows: one number, or one for each dimension; None keeps a length.

    >>> from facula_tensor import arange
    >>> adaptive_avg_pool3d(arange(8.0).view(1, 2, 2, 2), 1).item()
    3.5
    """
    try:
        return bodies.adaptive_avg_pool3d(ops, input, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute the maxima of windows that divide volumes, those of `adaptive_avg_pool3d`.

    Arguments:
        input: (volumes, channels, depth, height, width), or without the first dimension.
        output_size: the number of windows: one number, or one for each dimension; None keeps a length.
        return_indices: whether to return the pair (elements, indices), with indices (int64) into each flattened (depth,
            height, width).

    >>> from facula_tensor import arange
    >>> adaptive_max_pool3d(arange(8.0).view(1, 2, 2, 2), 1).item()
    7.0
    """
    try:
        return bodies.adaptive_max_pool3d(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool3d` and return the indices as well.

    Arguments:
        input: (volumes, channels, depth, height, width), or without the first dimension.
        output_size: as in `adaptive_max_pool3d`.
        return_indices: ignored.

    Returns:
        The pair (elements, indices).
    """
    try:
        return bodies.adaptive_max_pool3d_with_indices(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise
