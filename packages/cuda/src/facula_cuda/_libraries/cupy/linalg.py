"""Inverses, determinants and factors by CuPy, with the contract of facula_cpu's planners."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from .launches import computes

# `cp` is the module cupy; arrays are CuPy's: CuPy has no types for checkers.


def adjoint(cp: Any, a: Any) -> Any:
    """Return the conjugate transpose."""
    return cp.conj(cp.swapaxes(a, -1, -2))


@computes("cholesky_ex", checked=True)
def cholesky_ex(cp: Any, a: Any, factor: Any, info: Any, upper: bool) -> None:
    """Compute the factor from the triangle of `a` that `upper` selects; CuPy reads the lower one."""
    if upper:
        factor[...] = adjoint(cp, cp.linalg.cholesky(cp.ascontiguousarray(adjoint(cp, a))))
    else:
        factor[...] = cp.linalg.cholesky(a)
    info[...] = 0


@computes("inv_ex", checked=True)
def inv_ex(cp: Any, a: Any, inverse: Any, info: Any) -> None:
    """Compute the inverse."""
    inverse[...] = cp.linalg.inv(a)
    info[...] = 0


@computes("solve_ex", checked=True)
def solve_ex(cp: Any, a: Any, b: Any, solution: Any, info: Any) -> None:
    """Compute the solution; CuPy wants equal batches."""
    a = cp.ascontiguousarray(cp.broadcast_to(a, info.shape + a.shape[-2:]))
    b = cp.ascontiguousarray(cp.broadcast_to(b, info.shape + b.shape[-2:]))
    solution[...] = cp.linalg.solve(a, b)
    info[...] = 0


@computes("triangular_solve")
def triangular_solve(cp: Any, a: Any, b: Any, x: Any, upper: bool, unit: bool) -> None:
    """Compute X with A X = B; there may be one A for all B."""
    a = cp.broadcast_to(a, b.shape[:-2] + a.shape[-2:])
    solve = import_module("cupyx.scipy.linalg").solve_triangular
    x[...] = solve(a, b, lower=not upper, unit_diagonal=unit)


@computes("det")
def det(cp: Any, a: Any, out: Any) -> None:
    """Compute determinants."""
    out[...] = cp.linalg.det(a)


@computes("slogdet")
def slogdet(cp: Any, a: Any, logarithm: Any, sign: Any) -> None:
    """Compute logarithms of the magnitudes of determinants, and their signs."""
    sign[...], logarithm[...] = cp.linalg.slogdet(a)


@computes("adjugate", checked=True)
def adjugate(cp: Any, a: Any, out: Any) -> None:
    """Compute transposed cofactor matrices from singular values, so that singular matrices have them, too."""
    u, s, vh = cp.linalg.svd(a)
    first = cp.ones_like(s[..., :1])
    before = cp.cumprod(cp.concatenate([first, s[..., :-1]], -1), -1)
    after = cp.cumprod(cp.concatenate([first, s[..., :0:-1]], -1), -1)[..., ::-1]
    middle = (cp.linalg.det(u) * cp.linalg.det(vh))[..., None] * (before * after)
    out[...] = (adjoint(cp, vh) * middle[..., None, :]) @ adjoint(cp, u)


@computes("lu_factor_ex", checked=True)
def lu_factor_ex(cp: Any, a: Any, out: Any, pivots: Any, info: Any) -> None:
    """Compute L and U in one matrix, the source rows (from 1) of pivots, and the first zero pivot's position."""
    factor = import_module("cupyx.scipy.linalg").lu_factor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # for singular matrices, which `info` shows
        for place in np.ndindex(a.shape[:-2]):
            out[place], rows = factor(a[place], check_finite=False)
            pivots[place] = rows + 1
    zero = cp.diagonal(out, axis1=-2, axis2=-1) == 0
    info[...] = cp.where(zero.any(axis=-1), zero.argmax(axis=-1) + 1, 0)
