"""Decompositions of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._operator import recording
from .._overrides import asks
from .._tensor import Tensor
from ..ops.cholesky import cholesky_of
from ..ops.copying import give
from ..ops.matrices import NamedResults, named_results, results_named
from ..ops.orthogonal import qr_of
from ..ops.spectral import eig_of, eigh_of, svd_of, upper_of, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cholesky", "cholesky_ex", "eig", "eigh", "eigvals", "eigvalsh", "qr", "svd", "svdvals"]

Eig = results_named("linalg_eig", "eigenvalues", "eigenvectors")
Eigh = results_named("linalg_eigh", "eigenvalues", "eigenvectors")
QR = results_named("linalg_qr", "Q", "R")
SVD = results_named("linalg_svd", "U", "S", "Vh")
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


@asks
@boundary
def qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Q with orthonormal columns and R, upper triangular, with A = Q R, of matrices (..., m, n): the pair (Q, R).

    mode "reduced": Q (..., m, k), R (..., k, n), k the lesser of m and n. "complete": Q (..., m, m), R (..., m, n).
    "r": R alone, and an empty Q. No gradient with "r", nor with "complete" where m > n.

    >>> from facula_tensor import ones
    >>> [part.shape for part in qr(ones(3, 2))]
    [facula.Size([3, 2]), facula.Size([2, 2])]
    """
    return named_results("linalg.qr", QR, qr_of("linalg.qr", A, mode), out)


@asks
@boundary
def eigh(A: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices (..., n, n): (eigenvalues, eigenvectors).

    Eigenvectors are columns of length 1, each determined but for its sign (complex ones: but for a factor on the unit
    circle). Only the lower triangle of A is read, or the upper with UPLO="U". Gradients are infinite or NaN where they
    depend on vectors of equal eigenvalues.

    >>> from facula_tensor import tensor
    >>> eigh(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return named_results("linalg.eigh", Eigh, eigh_of("linalg.eigh", A, upper_of("linalg.eigh", UPLO)), out)


@asks
@boundary
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues, ascending, of Hermitian matrices (..., n, n), of which one triangle is read: (..., n), real.

    >>> from facula_tensor import tensor
    >>> eigvalsh(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    name = "linalg.eigvalsh"
    return give(name, values_of(name, "eigvalsh", A, (upper_of(name, UPLO),)), out)


@asks
@boundary
def eig(A: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Eigenvalues, in no order, and eigenvectors of square matrices: (eigenvalues, eigenvectors), complex.

    Eigenvectors are columns of length 1, each determined but for a factor on the unit circle. LinAlgError where an
    element is NaN or infinite.

    >>> from facula_tensor import tensor
    >>> eig(tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
    """
    return named_results("linalg.eig", Eig, eig_of("linalg.eig", A), out)


@asks
@boundary
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues of square matrices (..., n, n), in no order: (..., n), complex.

    >>> from facula_tensor import tensor
    >>> eigvals(tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([2.+0.j, 1.+0.j])
    """
    return give("linalg.eigvals", values_of("linalg.eigvals", "eigvals", A), out)


@asks
@boundary
def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """U, S and Vh with A = U diag(S) Vh, of matrices (..., m, n): S (..., k) in decreasing order, real.

    U (..., m, m) and Vh (..., n, n), or (..., m, k) and (..., k, n) without `full_matrices`, k the lesser of m and n.
    Their columns and rows are orthonormal, each pair determined but for a sign, or a factor on the unit circle.
    Gradients flow through the first k vectors; they are infinite or NaN where they depend on vectors of equal singular
    values. `driver` chooses nothing.

    >>> from facula_tensor import tensor
    >>> svd(tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    U, S, V = svd_of("linalg.svd", A, bool(full_matrices))
    return named_results("linalg.svd", SVD, (U, S, recording.mH(V)), out)


@asks
@boundary
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Singular values of matrices (..., m, n), in decreasing order: (..., min(m, n)), real. `driver` chooses nothing.

    >>> from facula_tensor import tensor
    >>> svdvals(tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    return give("linalg.svdvals", values_of("linalg.svdvals", "svdvals", A), out)
