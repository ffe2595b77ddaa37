"""Norms of vectors and matrices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from facula_errors import ArgumentError

from .._core.promotion import as_real
from .._core.tensor import Tensor
from .._dispatch.written import function
from ..ops.reduction.norms import matrix_norm_of, vector_norm_of

if TYPE_CHECKING:
    from .._core.types import Dims, DTypeLike
    from .._dispatch.kinds import Checked, Real


@function(label="linalg.vector_norm", overridable=True, instead=partial(vector_norm_of, "linalg.vector_norm"))
def vector_norm(
    x: Tensor,
    ord: Real = 2,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> None:
    """Compute the norm of order `ord` of all elements as one vector, or along `dim` (an integer or several).

    inf is the maximum magnitude, -inf the minimum, 0 the number of nonzero elements. Computed in `dtype` if given.
    Raises TypeError for integers.

    Arguments:
        x: the vectors.
        ord: the order.
        dim: the dimension or dimensions; all of them if None.
        dtype: the dtype to convert to first; the dtype of x if None.

    >>> from facula_tensor import tensor
    >>> vector_norm(tensor([[3.0, -4.0]]), float("inf"))
    tensor(4.)
    """


@function(label="linalg.matrix_norm", overridable=True, instead=partial(matrix_norm_of, "linalg.matrix_norm"))
def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Dims | None = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> None:
    """Compute the norm of order `ord` of each matrix.

    "fro" is the root of the sum of squares; 1 and -1 are the largest and the smallest column sum of magnitudes; inf and
    -inf the same for rows; 2 and -2 the largest and the smallest singular value; "nuc" the sum of singular values.

    Arguments:
        A: the matrices.
        ord: the order.
        dim: the dimensions of rows and columns.
        dtype: the dtype to convert to first; the dtype of A if None.

    >>> from facula_tensor import tensor
    >>> matrix_norm(tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """


@function(label="linalg.norm", overridable=True)
def norm(
    A: Checked,
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
        dim: one dimension of vectors, or two of matrices; all of them if None, and `ord` requires one or two then.
        dtype: the dtype to convert to first; the dtype of A if None.

    >>> from facula_tensor import tensor
    >>> norm(tensor([[3.0, 4.0]])), norm(tensor([[3.0, 4.0]]), dim=0)
    (tensor(5.), tensor([3., 4.]))
    """
    name = "linalg.norm"
    if ord is None:
        return vector_norm_of(name, A, 2, dim, keepdim, dtype, out)
    if dim is None and A.ndim not in (1, 2):
        raise ArgumentError(
            f"{name}: expected a vector or a matrix for an order without dim; got shape {tuple(A.shape)}"
        )
    pair = isinstance(dim, (tuple, list)) and len(dim) == 2
    if isinstance(ord, str) or pair or (dim is None and A.ndim == 2):
        return matrix_norm_of(name, A, ord, (-2, -1) if dim is None else dim, keepdim, dtype, out)
    return vector_norm_of(name, A, as_real(ord, name, "ord"), dim, keepdim, dtype, out)
