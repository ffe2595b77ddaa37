"""Pooling in windows that divide a dimension as evenly as possible; the means of images are in `pooling.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_storage import float64, int64

from .._core.geometry import hashable
from .._core.tensor import Tensor, layout_of_tensor, steady
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .pooling_geometry import adaptive_size
from .volume_pooling import deep, greatest, narrow, wide

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
]


@overridable
@boundary
def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """Means of windows that divide a sequence into `output_size` parts: (N, C, length) to (N, C, output_size).

    Or without N. Part i of n covers elements from floor(i length / n) up to ceil((i + 1) length / n).

    >>> from facula_tensor import arange
    >>> adaptive_avg_pool1d(arange(4.0).reshape(1, 4), 2)
    tensor([[0.5000, 2.5000]])
    """
    shape = layout_of_tensor(as_tensor("adaptive_avg_pool1d", input)).shape
    size = adaptive_size("adaptive_avg_pool1d", 1, shape, hashable(output_size))
    return recorded_ops.squeeze(recorded_ops.avg_pool2d(recorded_ops.unsqueeze(input, -2), (None, (1, *size))), -2)


@overridable
@boundary
def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Means of windows that divide a volume into `output_size` parts along depth, height and width.

    (N, C, D, H, W), or without N; else as `adaptive_avg_pool2d`.

    >>> from facula_tensor import arange
    >>> adaptive_avg_pool3d(arange(8.0).reshape(1, 2, 2, 2), (1, 1, 2))
    tensor([[[[3., 4.]]]])
    """
    name = "adaptive_avg_pool3d"
    input = steady(as_tensor(name, input))
    layout = layout_of_tensor(input)
    size = adaptive_size(name, 3, layout.shape, hashable(output_size))
    across = recorded_ops.avg_pool2d(wide(name, input, float64), (None, size[1:]))
    made = recorded_ops.avg_pool2d(deep(across), (None, (size[0], size[1] * size[2])))
    return narrow(recorded_ops.reshape(made, (*layout.shape[:-3], *size)), layout.dtype)


@overridable
@boundary
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int], return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The greatest elements of windows that divide a sequence into `output_size` parts, as `adaptive_avg_pool1d`.

    Arguments:
        input: (N, C, length), or (C, length).
        output_size: the number of windows.
        return_indices: whether the places of the elements are given, too.

    Returns:
        The elements; or the pair (elements, indices), indices of int64 into each sequence.

    >>> from facula_tensor import tensor
    >>> adaptive_max_pool1d(tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    shape = layout_of_tensor(as_tensor("adaptive_max_pool1d", input)).shape
    size = adaptive_size("adaptive_max_pool1d", 1, shape, hashable(output_size))
    values, indices = recorded_ops.max_pool2d(recorded_ops.unsqueeze(input, -2), (None, (1, *size)))
    values = recorded_ops.squeeze(values, -2)
    return (values, recorded_ops.squeeze(indices, -2)) if return_indices else values


@overridable
@boundary
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The greatest elements of windows that divide an image into `output_size` parts, as `adaptive_avg_pool2d`.

    Arguments:
        input: (N, C, H, W), or (C, H, W).
        output_size: the number of windows, one or (along height, along width); None in a pair keeps that length.
        return_indices: whether the places of the elements are given, too.

    Returns:
        The elements; or the pair (elements, indices), indices of int64 into each flattened (height, width).

    >>> from facula_tensor import arange
    >>> adaptive_max_pool2d(arange(16.0).reshape(1, 4, 4), (1, 2))
    tensor([[[13., 15.]]])
    """
    shape = layout_of_tensor(as_tensor("adaptive_max_pool2d", input)).shape
    size = adaptive_size("adaptive_max_pool2d", 2, shape, hashable(output_size))
    values, indices = recorded_ops.max_pool2d(input, (None, size))
    return (values, indices) if return_indices else values


@overridable
@boundary
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The greatest elements of windows that divide a volume into `output_size` parts, as `adaptive_avg_pool3d`.

    Arguments:
        input: (N, C, D, H, W), or (C, D, H, W).
        output_size: the number of windows, one or (along depth, height, width); None among them keeps that length.
        return_indices: whether the places of the elements are given, too.

    Returns:
        The elements; or the pair (elements, indices), indices of int64 into each flattened (depth, height, width).

    >>> from facula_tensor import arange
    >>> adaptive_max_pool3d(arange(8.0).reshape(1, 2, 2, 2), (1, 1, 2))
    tensor([[[[6., 7.]]]])
    """
    name = "adaptive_max_pool3d"
    input = steady(as_tensor(name, input))
    layout = layout_of_tensor(input)
    size = adaptive_size(name, 3, layout.shape, hashable(output_size))
    values, indices = greatest(wide(name, input, int64), None, None, size)
    values = narrow(values, layout.dtype)
    return (values, indices) if return_indices else values


@overridable
@boundary
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: int | Sequence[int], return_indices: bool = True
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool1d` with the indices.

    Arguments:
        input: as `adaptive_max_pool1d` takes it.
        output_size: likewise.
        return_indices: has no effect.

    Returns:
        The pair (elements, indices).
    """
    return adaptive_max_pool1d(input, output_size, True)  # type: ignore[return-value]


@overridable
@boundary
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool2d` with the indices.

    Arguments:
        input: as `adaptive_max_pool2d` takes it.
        output_size: likewise.
        return_indices: has no effect.

    Returns:
        The pair (elements, indices).
    """
    return adaptive_max_pool2d(input, output_size, True)  # type: ignore[return-value]


@overridable
@boundary
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = True
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool3d` with the indices.

    Arguments:
        input: as `adaptive_max_pool3d` takes it.
        output_size: likewise.
        return_indices: has no effect.

    Returns:
        The pair (elements, indices).
    """
    return adaptive_max_pool3d(input, output_size, True)  # type: ignore[return-value]
