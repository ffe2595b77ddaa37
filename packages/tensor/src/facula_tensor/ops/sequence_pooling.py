"""Pooling of sequences: that of images of height 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._core.geometry import hashable
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .pooling_geometry import avg_geometry, max_geometry

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["avg_pool1d", "max_pool1d", "max_pool1d_with_indices"]


@overridable
@boundary
def max_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The greatest element of each window of a sequence: (N, C, length) to (N, C, out length), or without N.

    Else as `max_pool2d`, with one number where that has two.

    Arguments:
        input: sequences (N, C, length), or one without N.
        kernel_size: the length of a window.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        dilation: the distance of a window's elements.
        ceil_mode: whether lengths are rounded up.
        return_indices: whether the indices are returned, too.

    >>> from facula_tensor import tensor
    >>> max_pool1d(tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    shape = layout_of_tensor(as_tensor("max_pool1d", input)).shape
    geometry, (length,) = max_geometry(
        1, shape, hashable(kernel_size), hashable(stride), hashable(padding), hashable(dilation), hashable(ceil_mode)
    )
    (kernel,), (step,), (before,), (gap,) = geometry
    flat = (1, kernel), (1, step), (0, before), (1, gap)
    values, indices = recorded_ops.max_pool2d(recorded_ops.unsqueeze(input, -2), (flat, (1, length)))
    values = recorded_ops.squeeze(values, -2)
    return (values, recorded_ops.squeeze(indices, -2)) if return_indices else values


@overridable
@boundary
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d` with the indices.

    Arguments:
        input: sequences (N, C, length), or one without N.
        kernel_size: the length of a window.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        dilation: the distance of a window's elements.
        ceil_mode: whether lengths are rounded up.
        return_indices: ignored.

    >>> from facula_tensor import tensor
    >>> max_pool1d_with_indices(tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)  # type: ignore[return-value]


@overridable
@boundary
def avg_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of a sequence: (N, C, length) to (N, C, out length), or without N.

    Else as `avg_pool2d`, with one number where that has two.

    Arguments:
        input: sequences (N, C, length), or one without N.
        kernel_size: the length of a window.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        ceil_mode: whether lengths are rounded up.
        count_include_pad: whether elements of the padding count in means.

    >>> from facula_tensor import tensor
    >>> avg_pool1d(tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    shape = layout_of_tensor(as_tensor("avg_pool1d", input)).shape
    geometry, (length,) = avg_geometry(
        1,
        shape,
        hashable(kernel_size),
        hashable(stride),
        hashable(padding),
        hashable(ceil_mode),
        hashable(count_include_pad),
        None,
    )
    (kernel,), (step,), (before,), padded, _ = geometry
    flat = (1, kernel), (1, step), (0, before), padded, None
    return recorded_ops.squeeze(recorded_ops.avg_pool2d(recorded_ops.unsqueeze(input, -2), (flat, (1, length))), -2)
