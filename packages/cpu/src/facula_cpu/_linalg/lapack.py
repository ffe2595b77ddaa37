"""Planners of decompositions: NumPy's LAPACK, on the memory of tensors.

A launch wraps its addresses in arrays, without a copy, and NumPy releases the GIL while LAPACK runs. LAPACK receives
copies of the operands, so concurrent writes by other threads cannot corrupt its work.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import Plan

from .._kernels import ffi
from .._runtime.planners import no_kernel, planner

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters

FAILED = np.linalg.LinAlgError


def array_at(layout: Layout, address: int) -> np.ndarray:
    """Return the array of the elements at `address` in the given layout."""
    dtype = layout.dtype.numpy
    if not layout.numel:
        return np.empty(layout.shape, dtype)
    memory = ffi.buffer(ffi.cast("char *", address), layout.extent)
    return np.ndarray(layout.shape, dtype, memory, 0, [step * layout.dtype.itemsize for step in layout.strides])


def computes(*operators: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a function of arrays (inputs, outputs to fill) and parameters a planner."""

    def register(compute: Callable[..., None]) -> Callable[..., None]:
        @planner(*operators)
        def plan(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
            layouts = (*inputs, *outputs)
            if any([layout.dtype.numpy is None or not layout.dtype.promotes for layout in layouts]):
                raise no_kernel(operator, inputs, outputs)

            def launch(n: int, *addresses: int) -> None:
                arrays = [array_at(layout, address) for layout, address in zip(layouts, addresses, strict=True)]
                with np.errstate(all="ignore"):
                    compute(*arrays, *parameters)

            return Plan(operator, parameters, outputs, launch)

        return compute

    return register


def one_by_one(compute: Callable[..., object], *arrays: np.ndarray) -> None:
    """Call `compute` with each matrix of the stacks in turn; scalars of a stack are arrays without dimensions.

    All arrays have the leading dimensions of the last array (`info`), which has no other dimensions.
    """
    for place in np.ndindex(arrays[-1].shape):
        compute(*[array[(*place, ...)] for array in arrays])


@computes("cholesky_ex")
def cholesky_ex(a: np.ndarray, factor: np.ndarray, info: np.ndarray, upper: bool) -> None:
    """Compute the factor, and the order of the first leading minor that is not positive definite."""
    info[...] = 0
    try:
        factor[...] = np.linalg.cholesky(a, upper=upper)
        lost = np.isnan(np.diagonal(factor, axis1=-2, axis2=-1))  # some builds of LAPACK refuse it
        if lost.any():
            info[...] = np.where(lost.any(-1), lost.argmax(-1) + 1, 0)
            factor[info > 0] = np.nan
    except FAILED:
        one_by_one(partial(_one_factor, upper), a, factor, info)


def _one_factor(upper: bool, a: np.ndarray, factor: np.ndarray, info: np.ndarray) -> None:
    try:
        factor[...] = np.linalg.cholesky(a, upper=upper)
        if np.isnan(np.diagonal(factor)).any():
            raise FAILED
    except FAILED:
        good, bad = 0, len(a)  # orders of leading minors
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                part = np.linalg.cholesky(a[:middle, :middle], upper=upper)
                good, bad = (good, middle) if np.isnan(np.diagonal(part)).any() else (middle, bad)
            except FAILED:
                bad = middle
        factor[...] = np.nan
        info[...] = bad


# ---------------------------------------------------------------------------------- inverses and determinants
@computes("inv_ex")
def inv_ex(a: np.ndarray, inverse: np.ndarray, info: np.ndarray) -> None:
    """Compute the inverse, and the position (from 1) of the first pivot that is 0."""
    info[...] = 0
    try:
        inverse[...] = np.linalg.inv(a)
    except FAILED:
        one_by_one(_one_inverse, a, inverse, info)
    if np.isnan(a).any():
        inverse[lost_pivots(a)] = np.nan


def lost_pivots(a: np.ndarray) -> np.ndarray:
    """Return whether elimination has a NaN pivot: LAPACK then returns some numbers, all of them meaningless."""
    pivots = np.diagonal(factored(np.array(a))[0], axis1=-2, axis2=-1)
    return np.isnan(pivots).any(-1)


def _one_inverse(a: np.ndarray, inverse: np.ndarray, info: np.ndarray) -> None:
    try:
        inverse[...] = np.linalg.inv(a)
    except FAILED:
        inverse[...] = np.nan
        info[...] = zero_pivot(a)


def zero_pivot(a: np.ndarray) -> int:
    """Return the position (from 1) of the first pivot that is 0; the last one if rounding hides it."""
    _, _, info = factored(np.array(a))
    return int(info) or len(a)


@computes("solve_ex")
def solve_ex(a: np.ndarray, b: np.ndarray, solution: np.ndarray, info: np.ndarray) -> None:
    """Compute the solution, and the position (from 1) of the first pivot that is 0."""
    info[...] = 0
    try:
        solution[...] = np.linalg.solve(a, b)
    except FAILED:
        matrices, sides = np.broadcast_to(a, info.shape + a.shape[-2:]), np.broadcast_to(b, info.shape + b.shape[-2:])
        one_by_one(_one_solution, matrices, sides, solution, info)
    if np.isnan(a).any():
        solution[np.broadcast_to(lost_pivots(a), info.shape)] = np.nan


def _one_solution(a: np.ndarray, b: np.ndarray, solution: np.ndarray, info: np.ndarray) -> None:
    try:
        solution[...] = np.linalg.solve(a, b)
    except FAILED:
        solution[...] = np.nan
        info[...] = zero_pivot(a)


@computes("det")
def det(a: np.ndarray, out: np.ndarray) -> None:
    """Compute determinants."""
    out[...] = np.linalg.det(a)


@computes("slogdet")
def slogdet(a: np.ndarray, logarithm: np.ndarray, sign: np.ndarray) -> None:
    """Compute logarithms of the magnitudes of determinants, and their signs."""
    sign[...], logarithm[...] = np.linalg.slogdet(a)


@computes("adjugate")
def adjugate(a: np.ndarray, out: np.ndarray) -> None:
    """Compute transposed cofactor matrices: det(A) A^-1, equally accurate if A is nearly singular."""
    try:
        inverse = np.linalg.inv(a)
        condition = np.linalg.norm(a, 1, (-2, -1)) * np.linalg.norm(inverse, 1, (-2, -1))
        if (condition < np.finfo(a.dtype).eps ** -0.5).all():
            out[...] = np.linalg.det(a)[..., None, None] * inverse
            return
    except FAILED:
        pass
    u, s, vh = _singular(a)
    middle = (np.linalg.det(u) * np.linalg.det(vh))[..., None] * others(s)
    out[...] = (adjoint(vh) * middle[..., None, :]) @ adjoint(u)


@computes("adjugate_grad")
def adjugate_grad(g: np.ndarray, a: np.ndarray, out: np.ndarray) -> None:
    """Compute the derivative of sum(g adj(A)) from second-order minors: at S, with A = U S V^H, they are products."""
    u, s, vh = _singular(a)
    diagonal = np.eye(a.shape[-1], dtype=bool)
    pairs = others(np.where(diagonal, 1, s[..., None, :]))  # in row i the products of all elements except i and j
    pairs = np.where(diagonal, 0, pairs)
    inner = vh.conj() @ g @ u.conj()
    on_diagonal = pairs @ np.diagonal(inner, axis1=-2, axis2=-1)[..., None]
    slope = np.where(diagonal, on_diagonal, -pairs * inner)
    out[...] = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None] * (u.conj() @ slope @ vh.conj())


def _singular(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the singular value decomposition; NaN if it does not converge."""
    try:
        return np.linalg.svd(a)
    except FAILED:
        nothing = np.full_like(a, np.nan)
        return nothing, np.real(nothing[..., 0]), nothing


def others(s: np.ndarray) -> np.ndarray:
    """Return, for each element of a line, the product of all others."""
    first = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([first, s[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([first, s[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after


def adjoint(a: np.ndarray) -> np.ndarray:
    """Return the conjugate transpose."""
    return np.conj(np.swapaxes(a, -1, -2))


# ------------------------------------------------------------------------------------------------- elimination
PANEL = 32  # columns that are eliminated one by one, before matrix products update all others


def factored(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eliminate with row exchanges in `a` itself (..., m, n), which becomes L below the diagonal, and U.

    Return the source row (from 0) of each pivot, and the position (from 1) of the first pivot that is 0.
    """
    *batch, m, n = a.shape
    steps = min(m, n)
    rows = np.zeros((*batch, steps), np.int32)
    if a.size:
        if a.ndim > 2:
            for place in np.ndindex(*batch):
                _eliminate(a[place], rows[place])
        else:
            _eliminate(a, rows)
    pivots = np.diagonal(a, axis1=-2, axis2=-1)
    zero = pivots == 0
    info = np.where(zero.any(-1), zero.argmax(-1) + 1, 0) if steps else np.zeros(batch)
    return a, rows, info.astype(np.int32)


def _eliminate(a: np.ndarray, rows: np.ndarray) -> None:
    m, n = a.shape
    steps = len(rows)
    for start in range(0, steps, PANEL):
        end = min(start + PANEL, steps)
        for k in range(start, end):
            row = k + int(np.abs(a[k:, k]).argmax())
            rows[k] = row
            if row != k:
                a[[k, row]] = a[[row, k]]
            pivot = a[k, k]
            if pivot != 0 and k + 1 < m:
                a[k + 1 :, k] /= pivot
                if k + 1 < end:
                    a[k + 1 :, k + 1 : end] -= a[k + 1 :, k, None] * a[k, k + 1 : end]
        if end < n:
            for k in range(start + 1, end):
                a[k, end:] -= a[k, start:k] @ a[start:k, end:]
            if end < m:
                a[end:, end:] -= a[end:, start:end] @ a[start:end, end:]


@computes("lu_factor_ex")
def lu_factor_ex(a: np.ndarray, out: np.ndarray, pivots: np.ndarray, info: np.ndarray) -> None:
    """Compute L and U in one matrix, the source rows (from 1) of pivots, and the first zero pivot's position."""
    out[...] = a
    _, rows, found = factored(out)
    pivots[...], info[...] = rows + 1, found


@computes("permutation_of")
def permutation_of(pivots: np.ndarray, out: np.ndarray, rows: int) -> None:
    """Return the matrices that undo the row exchanges of elimination; pivots count from 1."""
    out[...] = 0
    for place in np.ndindex(pivots.shape[:-1]):
        order = np.arange(rows)
        for k, pivot in enumerate(pivots[place] - 1):
            order[[k, pivot]] = order[[pivot, k]]  # NumPy refuses values out of range
        out[place][order, np.arange(rows)] = 1
