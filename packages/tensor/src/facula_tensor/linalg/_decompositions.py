"""Decompositions of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._overrides import asks
from .._tensor import Tensor
from ..ops.cholesky import cholesky_of
from ..ops.copying import give
from ..ops.matrices import NamedResults, named_results, results_named

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cholesky", "cholesky_ex"]

CholeskyEx = results_named("linalg_cholesky_ex", "L", "info")


@asks
@boundary
def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """L with L L^H = A, lower triangular with a positive diagonal, of Hermitian positive definite matrices (..., n, n).

    Only the lower triangle of A is read. With `upper` U with U^H U = A, of the upper triangle. LinAlgError where a
    matrix is not positive definite. float32, float64, complex64, complex128.

    >>> from facula_tensor import tensor
    >>> cholesky(tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return give("linalg.cholesky", cholesky_of("linalg.cholesky", A, upper)[0], out)


@asks
@boundary
def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """`cholesky`, and `info` (int32) for each matrix, without an error unless `check_errors`: the pair (L, info).

    `info` is 0, or the order of the first leading minor that is not positive; L is NaN there.

    >>> from facula_tensor import tensor
    >>> cholesky_ex(tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=facula.int32)
    """
    name = "linalg.cholesky_ex"
    return named_results(name, CholeskyEx, cholesky_of(name, A, upper, check_errors), out)
