"""Linear systems, inverses and determinants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.tensor import Tensor
from .._dispatch.written import function
from ..ops.linalg.determinants import sign_and_logarithm
from ..ops.linalg.inverse import inverse_of, solution_of
from ..ops.linalg.triangular_solve import solve_triangular_of
from ..ops.named_results import NamedResults, named_results, results_named

if TYPE_CHECKING:
    from .._dispatch.kinds import Matrices, Outs, SquareMatrices, Truth
    from .._dispatch.namespaces import Namespace

InvEx = results_named("linalg_inv_ex", "inverse", "info")
SolveEx = results_named("linalg_solve_ex", "result", "info")
Slogdet = results_named("linalg_slogdet", "sign", "logabsdet")


@function(label="linalg.solve", out=True, overridable=True)
def solve(A: SquareMatrices, B: Tensor, *, left: bool = True) -> Tensor:
    """Solve A X = B, or X A = B if not `left`, for X: A (..., n, n), B (..., n, k), or (..., k, n).

    Leading dimensions broadcast. B may be one vector (n,), or have the shape of A without the last dimension: one
    vector for each matrix. Raises LinAlgError if a matrix is singular. float32, float64, complex64, complex128.

    Arguments:
        B: the right-hand sides.
        left: whether A is on the left of X.

    >>> from facula_tensor import tensor
    >>> solve(tensor([[2.0, 0.0], [0.0, 4.0]]), tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    return solution_of("linalg.solve", A, B, left)[0]


@function(label="linalg.solve_ex", overridable=True)
def solve_ex(
    A: SquareMatrices, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Outs = None
) -> NamedResults:
    """Compute `solve` without raising unless `check_errors`; return (result, info) with an int32 status per matrix.

    `info` is 0, or the index (from 1) of the first zero pivot of the elimination; the result is then NaN.

    Arguments:
        B: the right-hand sides.
        left: whether A is on the left of X.
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import ones
    >>> solve_ex(ones(2, 2), ones(2)).info
    tensor(2, dtype=facula.int32)
    """
    name = "linalg.solve_ex"
    return named_results(name, SolveEx, solution_of(name, A, B, left, check_errors), out)


@function(label="linalg.inv", out=True, overridable=True)
def inv(A: SquareMatrices) -> Tensor:
    """Invert matrices (..., n, n); LinAlgError if one is singular. To solve a system, prefer `solve`.

    >>> from facula_tensor import tensor
    >>> inv(tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inverse_of("linalg.inv", A)[0]


@function(label="linalg.inv_ex", overridable=True)
def inv_ex(A: SquareMatrices, *, check_errors: bool = False, out: Outs = None) -> NamedResults:
    """Compute `inv` without raising unless `check_errors`; return (inverse, info) with an int32 status per matrix.

    `info` is 0, or the index (from 1) of the first zero pivot of the elimination; the inverse is then NaN.

    Arguments:
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import zeros
    >>> inv_ex(zeros(2, 2)).info
    tensor(1, dtype=facula.int32)
    """
    return named_results("linalg.inv_ex", InvEx, inverse_of("linalg.inv_ex", A, check_errors), out)


@function(label="linalg.det", calls="det", out=True, overridable=True)
def det(A: SquareMatrices) -> None:
    """Compute the determinant of matrices (..., n, n): (...). The gradient is also correct for singular matrices.

    >>> from facula_tensor import tensor
    >>> det(tensor([[2.0, 1.0], [4.0, 6.0]]))
    tensor(8.)
    """


@function(label="linalg.slogdet", overridable=True)
def slogdet(F: Namespace, A: SquareMatrices, *, out: Outs = None) -> NamedResults:
    """Compute the sign and the log magnitude of determinants: (sign, logabsdet); 0 and -inf for singular matrices.

    A has shape (..., n, n). The sign for complex matrices is a number on the unit circle.

    >>> from facula_tensor import tensor
    >>> slogdet(tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return named_results("linalg.slogdet", Slogdet, sign_and_logarithm(F, A), out)


@function(label="linalg.solve_triangular", out=True, overridable=True)
def solve_triangular(
    A: SquareMatrices, B: Matrices, *, upper: Truth, left: Truth = True, unitriangular: Truth = False
) -> Tensor:
    """Solve A X = B, or X A = B if not `left`, for X, with an upper or lower triangular A.

    A has shape (..., n, n), B (..., n, k), or (..., k, n) if not `left`; leading dimensions broadcast. The other
    triangle of A is not read. With `unitriangular` the diagonal is not read either and counts as ones. Division by a
    zero on the diagonal gives infinity or NaN. float32, float64, complex64, complex128.

    Arguments:
        B: the right-hand sides.
        upper: whether A is upper triangular instead of lower.
        left: whether A is on the left of X.
        unitriangular: whether the diagonal counts as ones.

    >>> from facula_tensor import tensor
    >>> solve_triangular(tensor([[1.0, 1.0], [0.0, 2.0]]), tensor([[4.0], [2.0]]), upper=True)
    tensor([[3.],
            [1.]])
    """
    return solve_triangular_of("linalg.solve_triangular", A, B, upper, left, unitriangular)
