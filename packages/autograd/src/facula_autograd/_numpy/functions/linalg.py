"""Linear algebra, including stacks of matrices.

`cholesky`, `eigh` and `eigvalsh` read one triangle of a matrix, which they assume to be symmetric (Hermitian). Their
gradient is symmetric, as in PyTorch. The derivative of `slogdet` assumes an invertible matrix.
"""

from __future__ import annotations

from functools import reduce

from ..arrays import is_complex
from ..variable import operand
from .reductions import axes_of, reduction, two_norm
from .table import FUNCTION_REMEDY, conj, gradients, implements, np, operator, plain, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..._types import Array
    from ..variable import Variable
    from .reductions import Axis

L = np.linalg


def _h(x: Array) -> Array:
    """Return the conjugate transpose."""
    return conj(np.swapaxes(x, -1, -2))


def _cofactors(x: Array) -> Array:
    """Return the derivative of the determinant, also for singular matrices, where it is expensive."""
    n = int(np.shape(x)[-1])
    minors = [[L.det(np.delete(np.delete(x, i, -2), j, -1)) * (-1) ** (i + j) for j in range(n)] for i in range(n)]
    return conj(np.stack([np.stack(row, -1) for row in minors], -2))


def _named(like: object, *results: Array) -> object:
    """Return results in NumPy's named tuple, of which `like` is an instance."""
    make: Callable[..., object] = type(like)
    return make(*results)


def _symmetric(x: Array) -> Array:
    return (x + _h(x)) / 2


def _cells(g: Array) -> Array:
    """Return one number for each matrix as matrices with one element."""
    return np.reshape(g, np.shape(g) + (1, 1))


# ---- inverses and determinants

gradients(L.inv, lambda g, y, x: -_h(y) @ g @ _h(y))
gradients(L.det, lambda g, y, x: _cells(g * conj(y)) * _h(L.inv(x)) if np.all(y != 0) else _cells(g) * _cofactors(x))
_logabsdet = operator(lambda x: L.slogdet(x)[1], lambda k, g, y, x: _cells(g) * _h(L.inv(x)), "slogdet")


@implements(L.slogdet)
def slogdet(a: Variable) -> object:
    if is_complex(a.value):
        raise refusal(L.slogdet, "the sign of a complex determinant", "use numpy.linalg.det")
    result = L.slogdet(a.value)
    return _named(result, operand(result[0]), _logabsdet(a))


def _by_matrix(k: int, g: Array, y: Array, a: Array, b: Array) -> Array:
    h = L.solve(_h(a), g)
    return h if k else -h @ _h(y)


_solve = operator(L.solve, _by_matrix)


@implements(L.solve)
def solve(a: Array, b: Array) -> Array:
    b = operand(b)
    return _solve(a, b) if b.ndim > 1 else _solve(a, b[:, None])[..., 0]


@implements(L.matrix_power)
def matrix_power(a: Variable, n: int) -> Array:
    if n == 0:
        return operand(L.matrix_power(a.value, 0))
    matmul: Callable[[Array, Array], Array] = np.matmul
    factors: list[Array] = [L.inv(a) if n < 0 else a] * abs(n)
    return reduce(matmul, factors)


@implements(L.multi_dot)
def multi_dot(arrays: Iterable[object], *, out: None = None) -> Array:
    dot: Callable[[Array, Array], Array] = np.dot
    factors: list[Array] = [operand(a) for a in arrays]
    return reduce(dot, factors)


# ---- factors of symmetric matrices


def _by_lower(g: Array, y: Array, a: Array) -> Array:
    inner: Array = np.tril(_h(y) @ g)
    inner = inner - np.eye(np.shape(a)[-1], dtype=plain(y).dtype) * inner / 2
    return _symmetric(L.solve(_h(y), _h(L.solve(_h(y), _h(inner)))))


_cholesky = gradients(L.cholesky, _by_lower)


@implements(L.cholesky)
def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    return _h(_cholesky(_h(a))) if upper else _cholesky(a)


def _by_eigenvalues(k: int, g: Array, y: Array, a: Array, UPLO: str) -> Array:
    v = L.eigh(a, UPLO)[1]
    return _symmetric((v * np.expand_dims(g, -2)) @ _h(v))


def _by_eigenvectors(k: int, g: Array, y: Array, a: Array, UPLO: str) -> Array:
    w = L.eigvalsh(a, UPLO)
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    inner = (_h(y) @ g) / np.where(np.eye(np.shape(w)[-1], dtype=bool), np.inf, gaps)
    return _symmetric(y @ inner @ _h(y))


_eigenvalues = operator(lambda a, UPLO: L.eigh(a, UPLO)[0], _by_eigenvalues, "eigvalsh")
_eigenvectors = operator(lambda a, UPLO: L.eigh(a, UPLO)[1], _by_eigenvectors, "eigh")


@implements(L.eigvalsh)
def eigvalsh(a: Array, UPLO: str = "L") -> Array:
    return _eigenvalues(a, UPLO=UPLO)


@implements(L.eigh)
def eigh(a: Array, UPLO: str = "L") -> object:
    return _named(L.eigh(np.eye(1)), _eigenvalues(a, UPLO=UPLO), _eigenvectors(a, UPLO=UPLO))


# ---- norms


@implements(L.norm)
def norm(x: Array, ord: float | str | None = None, axis: Axis = None, keepdims: bool = False) -> Array:
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


def _vector_norm(x: Array, ord: float | str, axes: tuple[int, ...], keepdims: bool) -> Array:
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(size, axis=axes, keepdims=keepdims)
    if isinstance(ord, str) or ord == 0:
        raise refusal(L.norm, f"ord={ord!r} over one axis", FUNCTION_REMEDY)
    return _p_norm(x, axis=axes, keepdims=keepdims, ord=ord)


@implements(L.vector_norm)
def vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: float | str = 2) -> Array:
    axes = axes_of(axis, x.ndim)
    return two_norm(x, axis=axes, keepdims=keepdims) if ord == 2 else _vector_norm(x, ord, axes, keepdims)


@implements(L.matrix_norm)
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | str = "fro") -> Array:
    return norm(x, ord, (-2, -1), keepdims)
