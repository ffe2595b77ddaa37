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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    dilation: the distance between the elements of a window.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    dilation: the distance between the elements of a window.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    ceil_mode: whether to round output lengths up.
    """
    try:
        return bodies.avg_pool1d(ops, input, kernel_size, stride, padding, ceil_mode, count_include_pad)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    try:
        return bodies.adaptive_avg_pool1d(ops, input, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    try:
        return bodies.adaptive_max_pool1d(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    dilation: the distance between the elements of a window.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    dilation: the distance between the elements of a window.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    ceil_mode: whether to round output lengths up.
    """
    try:
        return bodies.avg_pool2d(
            ops, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    try:
        return bodies.adaptive_avg_pool2d(ops, input, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    try:
        return bodies.adaptive_max_pool2d(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    dilation: the distance between the elements of a window.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    dilation: the distance between the elements of a window.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    padding: the number of elements to add at each border; at most half of `kernel_size`.
    ceil_mode: whether to round output lengths up.
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
    try:
        return bodies.adaptive_avg_pool3d(ops, input, output_size)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    try:
        return bodies.adaptive_max_pool3d(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
    try:
        return bodies.adaptive_max_pool3d_with_indices(ops, input, output_size, return_indices)
    except FaculaError as error:
        trim_traceback(error)
        raise
