"""Eigenvalues, singular values, orthogonal factors and matrix exponentials by CuPy."""

from __future__ import annotations

from typing import Any

from facula_cpu.extend import EXPONENTIAL_NORM, exponential_terms

from .launches import computes
from .linalg import adjoint


@computes("eigh", checked=True)
def eigh(cp: Any, a: Any, out: Any, info: Any, upper: bool) -> None:
    """Compute eigenvectors in columns, and below them the eigenvalues."""
    out[..., -1, :], out[..., :-1, :] = cp.linalg.eigh(a, "U" if upper else "L")
    info[...] = 0


@computes("eigvalsh", checked=True)
def eigvalsh(cp: Any, a: Any, out: Any, info: Any, upper: bool) -> None:
    """Compute eigenvalues of Hermitian matrices."""
    out[...] = cp.linalg.eigvalsh(a, "U" if upper else "L")
    info[...] = 0


@computes("eig", checked=True)
def eig(cp: Any, a: Any, out: Any, info: Any) -> None:
    """Compute eigenvectors in columns, and below them the eigenvalues."""
    out[..., -1, :], out[..., :-1, :] = cp.linalg.eig(a)
    info[...] = 0


@computes("eigvals", checked=True)
def eigvals(cp: Any, a: Any, out: Any, info: Any) -> None:
    """Compute eigenvalues."""
    out[...] = cp.linalg.eigvals(a)
    info[...] = 0


@computes("svd", checked=True)
def svd(cp: Any, a: Any, out: Any, info: Any, full: bool) -> None:
    """Compute U, V and S, one below the other."""
    m = a.shape[-2]
    u, s, vh = cp.linalg.svd(a, full)
    out[...] = 0
    out[..., :m, : u.shape[-1]] = u
    out[..., m:-1, : vh.shape[-2]] = adjoint(cp, vh)
    out[..., -1, : s.shape[-1]] = s
    info[...] = 0


@computes("svdvals", checked=True)
def svdvals(cp: Any, a: Any, out: Any, info: Any) -> None:
    """Compute singular values."""
    out[...] = cp.linalg.svd(a, compute_uv=False)
    info[...] = 0


@computes("qr", checked=True)
def qr(cp: Any, a: Any, out: Any, complete: bool) -> None:
    """Compute Q, and below it R transposed."""
    m = a.shape[-2]
    q, r = cp.linalg.qr(a, "complete" if complete else "reduced")
    out[..., :m, :], out[..., m:, :] = q, cp.swapaxes(r, -1, -2)


@computes("qr_r", checked=True)
def qr_r(cp: Any, a: Any, out: Any) -> None:
    """Compute R only."""
    out[...] = cp.linalg.qr(a, "r")


@computes("pinv", checked=True)
def pinv(cp: Any, a: Any, atol: Any, rtol: Any, out: Any, info: Any, hermitian: bool) -> None:
    """Compute pseudo-inverses without singular values up to a tolerance."""
    if hermitian:
        s, u = cp.linalg.eigh(a)
        v = u
    else:
        u, s, vh = cp.linalg.svd(a, False)
        v = adjoint(cp, vh)
    size = cp.abs(s)
    atol, rtol = (cp.broadcast_to(tolerance, info.shape) for tolerance in (atol, rtol))
    kept = size > cp.maximum(atol, rtol * size.max(axis=-1))[..., None]
    inverse = cp.where(kept, 1 / cp.where(kept, s, 1), 0)
    out[...] = v * inverse[..., None, :] @ adjoint(cp, u)
    info[...] = 0


@computes("matrix_exp", checked=True)
def matrix_exp(cp: Any, a: Any, out: Any) -> None:
    """Compute matrix exponentials in double precision, by scaling and squaring."""
    a = a.astype("complex128" if a.dtype.kind == "c" else "float64")
    size = cp.maximum(cp.abs(a).sum(axis=-2).max(axis=-1), 1e-300)
    halvings = cp.maximum(cp.ceil(cp.log2(size / EXPONENTIAL_NORM)), 0)
    a = a * cp.exp2(-halvings)[..., None, None]
    odd, even = exponential_terms(cp, a)
    result = cp.linalg.solve(even - odd, even + odd)
    for step in range(int(halvings.max())):
        result = cp.where((halvings > step)[..., None, None], result @ result, result)
    out[...] = result
