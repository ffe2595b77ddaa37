"""The public functions of `linalg/_decompositions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._dispatch.arguments import flag_value, refuse_choice
from ..._dispatch.namespaces import recorded_ops as ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import bodies_of
from ...ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.tensor import Tensor
    from ...ops.named_results import NamedResults

bodies = bodies_of("linalg._decompositions")


@overridable
def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """Return L with L L^H = A, lower triangular with a positive diagonal, of Hermitian positive definite matrices A.

    A has shape (..., n, n); only its lower triangle is read. With `upper`, return U with U^H U = A, from the upper
    triangle. Raises LinAlgError if a matrix is not positive definite. float32, float64, complex64, complex128.

    Arguments:
        A: matrices (..., n, n).
        upper: whether to read and return the upper triangle.

    >>> from facula_tensor import tensor
    >>> cholesky(tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    try:
        A = matrices("linalg.cholesky", A, "A", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("linalg.cholesky", "upper", upper)
        result = bodies.cholesky(A, upper=upper)
        return result if out is None else write_out("linalg.cholesky", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """Compute `cholesky` without raising unless `check_errors`; return (L, info) with an int32 status for each matrix.

    `info` is 0, or the order of the first leading minor that is not positive; L is NaN there.

    Arguments:
        A: matrices (..., n, n).
        upper: whether to read and return the upper triangle.
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import tensor
    >>> cholesky_ex(tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=facula.int32)
    """
    try:
        A = matrices("linalg.cholesky_ex", A, "A", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("linalg.cholesky_ex", "upper", upper)
        return bodies.cholesky_ex(A, upper=upper, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return Q with orthonormal columns and upper triangular R such that A = Q R, for matrices (..., m, n).

    mode "reduced": Q (..., m, k), R (..., k, n), k = min(m, n). "complete": Q (..., m, m), R (..., m, n).
    "r": R only, and an empty Q. There is no gradient for "r", nor for "complete" if m > n.

    Arguments:
        A: matrices (..., m, n).
        mode: "reduced", "complete" or "r".

    >>> from facula_tensor import ones
    >>> [part.shape for part in qr(ones(3, 2))]
    [facula.Size([3, 2]), facula.Size([2, 2])]
    """
    try:
        A = matrices("linalg.qr", A, "A")
        if mode not in ("reduced", "complete", "r"):
            mode = refuse_choice("linalg.qr", "mode", mode, "'reduced', 'complete' or 'r'")
        return bodies.qr(A, mode, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eigh(A: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return eigenvalues, ascending, and eigenvectors of Hermitian matrices (..., n, n): (eigenvalues, eigenvectors).

    Eigenvectors are columns of length 1, each unique up to its sign (for complex matrices, up to a factor on the unit
    circle). Only the lower triangle of A is read, or the upper with UPLO="U". Gradients that depend on the vectors of
    equal eigenvalues are infinite or NaN.

    Arguments:
        A: matrices (..., n, n).
        UPLO: the triangle to read, "L" or "U".

    >>> from facula_tensor import tensor
    >>> eigh(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    try:
        A = matrices("linalg.eigh", A, "A", square=True)
        return bodies.eigh(A, UPLO, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """Return the eigenvalues, ascending, of Hermitian matrices (..., n, n): (..., n), real. Reads one triangle only.

    Arguments:
        A: matrices (..., n, n).
        UPLO: the triangle to read, "L" or "U".

    >>> from facula_tensor import tensor
    >>> eigvalsh(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    try:
        A = matrices("linalg.eigvalsh", A, "A", square=True)
        result = bodies.eigvalsh(A, UPLO)
        return result if out is None else write_out("linalg.eigvalsh", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eig(A: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return eigenvalues, unordered, and eigenvectors of square matrices: (eigenvalues, eigenvectors), complex.

    Eigenvectors are columns of length 1, each unique up to a factor on the unit circle. Raises LinAlgError if an
    element is NaN or infinite.

    >>> from facula_tensor import tensor
    >>> eig(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
    """
    try:
        A = matrices("linalg.eig", A, "A", square=True)
        return bodies.eig(A, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the eigenvalues of square matrices (..., n, n), unordered: (..., n), complex.

    >>> from facula_tensor import tensor
    >>> eigvals(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([2.+0.j, 1.+0.j])
    """
    try:
        A = matrices("linalg.eigvals", A, "A", square=True)
        result = bodies.eigvals(A)
        return result if out is None else write_out("linalg.eigvals", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """Return U, S and Vh with A = U diag(S) Vh, for matrices (..., m, n): S (..., k) in decreasing order, real.

    U has shape (..., m, m) and Vh (..., n, n); without `full_matrices` (..., m, k) and (..., k, n), k = min(m, n).
    Columns of U and rows of Vh are orthonormal; each pair is unique up to a sign, or a factor on the unit circle.
    Gradients flow through the first k vectors. Gradients that depend on the vectors of equal singular values are
    infinite or NaN. `driver` is ignored.

    Arguments:
        A: matrices (..., m, n).
        full_matrices: whether U and Vh are square.
        driver: ignored.

    >>> from facula_tensor import tensor
    >>> svd(tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    try:
        A = matrices("linalg.svd", A, "A")
        if full_matrices is not False and full_matrices is not True:
            full_matrices = flag_value("linalg.svd", "full_matrices", full_matrices)
        return bodies.svd(ops, A, full_matrices, driver=driver, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the singular values of matrices (..., m, n), in decreasing order: (..., min(m, n)), real.

    Arguments:
        A: matrices (..., m, n).
        driver: ignored.

    >>> from facula_tensor import tensor
    >>> svdvals(tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    try:
        A = matrices("linalg.svdvals", A, "A")
        result = bodies.svdvals(A, driver=driver)
        return result if out is None else write_out("linalg.svdvals", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu_factor(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return L and U with A = P L U in one matrix, and the pivots (int32) that define P: the pair (LU, pivots).

    A has shape (..., m, n). Pivot i is the row (from 1) with which row i was exchanged. `lu_unpack` returns the
    separate matrices, and `lu_solve` solves systems with them. Raises LinAlgError if a pivot is 0. `pivot=False` is not
    supported.

    Arguments:
        A: matrices (..., m, n).
        pivot: must be True; elimination without row exchanges is not supported.

    >>> from facula_tensor import tensor
    >>> lu_factor(tensor([[1.0, 5.0], [2.0, 4.0]])).pivots
    tensor([2, 2], dtype=facula.int32)
    """
    try:
        A = matrices("linalg.lu_factor", A, "A")
        return bodies.lu_factor(A, pivot=pivot, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """Compute `lu_factor` without raising unless `check_errors`: (LU, pivots, info) with an int32 status per matrix.

    `info` is 0, or the index (from 1) of the first pivot that is 0.

    Arguments:
        A: matrices (..., m, n).
        pivot: must be True; elimination without row exchanges is not supported.
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import zeros
    >>> lu_factor_ex(zeros(2, 2)).info
    tensor(1, dtype=facula.int32)
    """
    try:
        A = matrices("linalg.lu_factor_ex", A, "A")
        return bodies.lu_factor_ex(A, pivot=pivot, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return P, L and U with A = P L U, for matrices (..., m, n), by elimination with row exchanges.

    P is a permutation (..., m, m), L lower triangular with ones on the diagonal (..., m, k), U upper triangular
    (..., k, n), k = min(m, n). `pivot=False` is not supported.

    Arguments:
        A: matrices (..., m, n).
        pivot: must be True; elimination without row exchanges is not supported.

    >>> from facula_tensor import tensor
    >>> lu(tensor([[1.0, 5.0], [2.0, 4.0]])).U
    tensor([[2., 4.],
            [0., 3.]])
    """
    try:
        A = matrices("linalg.lu", A, "A")
        return bodies.lu(ops, A, pivot=pivot, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None
) -> Tensor:
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
    try:
        LU = matrices("linalg.lu_solve", LU, "LU", square=True)
        B = matrices("linalg.lu_solve", B, "B")
        result = bodies.lu_solve(LU, pivots, B, left=left, adjoint=adjoint)
        return result if out is None else write_out("linalg.lu_solve", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """Return X that minimizes the norm of A X - B, the one of least norm if there are several, for A (..., m, n).

    B has shape (..., m, k), or is one vector for each matrix. The result is (solution, residuals, rank,
    singular_values). Singular values up to `rcond` times the first count as 0. All drivers ("gels", "gelsy", "gelsd",
    "gelss") use singular values. As in LAPACK, "gelsy" (the default) returns no residuals and "gels" no rank; only
    "gelsd" and "gelss" return singular values. Residuals are returned if m > n and all ranks are n. Omitted results are
    empty.

    Arguments:
        A: matrices (..., m, n).
        B: the right-hand sides.
        rcond: the relative bound, a factor of the first singular value; it depends on the dtype if None.
        driver: determines the computed results; "gelsy" if None.

    >>> from facula_tensor import tensor
    >>> lstsq(tensor([[1.0], [1.0]]), tensor([[1.0], [3.0]])).solution
    tensor([[2.0000]])
    """
    try:
        A = matrices("linalg.lstsq", A, "A")
        return bodies.lstsq(A, B, rcond, driver=driver, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
