"""Planners of eigenvalues, singular values and orthogonal decompositions, by NumPy's LAPACK: see `lapack.py`.

Small real matrices have C kernels: see `decompositions.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .lapack import FAILED, computes, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable


def each(compute: Callable[..., None], *arrays: np.ndarray) -> None:
    """Compute all matrices at once; if one fails, compute one by one, so that the others have results.

    The last array is `info`, the one before it the result, which is NaN for matrices that fail: NumPy raises for some,
    and returns NaN for others.
    """
    out, info = arrays[-2:]
    try:
        compute(*arrays[:-1])
        info[...] = np.isnan(out).any(tuple(range(info.ndim, out.ndim)))
    except FAILED:
        info[...] = 0
        one_by_one(lambda *one: _each_one(compute, *one), *arrays)


def each_finite(compute: Callable[..., None], *arrays: np.ndarray, read: np.ndarray | None = None) -> None:
    """Like `each`, but NaN results are no failure for infinite elements, and always a failure for NaN elements.

    `read` selects the used part of the first array, if only a part is used.
    """
    each(compute, *arrays)
    a, info = arrays[0] if read is None else read, arrays[-1]
    lost, infinite = np.isnan(a).any((-2, -1)), np.isinf(a).any((-2, -1))
    info[...] = np.where(infinite, 0, info) | lost
    if lost.any():
        arrays[-2][lost] = np.nan


def _each_one(compute: Callable[..., None], *arrays: np.ndarray) -> None:
    try:
        compute(*arrays[:-1])
    except FAILED:
        arrays[-2][...] = np.nan
        arrays[-1][...] = 1


@computes("eigh")
def eigh(a: np.ndarray, out: np.ndarray, info: np.ndarray, upper: bool) -> None:
    """Compute eigenvectors in columns, and below them the eigenvalues."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[..., -1, :], out[..., :-1, :] = np.linalg.eigh(a, "U" if upper else "L")

    each_finite(compute, a, out, info, read=np.triu(a) if upper else np.tril(a))


@computes("eigvalsh")
def eigvalsh(a: np.ndarray, out: np.ndarray, info: np.ndarray, upper: bool) -> None:
    """Compute eigenvalues of Hermitian matrices."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[...] = np.linalg.eigvalsh(a, "U" if upper else "L")

    each_finite(compute, a, out, info, read=np.triu(a) if upper else np.tril(a))


@computes("eig")
def eig(a: np.ndarray, out: np.ndarray, info: np.ndarray) -> None:
    """Compute eigenvectors in columns, and below them the eigenvalues."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[..., -1, :], out[..., :-1, :] = np.linalg.eig(a)

    each(compute, a, out, info)


@computes("eigvals")
def eigvals(a: np.ndarray, out: np.ndarray, info: np.ndarray) -> None:
    """Compute eigenvalues."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[...] = np.linalg.eigvals(a)

    each(compute, a, out, info)


@computes("svd")
def svd(a: np.ndarray, out: np.ndarray, info: np.ndarray, full: bool) -> None:
    """Compute U, V and S, one below the other."""
    m = a.shape[-2]

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        u, s, vh = np.linalg.svd(a, full)
        out[..., :m, : u.shape[-1]] = u
        out[..., m:-1, : vh.shape[-2]] = np.conj(np.swapaxes(vh, -1, -2))
        out[..., -1, : s.shape[-1]] = s

    out[...] = 0
    each_finite(compute, a, out, info)


@computes("svdvals")
def svdvals(a: np.ndarray, out: np.ndarray, info: np.ndarray) -> None:
    """Compute singular values."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[...] = np.linalg.svd(a, compute_uv=False)

    each_finite(compute, a, out, info)


@computes("qr")
def qr(a: np.ndarray, out: np.ndarray, complete: bool) -> None:
    """Compute Q, and below it R transposed."""
    m = a.shape[-2]
    q, r = np.linalg.qr(a, "complete" if complete else "reduced")
    out[..., :m, :], out[..., m:, :] = q, np.swapaxes(r, -1, -2)


@computes("qr_r")
def qr_r(a: np.ndarray, out: np.ndarray) -> None:
    """Compute R only."""
    out[...] = np.linalg.qr(a, "r")


@computes("pinv")
def pinv(a: np.ndarray, atol: np.ndarray, rtol: np.ndarray, out: np.ndarray, info: np.ndarray, hermitian: bool) -> None:
    """Compute pseudo-inverses."""
    if not out.size:
        info[...] = 0
        return
    atol, rtol = (np.broadcast_to(tolerance, info.shape) for tolerance in (atol, rtol))

    def compute(a: np.ndarray, atol: np.ndarray, rtol: np.ndarray, out: np.ndarray) -> None:
        if hermitian:
            s, u = np.linalg.eigh(a)
            vh = np.conj(np.swapaxes(u, -1, -2))
        else:
            u, s, vh = np.linalg.svd(a, full_matrices=False)
        size = np.abs(s)
        bound = np.maximum(atol, rtol * size.max(-1))[..., None]
        inverse = np.where(size > bound, 1 / np.where(size > bound, s, 1), np.where(np.isnan(size), size, 0))
        out[...] = np.conj(np.swapaxes(vh, -1, -2)) * inverse[..., None, :] @ np.conj(np.swapaxes(u, -1, -2))

    each_finite(compute, a, atol, rtol, out, info, read=np.tril(a) if hermitian else a)


PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
        670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)  # fmt: skip
EXPONENTIAL_NORM = 5.371920351148152
"""The greatest 1-norm of matrices whose exponential has double precision by `exponential_terms`."""


def exponential_terms(numpy: Any, a: Any) -> tuple[Any, Any]:
    """Return the odd and the even terms of a polynomial of degree 13, p, with `exp(a) = p(a) / p(-a)`.

    The quotient is the best rational approximation at 0, a Padé approximant (N. J. Higham, 2005).

    Arguments:
        numpy: NumPy, or another module with its functions.
        a: matrices of shape (..., n, n), float64 or complex128, of a norm up to `EXPONENTIAL_NORM`.

    >>> import numpy as np
    >>> odd, even = exponential_terms(np, np.array([[1.0]]))
    >>> bool(np.isclose(np.linalg.solve(even - odd, even + odd), np.e))
    True
    """
    identity, b = numpy.eye(a.shape[-1], dtype=a.dtype), PADE
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * identity)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * identity
    return odd, even


@computes("matrix_exp")
def matrix_exp(a: np.ndarray, out: np.ndarray) -> None:
    """Compute matrix exponentials in double precision, by scaling and squaring."""
    if not a.size:
        return
    a = a.astype(np.result_type(a.dtype, np.float64))
    size = np.abs(a).sum(-2).max(-1)
    usable = np.where(np.isfinite(size), size, 0)
    halvings = np.maximum(0, np.ceil(np.log2(np.maximum(usable, 1e-300) / EXPONENTIAL_NORM))).astype(int)
    a = a * (0.5**halvings)[..., None, None]
    odd, even = exponential_terms(np, a)
    good = np.isfinite(even).all((-2, -1)) & np.isfinite(odd).all((-2, -1))
    below = np.where(good[..., None, None], even - odd, np.eye(a.shape[-1]))
    result = np.where(good[..., None, None], np.linalg.solve(below, even + odd), np.nan)
    for step in range(int(halvings.max(initial=0))):
        result = np.where((halvings > step)[..., None, None], result @ result, result)
    out[...] = result
