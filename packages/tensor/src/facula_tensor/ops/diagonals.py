"""Diagonals of matrices, as views, and matrices made of diagonals: `diagonal`, `diag`, `diag_embed`, `trace`."""

from __future__ import annotations

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, contiguous, layout_of

from .._core.promotion import as_integer
from .._core.tensor import Tensor, check_dim, layout_of_tensor, method, steady
from .._dispatch.declaration import view
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out

__all__ = ["diag", "diag_embed", "diagflat", "diagonal", "trace"]


def along(layout: Layout, offset: int, dim1: int, dim2: int) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Shape, strides and first element of a diagonal, which comes last, in the plane of two dimensions.

    The dimensions count from the front. `offset` 0 is the main diagonal, 1 the next above.
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


@view
class _diagonal:
    """A diagonal of matrices, as the last dimension; dimensions count from the front."""

    parameters = ("offset", "dim1", "dim2")

    def window(layout, offset, dim1, dim2):
        size, strides, start = along(layout, offset, dim1, dim2)
        return layout_of(size, strides, layout.dtype, layout.device), start * layout.dtype.itemsize

    def vjp_input(F, g, input_layout, offset, dim1, dim2):
        whole = contiguous(input_layout.shape, input_layout.dtype, input_layout.device)
        _, strides, start = along(whole, offset, dim1, dim2)
        return F.inset(g, (whole.shape, strides, start, (), 0))


def plane(operation: str, dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Two of `ndim` dimensions counted from the front; ValueError, with the operator's name, where they are one."""
    first, second = check_dim(operation, dim1, ndim), check_dim(operation, dim2, ndim)
    if first == second:
        raise ArgumentError(f"{operation}: expected two dimensions; dim1 {dim1} and dim2 {dim2} are the same")
    return first, second


@overridable
@method()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal in the plane of two dimensions, in place of which it becomes the last dimension.

    Arguments:
        input: a tensor of at least 2 dimensions.
        offset: which diagonal: 0 the main one, 1 the next above, -1 the next below.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    >>> from facula_tensor import arange
    >>> diagonal(arange(6).view(2, 3), 1)
    tensor([1, 5])
    """
    try:
        ndim = len(layout_of_tensor(as_tensor("diagonal", input)).shape)
        if type(offset) is not int:
            offset = as_integer(offset, "diagonal", "offset")
        return recorded_ops.diagonal(input, offset, *plane("diagonal", dim1, dim2, ndim))
    except FaculaError as error:
        trim_traceback(error)
        raise


def _embedded(operation: str, input: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """Zeros with the last dimension of `input` as the diagonal `offset` of the plane of two new dimensions."""
    offset, shape = as_integer(offset, operation, "offset"), layout_of_tensor(input).shape
    first, second = plane(operation, dim1, dim2, len(shape) + 1)
    size, rest = shape[-1] + abs(offset), iter(shape[:-1])
    whole = tuple([size if dim in (first, second) else next(rest) for dim in range(len(shape) + 1)])
    layout = layout_of_tensor(input)
    _, strides, start = along(contiguous(whole, layout.dtype, layout.device), offset, first, second)
    return recorded_ops.inset(input, (whole, strides, start, (), 0))


@overridable
@method()
@boundary
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices of zeros with the last dimension of `input` as a diagonal.

    Arguments:
        input: a tensor of at least 1 dimension.
        offset: which diagonal: 0 the main one, 1 the next above, -1 the next below.
        dim1: the new dimension of rows, counted in the result.
        dim2: the new dimension of columns, likewise.

    >>> from facula_tensor import tensor
    >>> diag_embed(tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    input = steady(as_tensor("diag_embed", input))
    if not input.ndim:
        raise ArgumentError("diag_embed: expected at least 1 dimension; got a number; use unsqueeze(0)")
    return _embedded("diag_embed", input, offset, dim1, dim2)


@overridable
@method()
@boundary
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The matrix with a vector as its diagonal, or a copy of the diagonal of a matrix.

    Arguments:
        input: a vector or a matrix.
        diagonal: which diagonal: 0 the main one, 1 the next above, -1 the next below.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> diag(tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    input = steady(as_tensor("diag", input))
    ndim = input.ndim
    if ndim == 1:
        result = _embedded("diag", input, diagonal, 0, 1)
    elif ndim == 2:
        result = recorded_ops.clone(recorded_ops.diagonal(input, as_integer(diagonal, "diag", "diagonal"), 0, 1))
    else:
        raise ArgumentError(
            f"diag: expected a vector or a matrix; got shape {tuple(input.shape)}; use diagonal or diag_embed"
        )
    return write_out("diag", result, out, (input,))


@overridable
@method()
@boundary
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix with the elements of `input`, in row-major order, as its diagonal.

    >>> from facula_tensor import tensor
    >>> diagflat(tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    input = steady(as_tensor("diagflat", input))
    return _embedded("diagflat", recorded_ops.reshape(input, (input.numel(),)), offset, 0, 1)


@overridable
@method()
@boundary
def trace(input: Tensor) -> Tensor:
    """The sum of the main diagonal of a matrix; of integers in int64.

    >>> from facula_tensor import arange
    >>> trace(arange(4).view(2, 2))
    tensor(3)
    """
    input = steady(as_tensor("trace", input))
    if input.ndim != 2:
        raise ArgumentError(f"trace: expected a matrix; got shape {tuple(input.shape)}; use diagonal(...).sum(-1)")
    return recorded_ops.diagonal(input, 0, 0, 1).sum()
