"""The public functions of `ops/shape/diagonal.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.shape.diagonal")


@overridable
@method()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
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
    try:
        if type(offset) is not int:
            offset = as_integer(offset, "diagonal", "offset")
        return ops.diagonal(input, offset, dim1, dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
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
    try:
        input = steady_tensor("diag_embed", input)
        if type(offset) is not int:
            offset = as_integer(offset, "diag_embed", "offset")
        return bodies.diag_embed(input, offset, dim1, dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
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
    try:
        input = steady_tensor("diag", input)
        if type(diagonal) is not int:
            diagonal = as_integer(diagonal, "diag", "diagonal")
        result = bodies.diag(ops, input, diagonal)
        return result if out is None else write_out("diag", result, out, (input,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix with the elements of `input`, in row-major order, on its diagonal.

    Arguments:
        input: the tensor.
        offset: the diagonal: 0 for the main diagonal, 1 for the first above it, -1 for the first below it.

    >>> from facula_tensor import tensor
    >>> diagflat(tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    try:
        input = steady_tensor("diagflat", input)
        if type(offset) is not int:
            offset = as_integer(offset, "diagflat", "offset")
        return bodies.diagflat(ops, input, offset)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def trace(input: Tensor) -> Tensor:
    """Return the sum of the main diagonal of a matrix. Integers are summed in int64.

    >>> from facula_tensor import arange
    >>> trace(arange(4).view(2, 2))
    tensor(3)
    """
    try:
        input = steady_tensor("trace", input)
        return bodies.trace(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise
