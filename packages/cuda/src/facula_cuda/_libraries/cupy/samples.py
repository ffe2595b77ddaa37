"""Operands for comparisons of CuPy with the CPU, and what does not depend on free choices of the algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import int32

from ..adapters import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import DType

BATCH, N, M = 2, 4, 6  # square matrices are (N, N), others (M, N)
TOLERANCES = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-10, "complex128": 1e-10}


def adjoint(a: np.ndarray) -> np.ndarray:
    """Return the conjugate transpose."""
    return np.conj(np.swapaxes(a, -1, -2))


def sample_of(operator: str, dtype: DType) -> Sample:
    """Return the operands of an operator, its results and its parameters."""
    random = np.random.default_rng(7)

    def numbers(*shape: int) -> np.ndarray:
        real = random.uniform(-1, 1, shape)
        return real + 1j * random.uniform(-1, 1, shape) if dtype.is_complex else real

    square, tall = numbers(BATCH, N, N) + 3 * np.eye(N), numbers(BATCH, M, N)
    definite = square @ adjoint(square) + np.eye(N)
    info, like = ((BATCH,), int32), ((BATCH, N, N), dtype)
    real, complex_ = dtype.to_real() if dtype.is_complex else dtype, dtype.to_complex()
    spectrum, transform = ((BATCH, N), real), ((BATCH, N, N), complex_)
    half, zero = np.fft.rfftn(square.real, axes=(1, 2)), np.zeros(BATCH)
    found: dict[str, tuple[Sequence[np.ndarray], Sequence[Any], tuple[Any, ...]]] = {
        "cholesky_ex": ([definite], [like, info], (True,)),
        "inv_ex": ([square], [like, info], ()),
        "solve_ex": ([square, numbers(BATCH, N, 3)], [((BATCH, N, 3), dtype), info], ()),
        "triangular_solve": ([square, numbers(BATCH, N, 3)], [((BATCH, N, 3), dtype)], (True, False)),
        "det": ([square], [((BATCH,), dtype)], ()),
        "slogdet": ([square], [((BATCH,), real), ((BATCH,), dtype)], ()),
        "adjugate": ([square], [like], ()),
        "lu_factor_ex": ([square], [like, ((BATCH, N), int32), info], ()),
        "eigh": ([definite], [((BATCH, N + 1, N), dtype), info], (True,)),
        "eigvalsh": ([definite], [spectrum, info], (False,)),
        "eig": ([square], [((BATCH, N + 1, N), complex_), info], ()),
        "eigvals": ([square], [((BATCH, N), complex_), info], ()),
        "svd": ([tall], [((BATCH, M + N + 1, N), dtype), info], (False,)),
        "svdvals": ([tall], [spectrum, info], ()),
        "qr": ([tall], [((BATCH, M + N, N), dtype)], (False,)),
        "qr_r": ([tall], [like], ()),
        "pinv": ([tall, zero, zero + 1e-6], [((BATCH, N, M), dtype), info], (False,)),
        "matrix_exp": ([square], [like], ()),
        "fft_complex": ([square], [transform], ((1, 2), True, "ortho")),
        "fft_from_real": ([square], [((BATCH, N, N // 2 + 1), complex_)], ((1, 2), "backward")),
        "fft_to_real": ([half], [((BATCH, N, N), real)], ((1, 2), N, "forward")),
    }
    inputs, outputs, parameters = found[operator]
    others = {1: real, 2: real} if operator == "pinv" else {}  # of its tolerances
    invariant = INVARIANTS.get(operator)
    return Sample(inputs, outputs, dtype, parameters, TOLERANCES[dtype.name], invariant, others=others)


def _of_eigenvectors(packed: np.ndarray, info: np.ndarray) -> list[np.ndarray]:
    """Return V diag(w) V^-1, and the eigenvalues in an order of their own."""
    values, vectors = packed[..., -1, :], packed[..., :-1, :]
    return [(vectors * values[..., None, :]) @ np.linalg.inv(vectors), np.sort_complex(values), info]


def _of_eigenvalues(values: np.ndarray, info: np.ndarray) -> list[np.ndarray]:
    return [np.sort_complex(values), info]


def _of_singular_vectors(packed: np.ndarray, info: np.ndarray) -> list[np.ndarray]:
    """Return U S V^H, and S."""
    u, v, s = packed[..., :M, :], packed[..., M:-1, :], packed[..., -1, :]
    return [(u * s[..., None, :]) @ adjoint(v), s, info]


def _of_orthogonal_factors(packed: np.ndarray) -> list[np.ndarray]:
    """Return Q R, and Q^H Q."""
    q, r = packed[..., :M, :], np.swapaxes(packed[..., M:, :], -1, -2)
    return [q @ r, adjoint(q) @ q]


def _of_triangular_factor(r: np.ndarray) -> list[np.ndarray]:
    """Return R^H R, which is A^H A."""
    return [adjoint(r) @ r]


def _of_lower_and_upper_factors(packed: np.ndarray, pivots: np.ndarray, info: np.ndarray) -> list[np.ndarray]:
    """Return A, from L, U and the exchanges of rows."""
    product = (np.tril(packed, -1) + np.eye(N)) @ np.triu(packed)
    for matrix, rows in zip(product, pivots.real.astype(int) - 1, strict=True):
        for k, row in reversed(list(enumerate(rows))):
            matrix[[k, row]] = matrix[[row, k]]
    return [product, info]


INVARIANTS: dict[str, Callable[..., Sequence[np.ndarray]]] = {
    "eig": _of_eigenvectors,
    "eigh": _of_eigenvectors,
    "eigvals": _of_eigenvalues,
    "svd": _of_singular_vectors,
    "qr": _of_orthogonal_factors,
    "qr_r": _of_triangular_factor,
    "lu_factor_ex": _of_lower_and_upper_factors,
}
