"""Linear algebra, of stacks of matrices, too.

`cholesky`, `eigh` and `eigvalsh` read one triangle of a matrix that they take to be symmetric (Hermitian), and their
gradient is symmetric, as PyTorch's. The derivative of `slogdet` is that of an invertible matrix.
"""

from __future__ import annotations

from functools import reduce

from .._arrays import is_complex
from .._variable import operand
from ._reductions import axes_of, reduction, two_norm
from ._table import FUNCTION_REMEDY, conj, gradients, implements, np, operator, plain, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

L = np.linalg


def _h(x: Any) -> Any:
    """The conjugate transpose."""
    return conj(np.swapaxes(x, -1, -2))


def _cofactors(x: Any) -> Any:
    """The derivative of the determinant, of singular matrices, too: much work."""
    n = np.shape(x)[-1]
    minors = [[L.det(np.delete(np.delete(x, i, -2), j, -1)) * (-1) ** (i + j) for j in range(n)] for i in range(n)]
    return conj(np.stack([np.stack(row, -1) for row in minors], -2))


def _symmetric(x: Any) -> Any:
    return (x + _h(x)) / 2


def _cells(g: Any) -> Any:
    """One number for each matrix, as matrices of one element."""
    return np.reshape(g, np.shape(g) + (1, 1))


# ---- inverses and determinants

gradients(L.inv, lambda g, y, x: -_h(y) @ g @ _h(y))
gradients(L.det, lambda g, y, x: _cells(g * conj(y)) * _h(L.inv(x)) if np.all(y != 0) else _cells(g) * _cofactors(x))
_logabsdet = operator(lambda x: L.slogdet(x)[1], lambda k, g, y, x: _cells(g) * _h(L.inv(x)), "slogdet")


@implements(L.slogdet)
def slogdet(a: Any) -> Any:
    if is_complex(a.value):
        raise refusal(L.slogdet, "the sign of a complex determinant", "Use numpy.linalg.det")
    plain_result = L.slogdet(a.value)
    return type(plain_result)(operand(plain_result.sign), _logabsdet(a))


def _by_matrix(k: int, g: Any, y: Any, a: Any, b: Any) -> Any:
    h = L.solve(_h(a), g)
    return h if k else -h @ _h(y)


_solve = operator(L.solve, _by_matrix)


@implements(L.solve)
def solve(a: Any, b: Any) -> Any:
    b = operand(b)
    return _solve(a, b) if b.ndim > 1 else _solve(a, b[:, None])[..., 0]


@implements(L.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    if n == 0:
        return operand(L.matrix_power(a.value, 0))
    return reduce(np.matmul, [L.inv(a) if n < 0 else a] * abs(n))


@implements(L.multi_dot)
def multi_dot(arrays: Any, *, out: None = None) -> Any:
    return reduce(np.dot, [operand(a) for a in arrays])


# ---- factors of symmetric matrices


def _by_lower(g: Any, y: Any, a: Any) -> Any:
    inner = np.tril(_h(y) @ g)
    inner = inner - np.eye(np.shape(a)[-1], dtype=plain(y).dtype) * inner / 2
    return _symmetric(L.solve(_h(y), _h(L.solve(_h(y), _h(inner)))))


_cholesky = gradients(L.cholesky, _by_lower)


@implements(L.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    return _h(_cholesky(_h(a))) if upper else _cholesky(a)


def _by_eigenvalues(k: int, g: Any, y: Any, a: Any, UPLO: str) -> Any:
    v = L.eigh(a, UPLO)[1]
    return _symmetric((v * np.expand_dims(g, -2)) @ _h(v))


def _by_eigenvectors(k: int, g: Any, y: Any, a: Any, UPLO: str) -> Any:
    w = L.eigvalsh(a, UPLO)
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    inner = (_h(y) @ g) / np.where(np.eye(np.shape(w)[-1], dtype=bool), np.inf, gaps)
    return _symmetric(y @ inner @ _h(y))


_eigenvalues = operator(lambda a, UPLO: L.eigh(a, UPLO)[0], _by_eigenvalues, "eigvalsh")
_eigenvectors = operator(lambda a, UPLO: L.eigh(a, UPLO)[1], _by_eigenvectors, "eigh")


@implements(L.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return _eigenvalues(a, UPLO=UPLO)


@implements(L.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    kind = type(L.eigh(np.eye(1)))
    return kind(_eigenvalues(a, UPLO=UPLO), _eigenvectors(a, UPLO=UPLO))


# ---- norms


@implements(L.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord is None and axis is None:
        axes = tuple(range(x.ndim))
    else:
        axes = axes_of(axis, x.ndim)
    if ord is None or (len(axes) == 1 and ord == 2) or (len(axes) == 2 and ord == "fro"):
        return two_norm(x, axis=axes, keepdims=keepdims)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes, keepdims)
    if len(axes) == 2 and ord in (1, -1, np.inf, -np.inf):
        summed, reduced = axes if abs(ord) == 1 else axes[::-1]
        sums = np.sum(np.abs(x), axis=summed, keepdims=True)
        y = (np.max if ord > 0 else np.min)(sums, axis=reduced, keepdims=True)
        return y if keepdims else np.squeeze(y, axes)
    raise refusal(L.norm, f"ord={ord!r} over {len(axes)} axes", FUNCTION_REMEDY)


_p_norm = reduction(
    lambda x, axis, keepdims, ord: np.sum(np.abs(x) ** ord, axis=axis, keepdims=keepdims) ** (1 / ord),
    lambda g, y, x, n, ord: g * np.sign(x) * (np.abs(x) / np.where(y == 0, 1, y)) ** (ord - 1),
    "norm",
)


def _vector_norm(x: Any, ord: Any, axes: tuple, keepdims: bool) -> Any:
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(size, axis=axes, keepdims=keepdims)
    if isinstance(ord, str) or ord == 0:
        raise refusal(L.norm, f"ord={ord!r} over one axis", FUNCTION_REMEDY)
    return _p_norm(x, axis=axes, keepdims=keepdims, ord=ord)


@implements(L.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    axes = axes_of(axis, x.ndim)
    return two_norm(x, axis=axes, keepdims=keepdims) if ord == 2 else _vector_norm(x, ord, axes, keepdims)


@implements(L.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return norm(x, ord, (-2, -1), keepdims)
