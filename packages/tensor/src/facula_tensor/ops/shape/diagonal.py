"""Diagonals of matrices, as views, and matrices built from diagonals: `diagonal`, `diag`, `diag_embed`, `trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import Layout, contiguous, layout_of

from ..._core.tensor import Tensor, check_dim, layout_of_tensor
from ..._dispatch.declaration import view
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Integer, Steady
    from ..._dispatch.namespaces import Namespace


def diagonal_geometry(
    layout: Layout, offset: int, dim1: int, dim2: int
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return shape, strides and start of a view of a diagonal in the plane of two dimensions.

    The diagonal is the last dimension of the view. `dim1` and `dim2` count from the front. `offset` 0 is the main
    diagonal, 1 the first above it.
    """
    shape, strides = layout.shape, layout.strides
    rest = [dim for dim in range(len(shape)) if dim not in (dim1, dim2)]
    length = max(0, min(shape[dim1] + min(offset, 0), shape[dim2] - max(offset, 0)))
    start = (offset * strides[dim2] if offset > 0 else -offset * strides[dim1]) if length else 0
    return (
        (*[shape[dim] for dim in rest], length),
        (*[strides[dim] for dim in rest], strides[dim1] + strides[dim2]),
        start,
    )


def plane(operation: str, dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Return two dimensions of `ndim`, counted from the front.

    Raises:
        ValueError: if both are the same dimension; the message names `operation`.
    """
    first, second = check_dim(operation, dim1, ndim), check_dim(operation, dim2, ndim)
    if first == second:
        raise ArgumentError(f"{operation}: expected two dimensions; dim1 {dim1} and dim2 {dim2} are the same")
    return first, second


@view
class diagonal:
    """Return a view of the diagonal in the plane of two dimensions; the diagonal becomes the last dimension.

    Arguments:
        input: a tensor of at least 2 dimensions.
        offset: the diagonal: 0 for the main diagonal, 1 for the first above it, -1 for the first below it.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    >>> from facula_tensor import arange
    >>> diagonal(arange(6).view(2, 3), 1)
    tensor([1, 5])
    """

    parameters = ("offset", "dim1", "dim2")
    is_part = True
    method = overridable = True

    @staticmethod
    def signature(input: Tensor, offset: Integer = 0, dim1: int = 0, dim2: int = 1) -> None: ...

    def window(layout, offset, dim1, dim2):
        size, strides, start = diagonal_geometry(layout, offset, *plane("diagonal", dim1, dim2, len(layout.shape)))
        return layout_of(size, strides, layout.dtype, layout.device), start * layout.dtype.itemsize

    def vjp_input(F, g, input_layout, offset, dim1, dim2):
        whole = contiguous(input_layout.shape, input_layout.dtype, input_layout.device)
        _, strides, start = diagonal_geometry(whole, offset, *plane("diagonal", dim1, dim2, len(whole.shape)))
        return F.inset(g, (whole.shape, strides, start, (), 0))


def _embedded(operation: str, input: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """Return zeros with the last dimension of `input` as the diagonal `offset` in the plane of two new dimensions."""
    layout = layout_of_tensor(input)
    shape = layout.shape
    first, second = plane(operation, dim1, dim2, len(shape) + 1)
    size, rest = shape[-1] + abs(offset), iter(shape[:-1])
    whole = tuple([size if dim in (first, second) else next(rest) for dim in range(len(shape) + 1)])
    _, strides, start = diagonal_geometry(contiguous(whole, layout.dtype, layout.device), offset, first, second)
    return recorded_ops.inset(input, (whole, strides, start, (), 0))


@function(method=True)
def diag_embed(input: Steady, offset: Integer = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return matrices of zeros with the last dimension of `input` on a diagonal.

    Arguments:
        input: a tensor of at least 1 dimension.
        offset: the diagonal: 0 for the main diagonal, 1 for the first above it, -1 for the first below it.
        dim1: the new dimension of rows, counted in the result.
        dim2: the new dimension of columns, counted in the result.

    >>> from facula_tensor import tensor
    >>> diag_embed(tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    if not input.ndim:
        raise ArgumentError("diag_embed: expected at least 1 dimension; got a number; use unsqueeze(0)")
    return _embedded("diag_embed", input, offset, dim1, dim2)


@function(method=True, out=("input",))
def diag(F: Namespace, input: Steady, diagonal: Integer = 0) -> Tensor:
    """Return a matrix with a vector on its diagonal, or a copy of the diagonal of a matrix.

    Arguments:
        input: a vector or a matrix.
        diagonal: the diagonal: 0 for the main diagonal, 1 for the first above it, -1 for the first below it.

    >>> from facula_tensor import tensor
    >>> diag(tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    ndim = input.ndim
    if ndim == 1:
        return _embedded("diag", input, diagonal, 0, 1)
    if ndim == 2:
        return F.clone(F.diagonal(input, diagonal, 0, 1))
    raise ArgumentError(
        f"diag: expected a vector or a matrix; got shape {tuple(input.shape)}; use diagonal or diag_embed"
    )


@function(method=True)
def diagflat(F: Namespace, input: Steady, offset: Integer = 0) -> Tensor:
    """Return a matrix with the elements of `input`, in row-major order, on its diagonal.

    Arguments:
        offset: the diagonal: 0 for the main diagonal, 1 for the first above it, -1 for the first below it.

    >>> from facula_tensor import tensor
    >>> diagflat(tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return _embedded("diagflat", F.reshape(input, (input.numel(),)), offset, 0, 1)


@function(method=True)
def trace(F: Namespace, input: Steady) -> Tensor:
    """Return the sum of the main diagonal of a matrix. Integers are summed in int64.

    >>> from facula_tensor import arange
    >>> trace(arange(4).view(2, 2))
    tensor(3)
    """
    if input.ndim != 2:
        raise ArgumentError(f"trace: expected a matrix; got shape {tuple(input.shape)}; use diagonal(...).sum(-1)")
    return F.diagonal(input, 0, 0, 1).sum()
