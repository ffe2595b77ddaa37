"""Contracts of decompositions, inverses and linear systems: NumPy's LAPACK, and triangular systems in C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import complex64, complex128, float32, float64, int32

from .shapes import broadcast, is_flag

if TYPE_CHECKING:
    from facula_storage import Layout

    from .declared import Promise

PRECISE = (float32, float64, complex64, complex128)
MAX_DIMS = 32  # of NumPy's arrays, in older versions


def are_matrices(a: Layout) -> bool:
    """Return True for matrices with a dtype that LAPACK supports."""
    return 2 <= a.ndim <= MAX_DIMS and a.dtype in PRECISE


def matrices(inputs: Any, parameters: Any) -> bool:
    """Check for matrices, and flags."""
    return are_matrices(inputs[0]) and all([is_flag(parameter) for parameter in parameters])


def square(inputs: Any, parameters: Any) -> bool:
    """Check for square matrices, and flags."""
    return matrices(inputs, parameters) and inputs[0].shape[-1] == inputs[0].shape[-2]


def function_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the gradient of a function of square matrices."""
    g, a = inputs
    return g.shape == a.shape and g.dtype is a.dtype and square((a,), parameters)


def solve(inputs: Any, parameters: Any) -> bool:
    """Check for linear systems with leading dimensions that broadcast."""
    a, b = inputs
    return square((a,), ()) and are_matrices(b) and a.shape[-1] == b.shape[-2] and b.dtype is a.dtype


def triangular_solve(inputs: Any, parameters: Any) -> bool:
    """Check for triangular systems, possibly with one matrix for all: the planner checks dtypes."""
    a, b = inputs
    return (
        all([is_flag(parameter) for parameter in parameters])
        and min(a.ndim, b.ndim) >= 2
        and a.shape[-1] == a.shape[-2]
    )


def solve_factors(inputs: Any, parameters: Any) -> bool:
    """Check for factors of square matrices, with pivots and right-hand sides for each."""
    pivots, a, b = inputs
    return triangular_solve((a, b), parameters) and pivots.shape == a.shape[:-1] == b.shape[:-1]


def permutation(inputs: Any, parameters: Any) -> bool:
    """Check for pivots, which NumPy validates, to be converted to matrices."""
    (pivots,), (rows,) = inputs, parameters
    return 1 <= pivots.ndim < MAX_DIMS and pivots.dtype is int32 and type(rows) is int and pivots.shape[-1] <= rows


def pinv(inputs: Any, parameters: Any) -> bool:
    """Check for pseudo-inverses, with tolerances that broadcast to the stack of matrices."""
    (a, *tolerances), (hermitian,) = inputs, parameters
    batch = a.shape[:-2]
    return (
        (square if hermitian else matrices)((a,), parameters)
        and all([tolerance.dtype is a.dtype.to_real() for tolerance in tolerances])
        and all([broadcast(tolerance.shape, batch) == batch for tolerance in tolerances])
    )


PROMISES: dict[str, Promise] = {
    **dict.fromkeys("adjugate cholesky_ex det eig eigh eigvals eigvalsh inv_ex matrix_exp slogdet".split(), square),
    **dict.fromkeys("lu_factor_ex qr qr_r svd svdvals".split(), matrices),
    "adjugate_grad": function_grad,
    "solve_ex": solve,
    "triangular_solve": triangular_solve,
    "solve_factors": solve_factors,
    "permutation_of": permutation,
    "pinv": pinv,
}
