"""Decompositions of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.tensor import Tensor
from .._dispatch.written import function
from ..ops.linalg.cholesky import cholesky_of
from ..ops.linalg.eigenvalues import eig_of, eigh_of, spectrum_of, svd_of, upper_of
from ..ops.linalg.lu import factors_of, solve_with_factors, unpacked
from ..ops.linalg.pinverse import least_squares
from ..ops.linalg.qr import qr_of
from ..ops.named_results import NamedResults, named_results, results_named

if TYPE_CHECKING:
    from typing import Literal

    from .._dispatch.kinds import Matrices, Outs, SquareMatrices, Truth
    from .._dispatch.namespaces import Namespace

Eig = results_named("linalg_eig", "eigenvalues", "eigenvectors")
Eigh = results_named("linalg_eigh", "eigenvalues", "eigenvectors")
LU_PARTS = results_named("linalg_lu", "P", "L", "U")
LUFactor = results_named("linalg_lu_factor", "LU", "pivots")
LUFactorEx = results_named("linalg_lu_factor_ex", "LU", "pivots", "info")
Lstsq = results_named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
QR = results_named("linalg_qr", "Q", "R")
SVD = results_named("linalg_svd", "U", "S", "Vh")
CholeskyEx = results_named("linalg_cholesky_ex", "L", "info")


@function(label="linalg.cholesky", out=True, overridable=True)
def cholesky(A: SquareMatrices, *, upper: Truth = False) -> Tensor:
    """L with L L^H = A, lower triangular with a positive diagonal, of Hermitian positive definite matrices (..., n, n).

    Only the lower triangle of A is read. With `upper` U with U^H U = A, of the upper triangle. LinAlgError where a
    matrix is not positive definite. float32, float64, complex64, complex128.

    Arguments:
        upper: whether the upper triangle is read, and given.

    >>> from facula_tensor import tensor
    >>> cholesky(tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return cholesky_of("linalg.cholesky", A, upper)[0]


@function(label="linalg.cholesky_ex", overridable=True)
def cholesky_ex(
    A: SquareMatrices, *, upper: Truth = False, check_errors: bool = False, out: Outs = None
) -> NamedResults:
    """`cholesky`, and `info` (int32) for each matrix, without an error unless `check_errors`: the pair (L, info).

    `info` is 0, or the order of the first leading minor that is not positive; L is NaN there.

    Arguments:
        upper: whether the upper triangle is read, and given.
        check_errors: whether a failure raises LinAlgError.

    >>> from facula_tensor import tensor
    >>> cholesky_ex(tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=facula.int32)
    """
    name = "linalg.cholesky_ex"
    return named_results(name, CholeskyEx, cholesky_of(name, A, upper, check_errors), out)


@function(label="linalg.qr", overridable=True)
def qr(A: Matrices, mode: Literal["reduced", "complete", "r"] = "reduced", *, out: Outs = None) -> NamedResults:
    """Q with orthonormal columns and R, upper triangular, with A = Q R, of matrices (..., m, n): the pair (Q, R).

    mode "reduced": Q (..., m, k), R (..., k, n), k the lesser of m and n. "complete": Q (..., m, m), R (..., m, n).
    "r": R alone, and an empty Q. No gradient with "r", nor with "complete" where m > n.

    Arguments:
        mode: "reduced", "complete" or "r".

    >>> from facula_tensor import ones
    >>> [part.shape for part in qr(ones(3, 2))]
    [facula.Size([3, 2]), facula.Size([2, 2])]
    """
    return named_results("linalg.qr", QR, qr_of(A, mode), out)


@function(label="linalg.eigh", overridable=True)
def eigh(A: SquareMatrices, UPLO: str = "L", *, out: Outs = None) -> NamedResults:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices (..., n, n): (eigenvalues, eigenvectors).

    Eigenvectors are columns of length 1, each determined but for its sign (complex ones: but for a factor on the unit
    circle). Only the lower triangle of A is read, or the upper with UPLO="U". Gradients are infinite or NaN where they
    depend on vectors of equal eigenvalues.

    Arguments:
        UPLO: "L" or "U": the triangle that is read.

    >>> from facula_tensor import tensor
    >>> eigh(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return named_results("linalg.eigh", Eigh, eigh_of("linalg.eigh", A, upper_of("linalg.eigh", UPLO)), out)


@function(label="linalg.eigvalsh", out=True, overridable=True)
def eigvalsh(A: SquareMatrices, UPLO: str = "L") -> Tensor:
    """Eigenvalues, ascending, of Hermitian matrices (..., n, n), of which one triangle is read: (..., n), real.

    Arguments:
        UPLO: "L" or "U": the triangle that is read.

    >>> from facula_tensor import tensor
    >>> eigvalsh(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    name = "linalg.eigvalsh"
    return spectrum_of(name, "eigvalsh", A, (upper_of(name, UPLO),))


@function(label="linalg.eig", overridable=True)
def eig(A: SquareMatrices, *, out: Outs = None) -> NamedResults:
    """Eigenvalues, in no order, and eigenvectors of square matrices: (eigenvalues, eigenvectors), complex.

    Eigenvectors are columns of length 1, each determined but for a factor on the unit circle. LinAlgError where an
    element is NaN or infinite.

    >>> from facula_tensor import tensor
    >>> eig(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
    """
    return named_results("linalg.eig", Eig, eig_of("linalg.eig", A), out)


@function(label="linalg.eigvals", out=True, overridable=True)
def eigvals(A: SquareMatrices) -> Tensor:
    """Eigenvalues of square matrices (..., n, n), in no order: (..., n), complex.

    >>> from facula_tensor import tensor
    >>> eigvals(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([2.+0.j, 1.+0.j])
    """
    return spectrum_of("linalg.eigvals", "eigvals", A)


@function(label="linalg.svd", overridable=True)
def svd(
    F: Namespace, A: Matrices, full_matrices: Truth = True, *, driver: str | None = None, out: Outs = None
) -> NamedResults:
    """U, S and Vh with A = U diag(S) Vh, of matrices (..., m, n): S (..., k) in decreasing order, real.

    U (..., m, m) and Vh (..., n, n), or (..., m, k) and (..., k, n) without `full_matrices`, k the lesser of m and n.
    Their columns and rows are orthonormal, each pair determined but for a sign, or a factor on the unit circle.
    Gradients flow through the first k vectors; they are infinite or NaN where they depend on vectors of equal singular
    values. `driver` chooses nothing.

    Arguments:
        full_matrices: whether U and Vh are square.
        driver: ignored.

    >>> from facula_tensor import tensor
    >>> svd(tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    U, S, V = svd_of("linalg.svd", A, full_matrices)
    return named_results("linalg.svd", SVD, (U, S, F.mH(V)), out)


@function(label="linalg.svdvals", out=True, overridable=True)
def svdvals(A: Matrices, *, driver: str | None = None) -> Tensor:
    """Singular values of matrices (..., m, n), in decreasing order: (..., min(m, n)), real. `driver` chooses nothing.

    Arguments:
        driver: ignored.

    >>> from facula_tensor import tensor
    >>> svdvals(tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    return spectrum_of("linalg.svdvals", "svdvals", A)


@function(label="linalg.lu_factor", overridable=True)
def lu_factor(A: Matrices, *, pivot: bool = True, out: Outs = None) -> NamedResults:
    """L and U with A = P L U in one matrix, and the pivots (int32) that P is made of: the pair (LU, pivots).

    A (..., m, n). Pivot i says with which row (from 1) row i was exchanged; `lu_unpack` makes matrices of both, and
    `lu_solve` solves systems with them. LinAlgError where a pivot is 0. `pivot=False` is not supported.

    Arguments:
        pivot: True: elimination without row exchanges is not supported.

    >>> from facula_tensor import tensor
    >>> lu_factor(tensor([[1.0, 5.0], [2.0, 4.0]])).pivots
    tensor([2, 2], dtype=facula.int32)
    """
    LU, pivots, _ = factors_of("linalg.lu_factor", A, pivot)
    return named_results("linalg.lu_factor", LUFactor, (LU, pivots), out)


@function(label="linalg.lu_factor_ex", overridable=True)
def lu_factor_ex(A: Matrices, *, pivot: bool = True, check_errors: bool = False, out: Outs = None) -> NamedResults:
    """`lu_factor`, and `info` (int32) for each matrix, without an error unless `check_errors`: (LU, pivots, info).

    `info` is 0, or the place (from 1) of the first pivot that is 0.

    Arguments:
        pivot: True: elimination without row exchanges is not supported.
        check_errors: whether a failure raises LinAlgError.

    >>> from facula_tensor import zeros
    >>> lu_factor_ex(zeros(2, 2)).info
    tensor(1, dtype=facula.int32)
    """
    name = "linalg.lu_factor_ex"
    return named_results(name, LUFactorEx, factors_of(name, A, pivot, check_errors), out)


@function(label="linalg.lu", overridable=True)
def lu(F: Namespace, A: Matrices, *, pivot: bool = True, out: Outs = None) -> NamedResults:
    """P, L and U with A = P L U, of matrices (..., m, n), by elimination with row exchanges.

    P is a permutation (..., m, m), L lower triangular with ones on the diagonal (..., m, k), U upper triangular
    (..., k, n), k the lesser of m and n. `pivot=False` is not supported.

    Arguments:
        pivot: True: elimination without row exchanges is not supported.

    >>> from facula_tensor import tensor
    >>> lu(tensor([[1.0, 5.0], [2.0, 4.0]])).U
    tensor([[2., 4.],
            [0., 3.]])
    """
    LU, pivots, _ = factors_of("linalg.lu", A, pivot, check=False)
    return named_results("linalg.lu", LU_PARTS, unpacked(F, "linalg.lu", LU, pivots), out)


@function(label="linalg.lu_solve", out=True, overridable=True)
def lu_solve(LU: SquareMatrices, pivots: Tensor, B: Matrices, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """X with A X = B, X A = B where not `left`, of which A is known by `lu_factor`; with `adjoint` A^H in its place.

    Arguments:
        LU: L and U in one matrix (..., n, n), as `lu_factor` gives them.
        pivots: the pivots (..., n) that it gives.
        B: the right-hand sides (..., n, k), or (..., k, n) where not `left`.
        left: whether A stands left of X.
        adjoint: whether A^H is meant.

    >>> from facula_tensor import eye, ones
    >>> lu_solve(*lu_factor(eye(2) * 2), ones(2, 1))
    tensor([[0.5000],
            [0.5000]])
    """
    return solve_with_factors("linalg.lu_solve", LU, pivots, B, left, adjoint)


@function(label="linalg.lstsq", overridable=True)
def lstsq(
    A: Matrices, B: Tensor, rcond: float | None = None, *, driver: str | None = None, out: Outs = None
) -> NamedResults:
    """X that makes the sum of squares of A X - B least, the shortest where there are several, of A (..., m, n).

    B (..., m, k), or a vector for each matrix. Gives (solution, residuals, rank, singular_values). Singular values up
    to `rcond` times the first count as 0. All drivers ("gels", "gelsy", "gelsd", "gelss") compute by singular values;
    as in LAPACK, "gelsy" (the default) gives no residuals and "gels" no rank; only "gelsd" and "gelss" give singular
    values; residuals are there where m > n and all ranks are n. What is not given is empty.

    Arguments:
        B: the right-hand sides.
        rcond: the share of the first singular value up to which others count as 0; by the dtype if None.
        driver: which of the results are computed; "gelsy" if None.

    >>> from facula_tensor import tensor
    >>> lstsq(tensor([[1.0], [1.0]]), tensor([[1.0], [3.0]])).solution
    tensor([[2.0000]])
    """
    return named_results("linalg.lstsq", Lstsq, least_squares("linalg.lstsq", A, B, rcond, driver), out)
