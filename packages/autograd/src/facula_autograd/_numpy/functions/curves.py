"""Curves through points: differences, integrals, interpolation, polynomials."""

from __future__ import annotations

from ..variable import Variable, operand
from .table import implements, np, plain, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._types import Array


@implements(np.diff)
def diff(a: Array, n: int = 1, axis: int = -1, prepend: object = None, append: object = None) -> Array:
    a = np.moveaxis(operand(a), axis, -1)
    ends = []
    for end in (prepend, append):
        if end is not None:
            end = operand(end)
            end = np.moveaxis(end, axis, -1) if end.ndim else np.broadcast_to(end, (*a.shape[:-1], 1))
        ends.append(() if end is None else (end,))
    a = np.concatenate((*ends[0], a, *ends[1]), -1)
    for _ in range(n):
        a = a[..., 1:] - a[..., :-1]
    return np.moveaxis(a, -1, axis)


@implements(np.ediff1d)
def ediff1d(ary: Array, to_end: object = None, to_begin: object = None) -> Array:
    ary = operand(ary)
    ends = ([] if end is None else [np.astype(np.ravel(operand(end)), ary.dtype)] for end in (to_begin, to_end))
    before, after = ends
    return np.concatenate([*before, np.diff(np.ravel(ary)), *after])


@implements(np.trapezoid)
def trapezoid(y: Array, x: object = None, dx: object = 1.0, axis: int = -1) -> Array:
    y = np.moveaxis(operand(y), axis, -1)
    if x is not None:
        x = operand(x)
        dx = np.diff(x if x.ndim == 1 else np.moveaxis(x, axis, -1))
    return np.sum((y[..., 1:] + y[..., :-1]) * dx / 2.0, axis=-1)


@implements(np.linspace)
def linspace(
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: object = None,
    axis: int = 0,
) -> Array:
    if retstep:
        raise refusal(np.linspace, "retstep=True", "leave it out")
    dtype = np.result_type(plain(start), plain(stop), float(num)) if dtype is None else dtype
    start, stop = np.broadcast_arrays(operand(start), operand(stop))
    share = np.linspace(0, 1, num, endpoint).reshape([-1] + [1] * start.ndim)
    return np.astype(np.moveaxis(start * (1 - share) + stop * share, 0, axis), dtype)


@implements(np.interp)
def interp(x: Array, xp: Array, fp: Array, left: object = None, right: object = None, period: object = None) -> Array:
    if left is not None or right is not None or period is not None:
        raise refusal(np.interp, "left=, right= or period=", "use numpy.where on its result")
    x, xp, fp = (np.astype(v, np.result_type(plain(v), float)) for v in map(operand, (x, xp, fp)))
    k = np.clip(np.searchsorted(plain(xp), plain(x), side="right") - 1, 0, len(xp) - 2)
    share = np.clip((x - xp[k]) / (xp[k + 1] - xp[k]), 0, 1)
    return fp[k] * (1 - share) + fp[k + 1] * share


@implements(np.polyval)
def polyval(p: Array, x: Array) -> Array | int:
    y: Array | int = 0 if isinstance(x, Variable) else np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y
