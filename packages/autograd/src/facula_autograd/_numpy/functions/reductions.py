"""Sums, products, extremes, moments, and cumulative functions.

Equal extremes share the gradient evenly. The gradients of `std` and of a norm are 0 where the results are 0. All follow
PyTorch.
"""

from __future__ import annotations

from math import prod as size_of

from ..variable import Variable, operand
from .elementwise import finite
from .table import FUNCTIONS, conj, expand, implements, np, operator, plain, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._types import Array, Ufunc

    Axis = int | tuple[int, ...] | None


def axes_of(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return the axes that `axis` refers to, as nonnegative integers."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(k % ndim if ndim else k for k in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def reduction(function: Callable[..., Array], gradient: Callable[..., Array], name: str = "") -> Callable[..., Array]:
    """Return the operator of `function(x, axis=, keepdims=)`, from its `gradient(g, y, x, n)`.

    `g` and `y` keep the reduced axes, which have `n` elements in all.
    """

    def kept(
        k: int, g: Array, y: Array, x: Array, axis: Axis = None, keepdims: bool = False, **parameters: object
    ) -> Array:
        shape = np.shape(x)
        axes = axes_of(axis, len(shape))
        ones = tuple(1 if k in axes else n for k, n in enumerate(shape))
        n = size_of(shape[k] for k in axes)
        return gradient(np.reshape(g, ones), np.reshape(y, ones), x, n, **parameters)

    return operator(function, kept, name)


def _share(g: Array, y: Array, x: Array, n: int) -> Array:
    chosen = (x == y) | ((x != x) & (y != y))
    axes = tuple(k for k, (m, whole) in enumerate(zip(np.shape(y), np.shape(x), strict=True)) if m != whole)
    return np.where(chosen, g / np.sum(chosen, axis=axes, keepdims=True, dtype=plain(g).dtype), 0)


def _of_std(g: Array, y: Array, x: Array, n: int, ddof: float) -> Array:
    return np.where(y == 0, 0, g / np.where(y == 0, 1, y)) * _centred(x, y) / (n - ddof)


def _centred(x: Array, like: Array) -> Array:
    """Return `x` minus its mean over the axes where `like` has length 1."""
    axes = tuple(k for k, (m, whole) in enumerate(zip(np.shape(like), np.shape(x), strict=True)) if m != whole)
    return x - np.mean(x, axis=axes, keepdims=True)


_mean = reduction(np.mean, lambda g, y, x, n: expand(g / n, x))
_max, _min = reduction(np.max, _share), reduction(np.min, _share)
_var = reduction(np.var, lambda g, y, x, n, ddof: g * _centred(x, y) * (2 / (n - ddof)))
_std = reduction(np.std, _of_std)
_logsumexp = reduction(np.logaddexp.reduce, lambda g, y, x, n: g * np.exp(x - finite(y)), "logaddexp.reduce")
_logsumexp2 = reduction(np.logaddexp2.reduce, lambda g, y, x, n: g * np.exp2(x - finite(y)), "logaddexp2.reduce")
two_norm = reduction(
    lambda x, axis, keepdims: np.sqrt(np.sum(np.real(x * np.conj(x)), axis=axis, keepdims=keepdims)),
    lambda g, y, x, n: g * x / np.where(y == 0, np.inf, y),
    "norm",
)


def _start(function: Ufunc, a: Array, dtype: object, out: object, where: object = True, rest: object = 0) -> Array:
    """Return `a` in the dtype to compute in, with `rest` in place of excluded elements."""
    if out is not None:
        raise refusal(function, "out=", "use its result")
    a = operand(a)
    a = a if dtype is None else np.astype(a, dtype)
    return a if where is True else np.where(where, a, rest)


@implements(np.sum)
def sum_(
    a: Array, axis: Axis = None, dtype: object = None, out: None = None, keepdims: bool = False, initial: object = None,
    where: object = True,
) -> Array:  # fmt: skip
    total = _start(np.sum, a, dtype, out, where, 0).sum(axis, keepdims=keepdims)
    return total if initial is None else total + initial


@implements(np.prod)
def prod(
    a: Array, axis: Axis = None, dtype: object = None, out: None = None, keepdims: bool = False, initial: object = None,
    where: object = True,
) -> Array:  # fmt: skip
    a = _start(np.prod, a, dtype, out, where, 1)
    axes = axes_of(axis, a.ndim)
    left = tuple(k for k in range(a.ndim) if k not in axes)
    rows = np.reshape(np.transpose(a, left + axes), [a.shape[k] for k in left] + [size_of(a.shape[k] for k in axes)])
    y: Array = _prod(rows)
    if keepdims:
        y = np.reshape(y, [1 if k in axes else n for k, n in enumerate(a.shape)])
    return y if initial is None else y * initial


def _of_prod(k: int, g: Array, y: Array, x: Array) -> Array:
    g, y = np.expand_dims(g, -1), np.expand_dims(y, -1)
    if np.all(x != 0):
        return g * conj(y / x)
    # The product of all other elements is that of all elements with 1 in place of this one.
    others = np.where(np.eye(np.shape(x)[-1], dtype=bool), 1, np.expand_dims(x, -2))
    return g * conj(np.prod(others, axis=-1))


_prod = operator(lambda x: np.prod(x, axis=-1), _of_prod, "prod")


@implements(np.mean)
def mean(
    a: Array,
    axis: Axis = None,
    dtype: object = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: object = True,
) -> Array:
    a = _start(np.mean, a, dtype, out, where, 0)
    if where is True:
        return _mean(a, axis=axis, keepdims=keepdims)
    total, count = (np.sum(x, axis=axis, keepdims=keepdims) for x in (a, np.broadcast_to(where, a.shape)))
    return total / (count.astype(total.dtype) if total.dtype.kind in "fc" else count)


def _extreme(function: Ufunc, call: Callable[..., Array], better: Ufunc) -> None:
    def extreme(
        a: Array,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        initial: object = None,
        where: object = True,
    ) -> Array:
        if where is not True and initial is None:
            raise refusal(function, "where= without initial=", "pass initial=, the result for no elements")
        y = call(_start(function, a, None, out, where, initial), axis=axis, keepdims=keepdims)
        return y if initial is None else better(y, initial)

    FUNCTIONS[function] = extreme


_extreme(np.max, _max, np.maximum)
_extreme(np.min, _min, np.minimum)
_extreme(np.nanmax, reduction(np.nanmax, _share), np.fmax)
_extreme(np.nanmin, reduction(np.nanmin, _share), np.fmin)
FUNCTIONS[np.amax], FUNCTIONS[np.amin] = FUNCTIONS[np.max], FUNCTIONS[np.min]


def _moment(function: Ufunc, call: Callable[..., Array]) -> None:
    def moment(
        a: Array,
        axis: Axis = None,
        dtype: object = None,
        out: None = None,
        ddof: float = 0,
        keepdims: bool = False,
    ) -> Array:
        return call(_start(function, a, dtype, out), axis=axis, keepdims=keepdims, ddof=ddof)

    FUNCTIONS[function] = moment


_moment(np.var, _var)
_moment(np.std, _std)


@implements(np.ptp)
def ptp(a: Array, axis: Axis = None, out: None = None, keepdims: bool = False) -> Array:
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@implements((np.logaddexp, "reduce"))
def logaddexp_reduce(a: Array, axis: Axis = 0, dtype: object = None, out: None = None, keepdims: bool = False) -> Array:
    return _logsumexp(_start(np.logaddexp, a, dtype, out), axis=axis, keepdims=keepdims)


@implements((np.logaddexp2, "reduce"))
def logaddexp2_reduce(
    a: Array, axis: Axis = 0, dtype: object = None, out: None = None, keepdims: bool = False
) -> Array:
    return _logsumexp2(_start(np.logaddexp2, a, dtype, out), axis=axis, keepdims=keepdims)


@implements(np.nansum)
def nansum(a: Array, axis: Axis = None, dtype: object = None, out: None = None, keepdims: bool = False) -> Array:
    return _start(np.nansum, a, dtype, out, ~np.isnan(a), 0).sum(axis, keepdims=keepdims)


@implements(np.nanprod)
def nanprod(a: Array, axis: Axis = None, dtype: object = None, out: None = None, keepdims: bool = False) -> Array:
    return np.prod(_start(np.nanprod, a, dtype, out, ~np.isnan(a), 1), axis=axis, keepdims=keepdims)


@implements(np.nanmean)
def nanmean(a: Array, axis: Axis = None, dtype: object = None, out: None = None, keepdims: bool = False) -> Array:
    return mean(a, axis, dtype, out, keepdims, where=~np.isnan(a))


@implements(np.average)
def average(a: Array, axis: Axis = None, weights: object = None, *, keepdims: bool = False) -> Array:
    a = operand(a)
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    weights = operand(weights)
    if weights.shape != a.shape:
        if not isinstance(axis, int) or weights.shape != (a.shape[axis],):
            raise refusal(np.average, f"weights of shape {weights.shape} for {a.shape}", "give them the shape of a")
        weights = np.reshape(weights, [-1 if k == axis % a.ndim else 1 for k in range(a.ndim)])
    total = np.sum(np.broadcast_to(weights, a.shape), axis=axis, keepdims=keepdims)
    return np.sum(a * weights, axis=axis, keepdims=keepdims) / total


# ---- cumulative functions


def _back(k: int, g: Array, y: Array, x: Array, axis: int) -> Array:
    return np.flip(np.cumsum(np.flip(g, axis), axis), axis)


_cumsum = operator(np.cumsum, _back)
_cumprod = operator(np.cumprod, lambda k, g, y, x, axis: _back(k, g * conj(y), y, x, axis) / conj(x))


def _along(a: Array, axis: int | None) -> tuple[Array, int]:
    return (np.ravel(a), 0) if axis is None else (a, axis)


@implements(np.cumsum)
def cumsum(a: Array, axis: int | None = None, dtype: object = None, out: None = None) -> Array:
    a, axis = _along(_start(np.cumsum, a, dtype, out), axis)
    return _cumsum(a, axis=axis)


@implements(np.cumprod)
def cumprod(a: Array, axis: int | None = None, dtype: object = None, out: None = None) -> Array:
    a, axis = _along(_start(np.cumprod, a, dtype, out), axis)
    if np.all(a != 0):
        return _cumprod(a, axis=axis)
    # The rule divides. If there is a 0, use products of as many elements each, padded with ones.
    rows = np.moveaxis(a, axis, -1)
    until = np.tri(rows.shape[-1], dtype=bool)
    return np.moveaxis(np.prod(np.where(until, np.expand_dims(rows, -2), 1), axis=-1), -1, axis)


# ---- by rank


@implements(np.sort)
def sort(a: Array, axis: int | None = -1, kind: object = None, order: None = None, *, stable: object = None) -> Array:
    a, axis = _along(a, axis)
    return np.take_along_axis(a, np.argsort(a, axis=axis, stable=True), axis)


@implements(np.quantile)
def quantile(
    a: Array, q: Array, axis: int | None = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False,
) -> Array:  # fmt: skip
    if isinstance(q, Variable):
        raise refusal(np.quantile, "q as a Variable", "pass q.value")
    if method != "linear" or isinstance(axis, tuple):
        raise refusal(np.quantile, f"method={method!r}, axis={axis!r}", 'use method="linear" and one axis')
    shape = [1 if axis is None or k == axis % operand(a).ndim else n for k, n in enumerate(operand(a).shape)]
    a, axis = _along(a, axis)
    ranked, q = np.moveaxis(np.sort(a, axis), axis, 0), np.asarray(q)
    place = q * (len(ranked) - 1)
    low = np.floor(place).astype(int)
    share = np.reshape(place - low, q.shape + (1,) * (ranked.ndim - 1))
    y = ranked[low] * (1 - share) + ranked[np.minimum(low + 1, len(ranked) - 1)] * share
    return np.reshape(y, [*q.shape, *shape]) if keepdims else y


@implements(np.percentile)
def percentile(a: Array, q: object, *args: object, **kwargs: object) -> Array:
    return np.quantile(a, q / 100 if isinstance(q, Variable) else np.asarray(q) / 100, *args, **kwargs)


@implements(np.median)
def median(
    a: Array, axis: int | None = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Array:
    shape = [1 if axis is None or k == axis % operand(a).ndim else n for k, n in enumerate(operand(a).shape)]
    a, axis = _along(a, axis)
    ranked = np.moveaxis(np.sort(a, axis), axis, 0)
    y = np.mean(ranked[(len(ranked) - 1) // 2 : len(ranked) // 2 + 1], axis=0)
    return np.reshape(y, shape) if keepdims else y
