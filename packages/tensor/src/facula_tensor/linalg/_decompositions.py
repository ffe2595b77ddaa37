"""Matrix decompositions."""

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
    """Return L with L L^H = A, lower triangular with a positive diagonal, of Hermitian positive definite matrices A.

    A has shape (..., n, n); only its lower triangle is read. With `upper`, return U with U^H U = A, from the upper
    triangle. Raises LinAlgError if a matrix is not positive definite. float32, float64, complex64, complex128.

    Arguments:
        upper: whether to read and return the upper triangle.

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
    """Compute `cholesky` without raising unless `check_errors`; return (L, info) with an int32 status for each matrix.

    `info` is 0, or the order of the first leading minor that is not positive; L is NaN there.

    Arguments:
        upper: whether to read and return the upper triangle.
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import tensor
    >>> cholesky_ex(tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=facula.int32)
    """
    name = "linalg.cholesky_ex"
    return named_results(name, CholeskyEx, cholesky_of(name, A, upper, check_errors), out)


@function(label="linalg.qr", overridable=True)
def qr(A: Matrices, mode: Literal["reduced", "complete", "r"] = "reduced", *, out: Outs = None) -> NamedResults:
    """Return Q with orthonormal columns and upper triangular R such that A = Q R, for matrices (..., m, n).

    mode "reduced": Q (..., m, k), R (..., k, n), k = min(m, n). "complete": Q (..., m, m), R (..., m, n).
    "r": R only, and an empty Q. There is no gradient for "r", nor for "complete" if m > n.

    Arguments:
        mode: "reduced", "complete" or "r".

    >>> from facula_tensor import ones
    >>> [part.shape for part in qr(ones(3, 2))]
    [facula.Size([3, 2]), facula.Size([2, 2])]
    """
    return named_results("linalg.qr", QR, qr_of(A, mode), out)


@function(label="linalg.eigh", overridable=True)
def eigh(A: SquareMatrices, UPLO: str = "L", *, out: Outs = None) -> NamedResults:
    """Return eigenvalues, ascending, and eigenvectors of Hermitian matrices (..., n, n): (eigenvalues, eigenvectors).

    Eigenvectors are columns of length 1, each unique up to its sign (for complex matrices, up to a factor on the unit
    circle). Only the lower triangle of A is read, or the upper with UPLO="U". Gradients that depend on the vectors of
    equal eigenvalues are infinite or NaN.

    Arguments:
        UPLO: the triangle to read, "L" or "U".

    >>> from facula_tensor import tensor
    >>> eigh(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return named_results("linalg.eigh", Eigh, eigh_of("linalg.eigh", A, upper_of("linalg.eigh", UPLO)), out)


@function(label="linalg.eigvalsh", out=True, overridable=True)
def eigvalsh(A: SquareMatrices, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues, ascending, of Hermitian matrices (..., n, n): (..., n), real. Reads one triangle only.

    Arguments:
        UPLO: the triangle to read, "L" or "U".

    >>> from facula_tensor import tensor
    >>> eigvalsh(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    name = "linalg.eigvalsh"
    return spectrum_of(name, "eigvalsh", A, (upper_of(name, UPLO),))


@function(label="linalg.eig", overridable=True)
def eig(A: SquareMatrices, *, out: Outs = None) -> NamedResults:
    """Return eigenvalues, unordered, and eigenvectors of square matrices: (eigenvalues, eigenvectors), complex.

    Eigenvectors are columns of length 1, each unique up to a factor on the unit circle. Raises LinAlgError if an
    element is NaN or infinite.

    >>> from facula_tensor import tensor
    >>> eig(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
    """
    return named_results("linalg.eig", Eig, eig_of("linalg.eig", A), out)


@function(label="linalg.eigvals", out=True, overridable=True)
def eigvals(A: SquareMatrices) -> Tensor:
    """Return the eigenvalues of square matrices (..., n, n), unordered: (..., n), complex.

    >>> from facula_tensor import tensor
    >>> eigvals(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([2.+0.j, 1.+0.j])
    """
    return spectrum_of("linalg.eigvals", "eigvals", A)


@function(label="linalg.svd", overridable=True)
def svd(
    F: Namespace, A: Matrices, full_matrices: Truth = True, *, driver: str | None = None, out: Outs = None
) -> NamedResults:
    """Return U, S and Vh with A = U diag(S) Vh, for matrices (..., m, n): S (..., k) in decreasing order, real.

    U has shape (..., m, m) and Vh (..., n, n); without `full_matrices` (..., m, k) and (..., k, n), k = min(m, n).
    Columns of U and rows of Vh are orthonormal; each pair is unique up to a sign, or a factor on the unit circle.
    Gradients flow through the first k vectors. Gradients that depend on the vectors of equal singular values are
    infinite or NaN. `driver` is ignored.

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
    """Return the singular values of matrices (..., m, n), in decreasing order: (..., min(m, n)), real.

    Arguments:
        driver: ignored.

    >>> from facula_tensor import tensor
    >>> svdvals(tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    return spectrum_of("linalg.svdvals", "svdvals", A)


@function(label="linalg.lu_factor", overridable=True)
def lu_factor(A: Matrices, *, pivot: bool = True, out: Outs = None) -> NamedResults:
    """Return L and U with A = P L U in one matrix, and the pivots (int32) that define P: the pair (LU, pivots).

    A has shape (..., m, n). Pivot i is the row (from 1) with which row i was exchanged. `lu_unpack` returns the
    separate matrices, and `lu_solve` solves systems with them. Raises LinAlgError if a pivot is 0. `pivot=False` is not
    supported.

    Arguments:
        pivot: must be True; elimination without row exchanges is not supported.

    >>> from facula_tensor import tensor
    >>> lu_factor(tensor([[1.0, 5.0], [2.0, 4.0]])).pivots
    tensor([2, 2], dtype=facula.int32)
    """
    LU, pivots, _ = factors_of("linalg.lu_factor", A, pivot)
    return named_results("linalg.lu_factor", LUFactor, (LU, pivots), out)


@function(label="linalg.lu_factor_ex", overridable=True)
def lu_factor_ex(A: Matrices, *, pivot: bool = True, check_errors: bool = False, out: Outs = None) -> NamedResults:
    """Compute `lu_factor` without raising unless `check_errors`: (LU, pivots, info) with an int32 status per matrix.

    `info` is 0, or the index (from 1) of the first pivot that is 0.

    Arguments:
        pivot: must be True; elimination without row exchanges is not supported.
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import zeros
    >>> lu_factor_ex(zeros(2, 2)).info
    tensor(1, dtype=facula.int32)
    """
    name = "linalg.lu_factor_ex"
    return named_results(name, LUFactorEx, factors_of(name, A, pivot, check_errors), out)


@function(label="linalg.lu", overridable=True)
def lu(F: Namespace, A: Matrices, *, pivot: bool = True, out: Outs = None) -> NamedResults:
    """Return P, L and U with A = P L U, for matrices (..., m, n), by elimination with row exchanges.

    P is a permutation (..., m, m), L lower triangular with ones on the diagonal (..., m, k), U upper triangular
    (..., k, n), k = min(m, n). `pivot=False` is not supported.

    Arguments:
        pivot: must be True; elimination without row exchanges is not supported.

    >>> from facula_tensor import tensor
    >>> lu(tensor([[1.0, 5.0], [2.0, 4.0]])).U
    tensor([[2., 4.],
            [0., 3.]])
    """
    LU, pivots, _ = factors_of("linalg.lu", A, pivot, check=False)
    return named_results("linalg.lu", LU_PARTS, unpacked(F, "linalg.lu", LU, pivots), out)


@function(label="linalg.lu_solve", out=True, overridable=True)
def lu_solve(LU: SquareMatrices, pivots: Tensor, B: Matrices, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """Solve A X = B, or X A = B if not `left`, from the factors of A by `lu_factor`; `adjoint` replaces A by A^H.

    Arguments:
        LU: L and U in one matrix (..., n, n), from `lu_factor`.
        pivots: the pivots (..., n) from `lu_factor`.
        B: the right-hand sides (..., n, k), or (..., k, n) if not `left`.
        left: whether A is on the left of X.
        adjoint: whether to solve with A^H instead of A.

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
    """Return X that minimizes the norm of A X - B, the one of least norm if there are several, for A (..., m, n).

    B has shape (..., m, k), or is one vector for each matrix. The result is (solution, residuals, rank,
    singular_values). Singular values up to `rcond` times the first count as 0. All drivers ("gels", "gelsy", "gelsd",
    "gelss") compute the solution from a QR decomposition if n > 16 and no singular value is near the bound, otherwise
    from singular values. As in LAPACK, "gelsy" (the default) returns no residuals and "gels" no rank; only "gelsd" and
    "gelss" return singular values. Residuals are returned if m > n and all ranks are n. Omitted results are empty.

    Arguments:
        B: the right-hand sides.
        rcond: the relative bound, a factor of the first singular value; it depends on the dtype if None.
        driver: determines the computed results; "gelsy" if None.

    >>> from facula_tensor import tensor
    >>> lstsq(tensor([[1.0], [1.0]]), tensor([[1.0], [2.5]])).solution
    tensor([[1.7500]])
    """
    return named_results("linalg.lstsq", Lstsq, least_squares("linalg.lstsq", A, B, rcond, driver), out)
