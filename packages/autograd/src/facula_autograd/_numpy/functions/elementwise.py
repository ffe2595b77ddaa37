"""Elementwise functions.

At points without a derivative, `abs` and `sign` have the gradient 0 at 0, `sqrt` has infinity, and `x**0` has 0. Equal
arguments of `maximum` and `minimum` share the gradient evenly, and `clip` passes it on at its bounds. All follow
PyTorch, except that `hypot` and `logaddexp` have 0 where PyTorch has NaN: at 0, and at minus infinities.
"""

from __future__ import annotations

from math import log, pi

from ..arrays import is_complex
from ..variable import ARITHMETIC, Variable, operand, recorded_ops
from .table import FUNCTIONS, derivative, gradients, implements, np, operator, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._types import Array

# ---- the Python operators

ARITHMETIC.update({
    np.add: recorded_ops.add, np.subtract: recorded_ops.sub, np.multiply: recorded_ops.mul, np.divide: recorded_ops.div,
    np.matmul: recorded_ops.matmul,
})  # fmt: skip


def _of_operands(function: Callable[..., Variable]) -> Callable[..., Variable]:
    return lambda *operands: function(*map(operand, operands))


FUNCTIONS.update({ufunc: _of_operands(function) for ufunc, function in ARITHMETIC.items()})
FUNCTIONS[np.negative] = recorded_ops.neg
FUNCTIONS[np.conjugate] = recorded_ops.conj
FUNCTIONS[np.copy] = FUNCTIONS[np.positive] = lambda a, order="K", subok=False: recorded_ops.clone(a)

# ---- smooth functions: derivatives, from the result y and the operands

derivative(np.exp, lambda y, x: y)
derivative(np.exp2, lambda y, x: y * log(2))
derivative(np.expm1, lambda y, x: y + 1)
derivative(np.log, lambda y, x: 1 / x)
derivative(np.log2, lambda y, x: 1 / (x * log(2)))
derivative(np.log10, lambda y, x: 1 / (x * log(10)))
derivative(np.log1p, lambda y, x: 1 / (x + 1))
derivative(np.sqrt, lambda y, x: 0.5 / y)
derivative(np.cbrt, lambda y, x: 1 / (3 * y * y))
derivative(np.square, lambda y, x: 2 * x)
derivative(np.reciprocal, lambda y, x: -y * y)
derivative(np.sin, lambda y, x: np.cos(x))
derivative(np.cos, lambda y, x: -np.sin(x))
derivative(np.tan, lambda y, x: 1 + y * y)
derivative(np.arcsin, lambda y, x: 1 / np.sqrt(1 - x * x))
derivative(np.arccos, lambda y, x: -1 / np.sqrt(1 - x * x))
derivative(np.arctan, lambda y, x: 1 / (1 + x * x))
derivative(np.sinh, lambda y, x: np.cosh(x))
derivative(np.cosh, lambda y, x: np.sinh(x))
derivative(np.tanh, lambda y, x: 1 - y * y)
derivative(np.arcsinh, lambda y, x: 1 / np.sqrt(x * x + 1))
derivative(np.arccosh, lambda y, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)))
derivative(np.arctanh, lambda y, x: 1 / (1 - x * x))
for _degrees, _radians in ((np.degrees, np.radians), (np.rad2deg, np.deg2rad)):
    derivative(_degrees, 180 / pi)
    derivative(_radians, pi / 180)

# ---- step functions: the derivative is 0 wherever it exists

for _step in (np.floor, np.ceil, np.trunc, np.rint, np.spacing):
    derivative(_step, 0)
derivative(np.floor_divide, 0, 0)
derivative(np.round, 0)
derivative(np.fix, 0)
FUNCTIONS[np.around] = FUNCTIONS[np.round]

# ---- of two operands


def _power_by_base(y: Array, a: Array, b: Array) -> Array:
    return b * a ** np.where(b == 0, 1, b - 1)


def _power_by_exponent(y: Array, a: Array, b: Array) -> Array:
    flat = (a == 0) & (np.real(b) >= 0)
    return np.where(flat, 0, y * np.log(np.where(flat, 1, a)))


def _square_of_length(a: Array, b: Array) -> Array:
    square = a * a + b * b
    return np.where(square == 0, np.inf, square)


derivative(np.power, _power_by_base, _power_by_exponent)
derivative(np.float_power, _power_by_base, _power_by_exponent)
derivative(np.arctan2, lambda y, a, b: b / _square_of_length(a, b), lambda y, a, b: -a / _square_of_length(a, b))
derivative(np.hypot, lambda y, a, b: a / np.where(y == 0, 1, y), lambda y, a, b: b / np.where(y == 0, 1, y))
derivative(np.logaddexp, lambda y, a, b: np.exp(a - finite(y)), lambda y, a, b: np.exp(b - finite(y)))
derivative(np.logaddexp2, lambda y, a, b: np.exp2(a - finite(y)), lambda y, a, b: np.exp2(b - finite(y)))
derivative(np.remainder, 1, lambda y, a, b: -np.floor_divide(a, b))
derivative(np.fmod, 1, lambda y, a, b: -np.trunc(a / b))
derivative(np.copysign, lambda y, a, b: np.sign(a) * np.copysign(1, b), 0)
derivative(np.heaviside, 0, lambda y, a, b: a == 0)
derivative(np.ldexp, lambda y, a, b: np.exp2(b), 0)


def finite(y: Array) -> Array:
    """Return `y` with 0 in place of minus infinity, because minus infinity minus itself is NaN."""
    return np.where(plain(y) == -np.inf, 0, y)


# ---- choices: gradients exclude the unselected operand, which otherwise could add 0 times infinity

gradients(
    np.maximum, lambda g, y, a, b: np.where(a == b, g / 2, np.where(a < b, 0, g)),
    lambda g, y, a, b: np.where(a == b, g / 2, np.where(b < a, 0, g)),
)  # fmt: skip
gradients(
    np.minimum, lambda g, y, a, b: np.where(a == b, g / 2, np.where(a > b, 0, g)),
    lambda g, y, a, b: np.where(a == b, g / 2, np.where(b > a, 0, g)),
)  # fmt: skip
gradients(
    np.fmax, lambda g, y, a, b: np.where((a >= b) | (b != b), g, 0),
    lambda g, y, a, b: np.where((a >= b) | (b != b), 0, g),
)  # fmt: skip
gradients(
    np.fmin, lambda g, y, a, b: np.where((a <= b) | (b != b), g, 0),
    lambda g, y, a, b: np.where((a <= b) | (b != b), 0, g),
)  # fmt: skip
_at_least = operator(
    np.maximum, lambda k, g, y, x, low: np.where(x >= low, 0 if k else g, g if k else 0), name="clip"
)  # fmt: skip
_at_most = operator(
    np.minimum, lambda k, g, y, x, high: np.where(x <= high, 0 if k else g, g if k else 0), name="clip"
)  # fmt: skip


@implements(np.clip)
def clip(
    a: Array, a_min: object = None, a_max: object = None, out: None = None, *, min: object = None, max: object = None
) -> Array:
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    a = a if low is None else _at_least(a, low)
    return a if high is None else _at_most(a, high)


_select = operator(
    lambda a, b, condition: np.where(condition, a, b),
    lambda k, g, y, a, b, condition: np.where(condition, 0 if k else g, g if k else 0),
    name="where",
)  # fmt: skip


@implements(np.where)
def where(condition: Array, *choices: Array) -> Array:
    return _select(*choices, condition=plain(condition)) if choices else np.where(plain(condition))


gradients(np.nan_to_num, lambda g, y, x, **_: np.where(np.isfinite(x), g, 0))

# ---- complex parts; these are not holomorphic, so the gradient is not a product of g with a derivative

gradients(np.absolute, lambda g, y, x: g * np.sign(x))
FUNCTIONS[np.abs] = FUNCTIONS[np.absolute]
derivative(np.fabs, lambda y, x: np.sign(x))
gradients(np.real, lambda g, y, x: g, fresh=None)
gradients(np.imag, lambda g, y, x: g * 1j if is_complex(plain(x)) else np.zeros_like(g))


def _sign(g: Array, y: Array, x: Array) -> Array:
    if not is_complex(plain(x)):
        return np.zeros_like(g)
    size = np.abs(x)
    return (g - y * np.real(np.conj(y) * g)) / np.where(size == 0, np.inf, size)


def _angle(g: Array, y: Array, x: Array, deg: bool = False) -> Array:
    if not is_complex(plain(x)):
        return np.zeros_like(g)
    return g * (180 / pi if deg else 1) * 1j * x / np.real(x * np.conj(x))


gradients(np.sign, _sign)
gradients(np.angle, _angle)

# ---- several results, and conversions


@implements(np.divmod)
def divmod_(a: Array, b: Array) -> tuple[Array, Array]:
    return np.floor_divide(a, b), np.remainder(a, b)


@implements(np.modf)
def modf(x: Array) -> tuple[Array, Array]:
    return x - np.trunc(x), np.trunc(x)


@implements(np.astype)
def astype(x: Variable, dtype: object, copy: bool = True, device: object = None, **options: Array) -> Array:
    if np.empty(0, dtype).dtype.kind not in "fc":
        return np.asarray(plain(x)).astype(dtype)  # integers and booleans have no gradient
    return _astype(x, dtype=dtype)


_astype = operator(lambda x, dtype: np.asarray(x).astype(dtype)[()], lambda k, g, y, x, dtype: g, "astype", None)


@implements(np.full_like)
def full_like(
    a: Array, fill_value: Array, dtype: object = None, order: str = "K", subok: bool = True, shape: object = None
) -> Array:
    base = np.empty_like(plain(a), dtype=dtype, shape=shape)
    if not isinstance(fill_value, Variable):
        return np.full_like(base, fill_value)
    return np.broadcast_to(np.astype(fill_value, base.dtype), base.shape)
