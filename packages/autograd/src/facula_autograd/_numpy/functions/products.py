"""Products of vectors, matrices and more."""

from __future__ import annotations

from math import prod as size_of

from facula_errors import InvalidValueError

from ..variable import Variable, operand, recorded_ops
from .table import FUNCTIONS, conj, implements, np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._types import Array

    Axes = int | Sequence[int]


def _array(x: Array) -> Array:
    """Return `x` as an array: these functions treat Python numbers as arrays, which take part in dtype promotion."""
    return x if isinstance(x, Variable) else operand(np.asarray(x))


@implements(np.dot)
def dot(a: Array, b: Array, out: None = None) -> Array:
    a, b = _array(a), _array(b)
    left, right = len(a.shape), len(b.shape)
    if not left or not right:
        return a * b
    return recorded_ops.matmul(a, b) if left < 3 > right else tensordot(a, b, (-1, max(-2, -right)))


@implements(np.inner)
def inner(a: Array, b: Array, /) -> Array:
    a, b = _array(a), _array(b)
    return tensordot(a, b, (-1, -1)) if a.ndim and b.ndim else a * b


@implements(np.outer)
def outer(a: Array, b: Array, out: None = None) -> Array:
    return np.ravel(operand(a))[:, None] * np.ravel(operand(b))[None, :]


@implements(np.linalg.outer)
def linalg_outer(x1: Array, x2: Array, /) -> Array:
    return outer(x1, x2)


@implements(np.vdot)
def vdot(a: Array, b: Array, /) -> Array:
    return np.ravel(conj(operand(a))) @ np.ravel(operand(b))


@implements(np.vecdot, np.linalg.vecdot)
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1, keepdims: bool = False) -> Array:
    return np.sum(conj(operand(x1)) * x2, axis=axis, keepdims=keepdims)


if hasattr(np, "matvec"):  # NumPy 2.2
    FUNCTIONS[np.matvec] = lambda x1, x2, /: (operand(x1) @ operand(x2)[..., None])[..., 0]
    FUNCTIONS[np.vecmat] = lambda x1, x2, /: (conj(operand(x1))[..., None, :] @ operand(x2))[..., 0, :]

FUNCTIONS[np.linalg.matmul] = lambda x1, x2, /: np.matmul(x1, x2)


def tensordot(a: object, b: object, axes: int | tuple[Axes, Axes] = 2) -> Array:
    a, b = operand(a), operand(b)
    along: tuple[Axes, Axes] = (range(-axes, 0), range(axes)) if isinstance(axes, (int, np.integer)) else axes
    over_a, over_b = _listed(along[0], a.ndim), _listed(along[1], b.ndim)
    if [a.shape[k] for k in over_a] != [b.shape[k] for k in over_b]:
        raise InvalidValueError(
            f"numpy.tensordot: expected axes of equal lengths; got axes {over_a} of shape {a.shape} and "
            f"{over_b} of {b.shape}"
        )
    left, right = ([k for k in range(x.ndim) if k not in over] for x, over in ((a, over_a), (b, over_b)))
    rows, columns = [a.shape[k] for k in left], [b.shape[k] for k in right]
    n = size_of(a.shape[k] for k in over_a)
    a = np.reshape(np.transpose(a, left + over_a), (size_of(rows), n))
    b = np.reshape(np.transpose(b, over_b + right), (n, size_of(columns)))
    return np.reshape(a @ b, rows + columns)


def _listed(axes: Axes, ndim: int) -> list[int]:
    return [k % ndim for k in ([axes] if isinstance(axes, (int, np.integer)) else axes)]


FUNCTIONS[np.tensordot] = tensordot
FUNCTIONS[np.linalg.tensordot] = lambda x1, x2, /, *, axes=2: tensordot(x1, x2, axes)


@implements(np.kron)
def kron(a: Array, b: Array) -> Array:
    a, b = operand(a), operand(b)
    ndim = max(a.ndim, b.ndim)
    shape_a, shape_b = ((1,) * (ndim - x.ndim) + x.shape for x in (a, b))
    a = np.reshape(a, [n for m in shape_a for n in (m, 1)])
    b = np.reshape(b, [n for m in shape_b for n in (1, m)])
    return np.reshape(a * b, [m * n for m, n in zip(shape_a, shape_b, strict=True)])


@implements(np.cross, np.linalg.cross)
def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(operand(a), axisa, 0), np.moveaxis(operand(b), axisb, 0)
    if len(a) != 3 or len(b) != 3:
        raise InvalidValueError(f"numpy.cross: expected vectors of 3 elements; got {len(a)} and {len(b)}")
    return np.stack([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))], axisc)


@implements(np.convolve)
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    a, v = operand(a), operand(v)
    if len(v) > len(a):
        a, v = v, a
    m = len(v) - 1
    y = np.lib.stride_tricks.sliding_window_view(np.pad(a, m), m + 1) @ v[::-1]
    start, stop = {"full": (0, len(y)), "same": (m // 2, m // 2 + len(a)), "valid": (m, len(a))}[mode]
    return y[start:stop]


@implements(np.correlate)
def correlate(a: Array, v: Array, mode: str = "valid") -> Array:
    return convolve(a, conj(operand(v))[::-1], mode)
