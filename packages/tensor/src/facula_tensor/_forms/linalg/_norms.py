"""The public functions of `linalg/_norms.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.promotion import as_real
from ..._core.tensor import Tensor
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.types import Dims, DTypeLike

bodies = bodies_of("linalg._norms")


@overridable
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the norm of order `ord` of all elements as one vector, or along `dim` (an integer or several).

    inf is the maximum magnitude, -inf the minimum, 0 the number of nonzero elements. Computed in `dtype` if given.
    Raises TypeError for integers.

    Arguments:
        x: the vectors.
        ord: the order.
        dim: the dimension or dimensions; all of them if None.
        keepdim: whether to keep the reduced dimensions, with length 1.
        dtype: the dtype to convert to first; the dtype of x if None.

    >>> from facula_tensor import tensor
    >>> vector_norm(tensor([[3.0, -4.0]]), float("inf"))
    tensor(4.)
    """
    try:
        if type(ord) is not float and type(ord) is not int:
            ord = as_real(ord, "linalg.vector_norm", "ord")
        return bodies.vector_norm(x, ord, dim, keepdim, dtype=dtype, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Dims | None = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the norm of order `ord` of each matrix.

    "fro" is the root of the sum of squares; 1 and -1 are the largest and the smallest column sum of magnitudes; inf and
    -inf the same for rows; 2 and -2 the largest and the smallest singular value; "nuc" the sum of singular values.

    Arguments:
        A: the matrices.
        ord: the order.
        dim: the dimensions of rows and columns.
        keepdim: whether to keep the reduced dimensions, with length 1.
        dtype: the dtype to convert to first; the dtype of A if None.

    >>> from facula_tensor import tensor
    >>> matrix_norm(tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    try:
        return bodies.matrix_norm(A, ord, dim, keepdim, dtype=dtype, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Compute `vector_norm` of all elements or along one `dim`, or `matrix_norm` along two or of a matrix with `ord`.

    Arguments:
        A: vectors or matrices.
        ord: the order; 2 of all elements if None.
        dim: one dimension of vectors, or two of matrices; all of them if None.
        keepdim: whether to keep the reduced dimensions, with length 1.
        dtype: the dtype to convert to first; the dtype of A if None.

    >>> from facula_tensor import tensor
    >>> norm(tensor([[3.0, 4.0]])), norm(tensor([[3.0, 4.0]]), dim=0)
    (tensor(5.), tensor([3., 4.]))
    """
    try:
        if type(A) is not Tensor:
            A = as_tensor("linalg.norm", A)
        return bodies.norm(A, ord, dim, keepdim, out=out, dtype=dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise
