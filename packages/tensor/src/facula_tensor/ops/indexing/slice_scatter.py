"""Out-of-place assignment to views: `select_scatter`, `slice_scatter` and related operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import Layout, layout_of

from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.namespaces import operators, recorded_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..shape.diagonal import diagonal_geometry, plane

if TYPE_CHECKING:
    from ..._core.types import Parameters
    from ..._dispatch.kinds import Integer, IntegerOrNone, Sizes, Steady
    from ..._dispatch.namespaces import Namespace


def _replaced(
    operation: str, input: Tensor, src: Tensor, size: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> Tensor:
    """Copy `input` with `src` at the view given by `size`, `strides` and `offset` (in elements)."""
    src = steady(as_tensor(operation, src))
    if tuple(src.shape) != tuple(size):
        raise ArgumentError(
            f"{operation}: expected src of shape {tuple(size)}, which the part has; got {tuple(src.shape)}; use expand"
        )
    if src.dtype is not input.dtype:
        src = recorded_ops.to(src, (input.dtype,))
    return recorded_ops.as_strided_scatter(input, src, (tuple(size), tuple(strides), offset))


def _in_window(operation: str, input: Tensor, src: Tensor, view: str, parameters: Parameters) -> Tensor:
    """Copy `input` with `src` at the result of the view operator `view`."""
    layout = layout_of_tensor(input)
    shown, start = operators[view].window(layout, *parameters)  # type: ignore[misc]
    return _replaced(operation, input, src, shown.shape, shown.strides, start // layout.dtype.itemsize)


@function(method=True)
def select_scatter(F: Namespace, input: Steady, src: Tensor, dim: int, index: Integer) -> Tensor:
    """Return a copy of `input` in which `select(dim, index)` is `src`.

    Arguments:
        input: the tensor to copy.
        src: the new elements.
        index: the position; negative ones count from the end.

    >>> from facula_tensor import ones, zeros
    >>> select_scatter(zeros(2, 2), ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    input = F.contiguous(input)
    return _in_window("select_scatter", input, src, "select", (dim, index))


@function(method=True)
def slice_scatter(
    F: Namespace,
    input: Steady,
    src: Tensor,
    dim: int = 0,
    start: IntegerOrNone = None,
    end: IntegerOrNone = None,
    step: Integer = 1,
) -> Tensor:
    """Return a copy of `input` in which the slice `start:end:step` along `dim` is `src`.

    Arguments:
        input: the tensor to copy.
        src: the new elements.
        start: the first element; negative ones count from the end.
        end: the exclusive bound; the dimension's length if None.
        step: the distance between elements; positive.

    >>> from facula_tensor import ones, zeros
    >>> slice_scatter(zeros(4), ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
    """
    input = F.contiguous(input)
    at = check_dim("slice_scatter", dim, input.ndim)
    if step <= 0:
        raise ArgumentError(f"slice_scatter: expected a positive step; got {step}")
    if not input.ndim:
        raise ArgumentError("slice_scatter: expected at least 1 dimension; got a number")
    first, last, step = slice(start, end, step).indices(input.shape[at])
    return _in_window("slice_scatter", input, src, "slice", (at, first, max(first, last), step))


@function(method=True)
def diagonal_scatter(
    F: Namespace, input: Steady, src: Tensor, offset: Integer = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """Return a copy of `input` in which `diagonal(offset, dim1, dim2)` is `src`.

    Arguments:
        input: the tensor to copy.
        src: the new elements.
        offset: the diagonal: 0 is the main one, 1 the next above.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    >>> from facula_tensor import ones, zeros
    >>> diagonal_scatter(zeros(2, 2), ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    input = F.contiguous(input)
    return _replaced(
        "diagonal_scatter",
        input,
        src,
        *diagonal_geometry(layout_of_tensor(input), offset, *plane("diagonal_scatter", dim1, dim2, input.ndim)),
    )


@function(method=True)
def as_strided_scatter(
    input: Steady, src: Tensor, size: Sizes, stride: Sizes, storage_offset: IntegerOrNone = None
) -> Tensor:
    """Return a copy of `input` in which the view `as_strided(size, stride, storage_offset)` is `src`.

    Arguments:
        input: the tensor to copy.
        src: the new elements.
        size: the shape of the view.
        stride: the strides of the view, in elements.
        storage_offset: the offset of the first element, in elements; that of `input` if None.

    >>> from facula_tensor import ones, zeros
    >>> as_strided_scatter(zeros(2, 2), ones(2), (2,), (2,), 1)
    tensor([[0., 1.],
            [0., 1.]])
    """
    layout: Layout = layout_of_tensor(input)
    start = 0 if storage_offset is None else storage_offset - input.storage_offset()
    if len(size) != len(stride) or min((*size, *stride, 0)) < 0:
        raise ArgumentError(
            f"as_strided_scatter: expected size and stride of equal length, none negative; got {size} and {stride}"
        )
    extent = layout_of(size, stride, layout.dtype, layout.device).extent
    if extent and (start < 0 or start * layout.dtype.itemsize + extent > layout.extent):
        raise ArgumentError(
            f"as_strided_scatter: size {size}, stride {stride} and storage_offset {storage_offset} reach outside the "
            f"tensor's {layout.extent // layout.dtype.itemsize} element(s); use a smaller size"
        )
    return _replaced("as_strided_scatter", input, src, size, stride, start)
