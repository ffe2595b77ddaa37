"""The public functions of `ops/neural/pooling/unpooling.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import real_or_tensor
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....._core.tensor import Tensor

bodies = bodies_of("ops.neural.pooling.unpooling")


@overridable
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Place the results of `max_pool1d` at their original positions, among zeros.

    Several sizes are pooled to the same one: the result has length (length - 1) stride - 2 padding + kernel_size,
    or output_size, which may differ from that by less than a stride. If an index repeats, the last element applies.
    Raises ValueError for indices out of range.

    Arguments:
        input: the result of the pooling: (sequences, channels, length), or without the first dimension.
        indices: the indices that the pooling returned.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the padding of the pooling at each border.
        output_size: the lengths of the result; computed from the pooling's arguments if None.

    >>> from facula_tensor import tensor
    >>> max_unpool1d(tensor([5.0]).view(1, 1), tensor([1]).view(1, 1), 2).view(-1)[:2]
    tensor([0., 5.])
    """
    try:
        return bodies.max_unpool1d(ops, input, indices, kernel_size, stride, padding, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lp_pool1d(
    input: Tensor,
    norm_type: float | Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute the `norm_type`-th root of the sum of powers of each window of sequences.

    Windows are those of `avg_pool1d`. In ceil_mode, the sum of a window that extends beyond the border is its
    mean times the size of the whole window.

    Arguments:
        input: (sequences, channels, length), or without the first dimension.
        norm_type: the power.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        ceil_mode: whether to round output lengths up.

    >>> from facula_tensor import ones
    >>> lp_pool1d(ones(1, 2), 1, 2).item()
    2.0
    """
    try:
        if type(norm_type) is not float and type(norm_type) is not int:
            norm_type = real_or_tensor(norm_type, "lp_pool1d", "norm_type")
        if not norm_type:
            raise ArgumentError(f"lp_pool1d: expected norm_type other than 0, whose root is taken; got {norm_type}")
        return bodies.lp_pool1d(ops, input, norm_type, kernel_size, stride, ceil_mode)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Place the results of `max_pool2d` at their original positions, among zeros.

    Several sizes are pooled to the same one: the result has length (length - 1) stride - 2 padding + kernel_size,
    or output_size, which may differ from that by less than a stride. If an index repeats, the last element applies.
    Raises ValueError for indices out of range.

    Arguments:
        input: the result of the pooling: (images, channels, height, width), or without the first dimension.
        indices: the indices that the pooling returned.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the padding of the pooling at each border.
        output_size: the lengths of the result; computed from the pooling's arguments if None.

    >>> from facula_tensor import tensor
    >>> max_unpool2d(tensor([5.0]).view(1, 1, 1), tensor([1]).view(1, 1, 1), 2).view(-1)[:2]
    tensor([0., 5.])
    """
    try:
        return bodies.max_unpool2d(ops, input, indices, kernel_size, stride, padding, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lp_pool2d(
    input: Tensor,
    norm_type: float | Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute the `norm_type`-th root of the sum of powers of each window of images.

    Windows are those of `avg_pool2d`. In ceil_mode, the sum of a window that extends beyond the border is its
    mean times the size of the whole window.

    Arguments:
        input: (images, channels, height, width), or without the first dimension.
        norm_type: the power.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        ceil_mode: whether to round output lengths up.

    >>> from facula_tensor import ones
    >>> lp_pool2d(ones(1, 2, 2), 1, 2).item()
    4.0
    """
    try:
        if type(norm_type) is not float and type(norm_type) is not int:
            norm_type = real_or_tensor(norm_type, "lp_pool2d", "norm_type")
        if not norm_type:
            raise ArgumentError(f"lp_pool2d: expected norm_type other than 0, whose root is taken; got {norm_type}")
        return bodies.lp_pool2d(ops, input, norm_type, kernel_size, stride, ceil_mode)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Place the results of `max_pool3d` at their original positions, among zeros.

    Several sizes are pooled to the same one: the result has length (length - 1) stride - 2 padding + kernel_size,
    or output_size, which may differ from that by less than a stride. If an index repeats, the last element applies.
    Raises ValueError for indices out of range.

    Arguments:
        input: the result of the pooling: (volumes, channels, depth, height, width), or without the first dimension.
        indices: the indices that the pooling returned.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        padding: the padding of the pooling at each border.
        output_size: the lengths of the result; computed from the pooling's arguments if None.

    >>> from facula_tensor import tensor
    >>> max_unpool3d(tensor([5.0]).view(1, 1, 1, 1), tensor([1]).view(1, 1, 1, 1), 2).view(-1)[:2]
    tensor([0., 5.])
    """
    try:
        return bodies.max_unpool3d(ops, input, indices, kernel_size, stride, padding, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lp_pool3d(
    input: Tensor,
    norm_type: float | Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute the `norm_type`-th root of the sum of powers of each window of volumes.

    Windows are those of `avg_pool3d`. In ceil_mode, the sum of a window that extends beyond the border is its
    mean times the size of the whole window.

    Arguments:
        input: (volumes, channels, depth, height, width), or without the first dimension.
        norm_type: the power.
        kernel_size: the size of the window: one number, or one for each dimension.
        stride: the distance between windows; `kernel_size` if None.
        ceil_mode: whether to round output lengths up.

    >>> from facula_tensor import ones
    >>> lp_pool3d(ones(1, 2, 2, 2), 1, 2).item()
    8.0
    """
    try:
        if type(norm_type) is not float and type(norm_type) is not int:
            norm_type = real_or_tensor(norm_type, "lp_pool3d", "norm_type")
        if not norm_type:
            raise ArgumentError(f"lp_pool3d: expected norm_type other than 0, whose root is taken; got {norm_type}")
        return bodies.lp_pool3d(ops, input, norm_type, kernel_size, stride, ceil_mode)
    except FaculaError as error:
        trim_traceback(error)
        raise
