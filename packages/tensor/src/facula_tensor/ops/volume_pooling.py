"""Pooling of volumes: of their images first, then of depth, in images of (depth, height x width)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import DTypeError
from facula_errors.extend import boundary
from facula_storage import DType, float32, float64, int64
from facula_storage.extend import FLOATING, INTEGER

from .._core.geometry import hashable
from .._core.tensor import Tensor, layout_of_tensor, snapshot, steady
from .._creation.from_data import from_numpy
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .pooling_geometry import avg_geometry, max_geometry
from .widening import divisors

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["avg_pool3d", "max_pool3d", "max_pool3d_with_indices"]


def wide(operation: str, input: Tensor, of_integers: DType) -> Tensor:
    """`input` in a dtype in which two steps are as good as one; TypeError for bool and complex."""
    dtype = layout_of_tensor(input).dtype
    if dtype in (float32, float64):
        return input
    if dtype.category not in (FLOATING, INTEGER):
        raise DTypeError(f"{operation}: not defined for {dtype.name}; convert with .float()")
    return recorded_ops.to(input, (float32 if dtype.category == FLOATING else of_integers,))


def narrow(made: Tensor, dtype: DType) -> Tensor:
    """`made` in `dtype`, in which the input was."""
    return made if layout_of_tensor(made).dtype is dtype else recorded_ops.to(made, (dtype,))


def deep(images: Tensor) -> Tensor:
    """(..., depth, height, width) as images (..., depth, height x width)."""
    *outer, depth, height, width = layout_of_tensor(images).shape
    return recorded_ops.reshape(images, (*outer, depth, height * width))


def greatest(
    x: Tensor, planes: tuple[object, ...] | None, depths: tuple[object, ...] | None, size: tuple[int, ...]
) -> tuple[Tensor, Tensor]:
    """The greatest elements and their indices in volumes, windows being those of `planes` times those of `depths`."""
    *outer, depth, height, width = layout_of_tensor(x).shape
    flat, area = (*outer, size[0], size[1] * size[2]), size[1] * size[2]
    across, places = recorded_ops.max_pool2d(x, (planes, size[1:]))
    values, at = recorded_ops.max_pool2d(deep(across), (depths, flat[-2:]))
    # An index (depth, place in the pooled plane): the place in the plane itself is what was found there.
    at, places = snapshot(at), snapshot(places)
    if not area:
        return recorded_ops.reshape(values, (*outer, *size)), no_record_ops.reshape(at, (*outer, *size))
    at = no_record_ops.reshape(at, (*outer, size[0] * area))
    within = no_record_ops.gather(no_record_ops.reshape(places, (*outer, depth * area)), at, (len(outer),))
    index = no_record_ops.add(no_record_ops.mul(no_record_ops.floor_divide(at, area), height * width), within)
    return recorded_ops.reshape(values, (*outer, *size)), no_record_ops.reshape(index, (*outer, *size))


@overridable
@boundary
def max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The greatest element of each window of a volume: (N, C, D, H, W) to (N, C, D', H', W'), or without N.

    Else as `max_pool2d`, with three numbers where that has two; indices are into each flattened (D, H, W).

    Arguments:
        input: volumes (N, C, D, H, W), or one without N.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        dilation: the distance of a window's elements.
        ceil_mode: whether lengths are rounded up.
        return_indices: whether the indices are returned, too.

    >>> from facula_tensor import arange
    >>> max_pool3d(arange(8.0).reshape(1, 2, 2, 2), 2)
    tensor([[[[7.]]]])
    """
    input = steady(as_tensor("max_pool3d", input))
    layout = layout_of_tensor(input)
    geometry, size = max_geometry(
        3,
        layout.shape,
        hashable(kernel_size),
        hashable(stride),
        hashable(padding),
        hashable(dilation),
        hashable(ceil_mode),
    )
    planes = tuple([one[1:] for one in geometry])
    depths = tuple([(one[0], other) for one, other in zip(geometry, (1, 1, 0, 1), strict=True)])
    values, indices = greatest(wide("max_pool3d", input, int64), planes, depths, size)
    values = narrow(values, layout.dtype)
    return (values, indices) if return_indices else values


@overridable
@boundary
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool3d` with the indices.

    Arguments:
        input: volumes (N, C, D, H, W), or one without N.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        dilation: the distance of a window's elements.
        ceil_mode: whether lengths are rounded up.
        return_indices: ignored.

    >>> from facula_tensor import arange
    >>> max_pool3d_with_indices(arange(8.0).reshape(1, 2, 2, 2), 2)[1]
    tensor([[[[7]]]])
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)  # type: ignore[return-value]


@overridable
@boundary
def avg_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of a volume: (N, C, D, H, W) to (N, C, D', H', W'), or without N.

    Else as `avg_pool2d`, with three numbers where that has two.

    Arguments:
        input: volumes (N, C, D, H, W), or one without N.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        ceil_mode: whether lengths are rounded up.
        count_include_pad: whether elements of the padding count in means.
        divisor_override: what sums are divided by, in place of the number of elements.

    >>> from facula_tensor import arange
    >>> avg_pool3d(arange(8.0).reshape(1, 2, 2, 2), 2)
    tensor([[[[3.5000]]]])
    """
    input = steady(as_tensor("avg_pool3d", input))
    layout = layout_of_tensor(input)
    (kernel, stride, padding, padded, divisor), size = avg_geometry(
        3,
        layout.shape,
        hashable(kernel_size),
        hashable(stride),
        hashable(padding),
        hashable(ceil_mode),
        hashable(count_include_pad),
        hashable(divisor_override),
    )
    images, whole = wide("avg_pool3d", input, float64), layout.dtype.category == INTEGER
    # Divisors are products, of rows, columns and depth; integers are divided at last.
    first, second = (1, 1) if whole else (divisor, None if divisor is None else 1)
    planes = kernel[1:], stride[1:], padding[1:], padded, first
    depths = (kernel[0], 1), (stride[0], 1), (padding[0], 0), padded, second
    across = recorded_ops.avg_pool2d(images, (planes, size[1:]))
    made = recorded_ops.avg_pool2d(deep(across), (depths, (size[0], size[1] * size[2])))
    made = recorded_ops.reshape(made, (*layout.shape[:-3], *size))
    if whole:
        by: Tensor | int | None = divisor
        if by is None:
            along = [
                divisors(*one, padded=padded)
                for one in zip(layout.shape[-3:], size, kernel, stride, padding, strict=True)
            ]
            by = from_numpy(np.multiply.outer(np.multiply.outer(*along[:2]), along[2])).to(layout.device)
        made = no_record_ops.trunc_divide(no_record_ops.to(made, (int64,)), by)
    return narrow(made, layout.dtype)
