"""Contracts of decompositions, inverses and systems of matrices: NumPy's LAPACK, and triangular systems in C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import complex64, complex128, float32, float64, int32

from .shapes import broadcast, is_flag

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import DType, Layout

    Shape = tuple[int, ...]

PRECISE = (float32, float64, complex64, complex128)
MOST_DIMS = 32  # of NumPy's arrays, in its older versions


def are_matrices(a: Layout) -> bool:
    """Whether a layout has matrices that LAPACK has routines for."""
    return 2 <= a.ndim <= MOST_DIMS and a.dtype in PRECISE


def _is(layout: Layout, shape: Shape, dtype: DType) -> bool:
    return layout.shape == shape and layout.dtype is dtype


def _has_info(info: Layout, batch: Shape) -> bool:
    return _is(info, batch, int32)


def _as_input(inputs: Any, outputs: Any, parameters: Any, flags: int) -> bool:
    """Square matrices to matrices, with `info` or without; and so many flags."""
    (a,), (o, *info) = inputs, outputs
    return (
        are_matrices(a)
        and a.shape[-1] == a.shape[-2]
        and _is(o, a.shape, a.dtype)
        and len(info) <= 1
        and all([_has_info(one, a.shape[:-2]) for one in info])
        and len(parameters) == flags
        and all([is_flag(one) for one in parameters])
    )


def factor(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Square matrices to triangular ones and `info`, and whether to upper ones."""
    return len(outputs) == 2 and _as_input(inputs, outputs, parameters, 1)


def inverse(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Square matrices to square ones and `info`."""
    return len(outputs) == 2 and _as_input(inputs, outputs, parameters, 0)


def function(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Square matrices to square ones."""
    return len(outputs) == 1 and _as_input(inputs, outputs, parameters, 0)


def function_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The gradient of such a function."""
    g, a = inputs
    return _is(g, a.shape, a.dtype) and function((a,), outputs, parameters)


def solve(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Systems, whose leading dimensions broadcast, to solutions and `info`."""
    (a, b), (x, info) = inputs, outputs
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    return (
        not parameters
        and are_matrices(a)
        and are_matrices(b)
        and a.shape[-1] == a.shape[-2] == b.shape[-2]
        and b.dtype is a.dtype
        and batch is not None
        and _is(x, (*batch, *b.shape[-2:]), a.dtype)
        and _has_info(info, batch)
    )


def triangular_solve(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Systems with triangular matrices, of which there may be one for all: the planner looks at dtypes."""
    (a, b), (x,), (upper, unit) = inputs, outputs, parameters
    return (
        is_flag(upper)
        and is_flag(unit)
        and a.ndim >= 2
        and b.ndim >= 2
        and a.shape[-1] == a.shape[-2] == b.shape[-2]
        and (a.ndim == 2 or a.shape[:-2] == b.shape[:-2])
        and x.shape == b.shape
    )


def determinant(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Square matrices to a number each; or to two, of which the first is real."""
    (a,), (*logarithm, o) = inputs, outputs
    batch = a.shape[:-2]
    return (
        not parameters
        and are_matrices(a)
        and a.shape[-1] == a.shape[-2]
        and _is(o, batch, a.dtype)
        and all([_is(one, batch, a.dtype.to_real()) for one in logarithm])
    )


def det(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Determinants."""
    return len(outputs) == 1 and determinant(inputs, outputs, parameters)


def slogdet(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Logarithms of determinants, and their signs."""
    return len(outputs) == 2 and determinant(inputs, outputs, parameters)


def lu_factor(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """L and U in one matrix, pivots, and `info`."""
    (a,), (o, pivots, info) = inputs, outputs
    *batch, m, n = a.shape
    return (
        not parameters
        and are_matrices(a)
        and _is(o, a.shape, a.dtype)
        and _is(pivots, (*batch, min(m, n)), int32)
        and _has_info(info, tuple(batch))
    )


def permutation(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Pivots, which NumPy looks at, to matrices."""
    (pivots,), (o,), (rows,) = inputs, outputs, parameters
    return (
        1 <= pivots.ndim < MOST_DIMS
        and pivots.dtype is int32
        and type(rows) is int
        and _is(o, (*pivots.shape[:-1], rows, rows), float32)
        and pivots.shape[-1] <= rows
    )


def _decomposed(made: Callable[..., tuple[Shape, DType]], square: bool, flags: int, with_info: bool = True) -> Any:
    """The contract of a decomposition, of which `made` says shape and dtype by the input's, and by the flags."""

    def decomposition(inputs: Any, outputs: Any, parameters: Any) -> bool:
        (a,), (o, *info) = inputs, outputs
        if not are_matrices(a) or (square and a.shape[-1] != a.shape[-2]):
            return False
        if len(parameters) != flags or not all([is_flag(one) for one in parameters]):
            return False
        *batch, m, n = a.shape
        last, dtype = made(m, n, a.dtype, *parameters)
        return (
            _is(o, (*batch, *last), dtype)
            and len(info) == with_info
            and all([_has_info(one, tuple(batch)) for one in info])
        )

    return decomposition


def pinv(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Pseudo-inverses; tolerances broadcast to the stack of matrices."""
    (a, *tolerances), (o, info), (hermitian,) = inputs, outputs, parameters
    *batch, m, n = a.shape
    return (
        is_flag(hermitian)
        and are_matrices(a)
        and (m == n or not hermitian)
        and len(tolerances) == 2
        and all([one.dtype is a.dtype.to_real() for one in tolerances])
        and all([broadcast(one.shape, tuple(batch)) == tuple(batch) for one in tolerances])
        and _is(o, (*batch, n, m), a.dtype)
        and _has_info(info, tuple(batch))
    )


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "cholesky_ex": factor,
    "inv_ex": inverse,
    "solve_ex": solve,
    "triangular_solve": triangular_solve,
    "det": det,
    "slogdet": slogdet,
    **dict.fromkeys(("adjugate", "matrix_exp"), function),
    "adjugate_grad": function_grad,
    "lu_factor_ex": lu_factor,
    "permutation_of": permutation,
    "eigh": _decomposed(lambda m, n, dtype, upper: ((n + 1, n), dtype), True, 1),
    "eigvalsh": _decomposed(lambda m, n, dtype, upper: ((n,), dtype.to_real()), True, 1),
    "eig": _decomposed(lambda m, n, dtype: ((n + 1, n), dtype.to_complex()), True, 0),
    "eigvals": _decomposed(lambda m, n, dtype: ((n,), dtype.to_complex()), True, 0),
    "svd": _decomposed(lambda m, n, dtype, full: ((m + n + 1, max(m, n) if full else min(m, n)), dtype), False, 1),
    "svdvals": _decomposed(lambda m, n, dtype: ((min(m, n),), dtype.to_real()), False, 0),
    "qr": _decomposed(lambda m, n, dtype, whole: ((m + n, m if whole else min(m, n)), dtype), False, 1, False),
    "qr_r": _decomposed(lambda m, n, dtype: ((min(m, n), n), dtype), False, 0, False),
    "pinv": pinv,
}
