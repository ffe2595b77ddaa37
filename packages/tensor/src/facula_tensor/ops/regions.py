"""Copies in which a part that a view would show is replaced: `select_scatter`, `slice_scatter` and kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import Layout, layout_of

from .._core.promotion import as_integer
from .._core.sizes import sizes
from .._core.tensor import Tensor, check_dim, layout_of_tensor, method, steady
from .._dispatch.namespaces import operators, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .diagonals import along, plane

if TYPE_CHECKING:
    from .._core.types import Lengths, Parameters

__all__ = ["as_strided_scatter", "diagonal_scatter", "select_scatter", "slice_scatter"]


def _replaced(
    operation: str, input: Tensor, src: Tensor, size: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> Tensor:
    """`input` with `src` where `size`, `strides` and `offset` (in elements) say."""
    src = steady(as_tensor(operation, src))
    if tuple(src.shape) != tuple(size):
        raise ArgumentError(
            f"{operation}: expected src of shape {tuple(size)}, which the part has; got {tuple(src.shape)}; use expand"
        )
    if src.dtype is not input.dtype:
        src = recorded_ops.to(src, (input.dtype,))
    return recorded_ops.as_strided_scatter(input, src, (tuple(size), tuple(strides), offset))


def _in_window(operation: str, input: Tensor, src: Tensor, view: str, parameters: Parameters) -> Tensor:
    """`input` with `src` where the view operator would show it."""
    layout = layout_of_tensor(input)
    shown, start = operators[view].window(layout, *parameters)  # type: ignore[misc]
    return _replaced(operation, input, src, shown.shape, shown.strides, start // layout.dtype.itemsize)


@overridable
@method()
@boundary
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` in which `select(dim, index)` is `src`.

    Arguments:
        input: the tensor that is copied.
        src: the new elements.
        dim: the dimension.
        index: which element; negative ones count from the end.

    >>> from facula_tensor import ones, zeros
    >>> select_scatter(zeros(2, 2), ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    input = recorded_ops.contiguous(steady(as_tensor("select_scatter", input)))
    return _in_window("select_scatter", input, src, "select", (dim, as_integer(index, "select_scatter", "index")))


@overridable
@method()
@boundary
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of `input` in which the elements from `start` to `end`, every `step`-th, along `dim` are `src`.

    Arguments:
        input: the tensor that is copied.
        src: the new elements.
        dim: the dimension.
        start: the first element; negative ones count from the end.
        end: the bound; the end if None.
        step: the distance of two elements; above 0.

    >>> from facula_tensor import ones, zeros
    >>> slice_scatter(zeros(4), ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
    """
    input = recorded_ops.contiguous(steady(as_tensor("slice_scatter", input)))
    at = check_dim("slice_scatter", dim, input.ndim)
    if as_integer(step, "slice_scatter", "step") <= 0:
        raise ArgumentError(f"slice_scatter: expected a positive step; got {step}")
    if not input.ndim:
        raise ArgumentError("slice_scatter: expected at least 1 dimension; got a number")
    bounds = [
        None if one is None else as_integer(one, "slice_scatter", name)
        for one, name in ((start, "start"), (end, "end"))
    ]
    first, last, step = slice(bounds[0], bounds[1], step).indices(input.shape[at])
    return _in_window("slice_scatter", input, src, "slice", (at, first, max(first, last), step))


@overridable
@method()
@boundary
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of `input` in which `diagonal(offset, dim1, dim2)` is `src`.

    Arguments:
        input: the tensor that is copied.
        src: the new elements.
        offset: which diagonal: 0 is the main one, 1 the next above.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    >>> from facula_tensor import ones, zeros
    >>> diagonal_scatter(zeros(2, 2), ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    name = "diagonal_scatter"
    input = recorded_ops.contiguous(steady(as_tensor(name, input)))
    offset = as_integer(offset, name, "offset")
    return _replaced(name, input, src, *along(layout_of_tensor(input), offset, *plane(name, dim1, dim2, input.ndim)))


@overridable
@method()
@boundary
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Lengths, stride: Lengths, storage_offset: int | None = None
) -> Tensor:
    """A copy of `input` in which the elements that `as_strided(size, stride, storage_offset)` shows are `src`.

    Arguments:
        input: the tensor that is copied.
        src: the new elements.
        size: their shape.
        stride: their strides, in elements.
        storage_offset: where the first one is, in elements; where `input` begins if None.

    >>> from facula_tensor import ones, zeros
    >>> as_strided_scatter(zeros(2, 2), ones(2), (2,), (2,), 1)
    tensor([[0., 1.],
            [0., 1.]])
    """
    name = "as_strided_scatter"
    shape, strides = sizes(name, (), size, "size"), sizes(name, (), stride, "stride")
    input = steady(as_tensor(name, input))
    layout: Layout = layout_of_tensor(input)
    start = 0 if storage_offset is None else as_integer(storage_offset, name, "storage_offset") - input.storage_offset()
    if len(shape) != len(strides) or min((*shape, *strides, 0)) < 0:
        raise ArgumentError(f"{name}: size {shape} and stride {strides} must be equally long, none negative")
    extent = layout_of(shape, strides, layout.dtype, layout.device).extent
    if extent and (start < 0 or start * layout.dtype.itemsize + extent > layout.extent):
        raise ArgumentError(
            f"{name}: size {shape}, stride {strides} and storage_offset {storage_offset} reach outside the tensor's "
            f"{layout.extent // layout.dtype.itemsize} element(s)"
        )
    return _replaced(name, input, src, shape, strides, start)
