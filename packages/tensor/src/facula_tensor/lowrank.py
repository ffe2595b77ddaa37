"""The largest singular values of matrices by random projections. Loaded at first use.

N. Halko, P. G. Martinsson and J. A. Tropp, Finding Structure with Randomness, SIAM Review 53, 2011, algorithm 5.1
with power iterations (4.4).
"""

from __future__ import annotations

from typing import NamedTuple

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary, published

from . import linalg
from ._core.tensor import Tensor
from ._creation.random import randn

__all__ = ["pca_lowrank", "svd_lowrank"]

__dir__ = published(__name__)


class Factors(NamedTuple):
    """A matrix as U diag(S) V^H: `U` (..., m, q), `S` (..., q) from large to small, `V` (..., n, q)."""

    U: Tensor
    S: Tensor
    V: Tensor


@boundary
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> Factors:
    """Return singular values and vectors of a matrix (..., m, n) of rank about `q`; for a higher rank,
    approximations of the `q` largest. Uses the default generator.

    Arguments:
        A: the matrices.
        q: the number of singular values, at most m and n; 6 if None.
        niter: the number of power iterations; 2 if None.
        M: the row to subtract from each row, (..., 1, n), or None.

    Raises:
        ValueError: a `q` that is negative or too large, or a negative `niter`.

    >>> from facula_tensor import tensor
    >>> svd_lowrank(tensor([[3.0, 0.0], [0.0, 4.0]]), q=2).S.round(decimals=3)
    tensor([4., 3.])
    """
    return _factors("svd_lowrank", A if M is None else A - M, 6 if q is None else q, 2 if niter is None else niter)


@boundary
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Factors:
    """Return the principal components of observations (..., m, n) as the columns of `V`. See `svd_lowrank`.

    Arguments:
        A: the observations, in rows.
        q: the number of components; the minimum of 6, m and n if None.
        center: subtract each column's mean first.
        niter: the number of power iterations.

    >>> from facula_tensor import tensor
    >>> pca_lowrank(tensor([[0.0, 0.0], [2.0, 0.0]]), q=1).V.abs()
    tensor([[1.],
            [0.]])
    """
    if not isinstance(A, Tensor):
        raise InvalidTypeError(f"pca_lowrank: expected A to be a tensor; got {type(A).__name__}")
    rank = min(6, *A.shape[-2:]) if q is None else q
    return _factors("pca_lowrank", A - A.mean(-2, keepdim=True) if center else A, rank, niter)


def _factors(name: str, A: Tensor, q: int, niter: int) -> Factors:
    if not isinstance(A, Tensor) or A.ndim < 2:
        raise InvalidTypeError(f"{name}: expected A to be a tensor of matrices; got {type(A).__name__}")
    if not 0 <= q <= min(A.shape[-2:]):
        raise ArgumentError(f"{name}: expected 0 <= q <= {min(A.shape[-2:])}, as A is {tuple(A.shape)}; got {q}")
    if niter < 0:
        raise ArgumentError(f"{name}: expected niter of at least 0; got {niter}")
    if A.shape[-2] < A.shape[-1]:
        U, S, V = _factors(name, A.mH, q, niter)
        return Factors(V, S, U)
    basis = linalg.qr(A @ randn(A.shape[-1], q, dtype=A.dtype, device=A.device))[0]
    for _ in range(niter):
        basis = linalg.qr(A @ linalg.qr(A.mH @ basis)[0])[0]
    U, S, Vh = linalg.svd(basis.mH @ A, full_matrices=False)
    return Factors(basis @ U, S, Vh.mH)
