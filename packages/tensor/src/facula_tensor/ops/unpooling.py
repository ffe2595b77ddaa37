"""Pooling undone, and pooling by powers: `max_unpool1d` to `max_unpool3d`, `lp_pool1d` to `lp_pool3d`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidIndexError
from facula_errors.extend import boundary
from facula_storage import int64

from .._core.errors import show
from .._core.geometry import several
from .._core.promotion import as_real
from .._core.tensor import Tensor, layout_of_tensor, steady
from .._creation.filled import zeros
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .pooling import avg_pool2d
from .pooling_geometry import stride_of
from .scattering import scatter
from .sequence_pooling import avg_pool1d
from .volume_pooling import avg_pool3d

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import Function, Lengths

__all__ = ["lp_pool1d", "lp_pool2d", "lp_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _unpooled(
    dims: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    output_size: Sequence[int] | None,
) -> Tensor:
    """`max_unpool` in 1, 2 or 3 dimensions, `dims`; the other arguments are the public ones."""
    name = f"max_unpool{dims}d"
    input, indices = steady(as_tensor(name, input)), steady(as_tensor(name, indices))
    layout = layout_of_tensor(input)
    kernel = several(name, "kernel_size", kernel_size, dims, 1)
    step, padding = stride_of(name, stride, kernel), several(name, "padding", padding, dims, 0)
    if len(layout.shape) not in (dims + 1, dims + 2) or not prod(layout.shape[-dims - 1 :]):
        raise ArgumentError(
            f"{name}: expected input of {dims + 1} or {dims + 2} dimensions with elements; got shape {layout.shape}"
        )
    if layout_of_tensor(indices).dtype is not int64:
        raise DTypeError(f"{name}: expected indices to be int64; got {show(layout_of_tensor(indices))}")
    if tuple(indices.shape) != layout.shape:
        raise ArgumentError(f"{name}: expected indices of the input's shape {layout.shape}; got {tuple(indices.shape)}")
    size = tuple([
        (count - 1) * stride - 2 * before + taps
        for count, stride, before, taps in zip(layout.shape[-dims:], step, padding, kernel, strict=True)
    ])  # fmt: skip
    if output_size is not None:
        wished = tuple(output_size)
        if len(wished) not in (dims, dims + 1, dims + 2):
            raise ArgumentError(f"{name}: expected output_size of {dims} lengths; got {wished}")
        wished = several(name, "output_size", wished[-dims:], dims, 1)
        if not all([abs(wish - usual) < stride for wish, usual, stride in zip(wished, size, step, strict=True)]):
            raise ArgumentError(f"{name}: expected output_size less than stride {step} from {size}; got {wished}")
        size = wished
    if min(size) < 1:
        raise ArgumentError(f"{name}: input {layout.shape} with padding {padding} leaves {size}; make padding smaller")
    outer, places = layout.shape[:-dims], prod(layout.shape[-dims:])
    flat, at = recorded_ops.reshape(input, (*outer, places)), recorded_ops.reshape(indices, (*outer, places))
    try:
        made = scatter(zeros(*outer, prod(size), dtype=layout.dtype, device=layout.device), -1, at, flat)
    except InvalidIndexError as error:
        raise ArgumentError(f"{name}: expected indices from 0 to {prod(size) - 1}, of {size}; {error}") from None
    return recorded_ops.reshape(made, (*outer, *size))


@overridable
@boundary
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros with the elements of `max_pool1d` where they were; else as `max_unpool2d`.

    Arguments:
        input: what the pooling returned: sequences (N, C, length), or one without N.
        indices: those that the pooling returned.
        kernel_size: the length of a window.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements the pooling added at each border.
        output_size: the lengths of the result; those that follow from the pooling's arguments if None.

    >>> from facula_tensor import tensor
    >>> max_unpool1d(tensor([[3.0, 2.0]]), tensor([[1, 2]]), 2)
    tensor([[0., 3., 2., 0.]])
    """
    return _unpooled(1, input, indices, kernel_size, stride, padding, output_size)


@overridable
@boundary
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros with the elements of `max_pool2d` where they were: (N, C, H, W) and its indices, or without N.

    kernel_size, stride and padding are the pooling's. Several sizes are pooled to one: the result has a length of
    (length - 1) stride - 2 padding + kernel_size, or is as output_size says, less than a stride from that. Of
    elements with one index the last counts. ValueError for indices beyond.

    Arguments:
        input: what the pooling returned: images (N, C, H, W), or one without N.
        indices: those that the pooling returned.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements the pooling added at each border.
        output_size: the lengths of the result; those that follow from the pooling's arguments if None.

    >>> from facula_tensor import tensor
    >>> max_unpool2d(tensor([[[5.0]]]), tensor([[[2]]]), 2)
    tensor([[[0., 0.],
             [5., 0.]]])
    """
    return _unpooled(2, input, indices, kernel_size, stride, padding, output_size)


@overridable
@boundary
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros with the elements of `max_pool3d` where they were; else as `max_unpool2d`.

    Arguments:
        input: what the pooling returned: volumes (N, C, D, H, W), or one without N.
        indices: those that the pooling returned.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements the pooling added at each border.
        output_size: the lengths of the result; those that follow from the pooling's arguments if None.

    >>> from facula_tensor import tensor
    >>> max_unpool3d(tensor([[[[5.0]]]]), tensor([[[[2]]]]), 2).view(-1)
    tensor([0., 0., 5., 0., 0., 0., 0., 0.])
    """
    return _unpooled(3, input, indices, kernel_size, stride, padding, output_size)


AVERAGES: dict[int, Function] = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _by_powers(
    dims: int, input: Tensor, norm_type: float, kernel_size: Lengths, stride: Lengths | None, ceil_mode: bool
) -> Tensor:
    """`lp_pool` in 1, 2 or 3 dimensions, `dims`; the other arguments are the public ones."""
    F, name = recorded_ops, f"lp_pool{dims}d"
    order = float(as_real(norm_type, name, "norm_type"))
    if not order:
        raise ArgumentError(f"{name}: expected norm_type other than 0, whose root is taken; got {norm_type}")
    kernel = several(name, "kernel_size", kernel_size, dims, 1)
    means = AVERAGES[dims](F.pow(steady(as_tensor(name, input)), order), kernel, stride, 0, ceil_mode)
    positive = F.mul(F.sign(means), F.relu(F.abs(means)))
    return F.pow(F.mul(positive, prod(kernel)), 1 / order)


@overridable
@boundary
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The root of the sum of powers `norm_type` of each window of a sequence; else as `lp_pool2d`.

    Arguments:
        input: sequences (N, C, length), or one without N.
        norm_type: the power.
        kernel_size: the length of a window.
        stride: the distance of windows; `kernel_size` if None.
        ceil_mode: whether lengths are rounded up.

    >>> from facula_tensor import tensor
    >>> lp_pool1d(tensor([[3.0, 4.0, 0.0, 1.0]]), 2, 2)
    tensor([[5., 1.]])
    """
    return _by_powers(1, input, norm_type, kernel_size, stride, ceil_mode)


@overridable
@boundary
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The root of the sum of powers `norm_type` of each window: (N, C, H, W), or without N.

    Windows are those of `avg_pool2d`; in ceil_mode the sum of a window that reaches beyond the border is its mean
    times the whole window.

    Arguments:
        input: images (N, C, H, W), or one image without N.
        norm_type: the power.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        ceil_mode: whether lengths are rounded up.

    >>> from facula_tensor import tensor
    >>> lp_pool2d(tensor([[[3.0, 4.0], [0.0, 0.0]]]), 2, 2)
    tensor([[[5.]]])
    """
    return _by_powers(2, input, norm_type, kernel_size, stride, ceil_mode)


@overridable
@boundary
def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The root of the sum of powers `norm_type` of each window of a volume; else as `lp_pool2d`.

    Arguments:
        input: volumes (N, C, D, H, W), or one without N.
        norm_type: the power.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        ceil_mode: whether lengths are rounded up.

    >>> from facula_tensor import ones
    >>> lp_pool3d(ones(1, 2, 2, 4), 2, (2, 2, 4))
    tensor([[[[4.]]]])
    """
    return _by_powers(3, input, norm_type, kernel_size, stride, ceil_mode)
