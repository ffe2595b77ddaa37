"""Planners of eigenvalues, singular values and orthogonal decompositions, by NumPy's LAPACK: see `_lapack.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._lapack import FAILED, computes, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable


def each(compute: Callable[..., None], *arrays: np.ndarray) -> None:
    """Compute all matrices at once; where one fails one by one, so that the others have their results.

    The last array is `info`, the one before it the result, which is NaN for matrices that fail: NumPy raises for
    some, and gives NaN for others.
    """
    out, info = arrays[-2:]
    try:
        compute(*arrays[:-1])
        info[...] = np.isnan(out).any(tuple(range(info.ndim, out.ndim)))
    except FAILED:
        info[...] = 0
        one_by_one(lambda *one: _each_one(compute, *one), *arrays)


def _each_one(compute: Callable[..., None], *arrays: np.ndarray) -> None:
    try:
        compute(*arrays[:-1])
    except FAILED:
        arrays[-2][...] = np.nan
        arrays[-1][...] = 1


@computes("eigh")
def eigh(a: np.ndarray, out: np.ndarray, info: np.ndarray, upper: bool) -> None:
    """Eigenvectors in columns, and below them the eigenvalues."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[..., -1, :], out[..., :-1, :] = np.linalg.eigh(a, "U" if upper else "L")

    each(compute, a, out, info)


@computes("eigvalsh")
def eigvalsh(a: np.ndarray, out: np.ndarray, info: np.ndarray, upper: bool) -> None:
    """Eigenvalues of Hermitian matrices."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[...] = np.linalg.eigvalsh(a, "U" if upper else "L")

    each(compute, a, out, info)


@computes("eig")
def eig(a: np.ndarray, out: np.ndarray, info: np.ndarray) -> None:
    """Eigenvectors in columns, and below them the eigenvalues."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[..., -1, :], out[..., :-1, :] = np.linalg.eig(a)

    each(compute, a, out, info)


@computes("eigvals")
def eigvals(a: np.ndarray, out: np.ndarray, info: np.ndarray) -> None:
    """Eigenvalues."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[...] = np.linalg.eigvals(a)

    each(compute, a, out, info)


@computes("svd")
def svd(a: np.ndarray, out: np.ndarray, info: np.ndarray, full: bool) -> None:
    """U, V and S, one below the other."""
    m = a.shape[-2]

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        u, s, vh = np.linalg.svd(a, full)
        out[..., :m, : u.shape[-1]] = u
        out[..., m:-1, : vh.shape[-2]] = np.conj(np.swapaxes(vh, -1, -2))
        out[..., -1, : s.shape[-1]] = s

    out[...] = 0
    each(compute, a, out, info)


@computes("svdvals")
def svdvals(a: np.ndarray, out: np.ndarray, info: np.ndarray) -> None:
    """Singular values."""

    def compute(a: np.ndarray, out: np.ndarray) -> None:
        out[...] = np.linalg.svd(a, compute_uv=False)

    each(compute, a, out, info)


@computes("qr")
def qr(a: np.ndarray, out: np.ndarray, complete: bool) -> None:
    """Q, and below it R transposed."""
    m = a.shape[-2]
    q, r = np.linalg.qr(a, "complete" if complete else "reduced")
    out[..., :m, :], out[..., m:, :] = q, np.swapaxes(r, -1, -2)


@computes("qr_r")
def qr_r(a: np.ndarray, out: np.ndarray) -> None:
    """R alone."""
    out[...] = np.linalg.qr(a, "r")
