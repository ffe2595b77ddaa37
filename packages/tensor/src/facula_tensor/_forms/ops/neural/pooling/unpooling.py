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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    ceil_mode: whether to round output lengths up.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
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
    """kernel_size: the size of the window: one number, or one for each dimension.
    stride: the distance between windows; `kernel_size` if None.
    ceil_mode: whether to round output lengths up.
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
