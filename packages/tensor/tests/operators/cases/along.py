"""Cases of operators along a dimension or that return positions: sorts, scans, moments, norms."""

import numpy as np
from case import ALL, COMPLEX, FLOATS, INTEGERS, NUMBERS, REALS, SCALES, Case, accumulated, floating, real_part

import facula_tensor as ft
from facula_tensor import linalg

REAL, BOTH = ("float64",), ("float64", "complex128")
ORDERED = ("bool", *REALS)
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "offset", "zero_dim")


def along(name, function, reference, **given):
    """Make a case of an operation along one dimension, which a zero-dimensional tensor also supports."""
    given = {"layouts": LAYOUTS, "scales": SCALES, **given}
    return Case(name, function, lambda x: reference(x) if x.ndim else flat(reference(x[None])), **given)


def flat(results):
    """Convert results for one element to zero-dimensional ones."""
    return tuple(map(flat, results)) if isinstance(results, tuple) else np.reshape(results, ())


def in_order(x, axis=-1, descending=False):
    """Return stably sorted elements and their positions."""
    places = np.argsort(-x.astype(float) if descending else x, axis, kind="stable")
    return np.take_along_axis(x, places, axis), places


def first(k, x, axis=-1, largest=True):
    values, places = in_order(x, axis, largest)
    chosen = tuple(slice(k) if i == axis % x.ndim else slice(None) for i in range(x.ndim))
    return values[chosen], places[chosen]


SORTS = [
    along("sort", lambda x: tuple(ft.sort(x)), in_order, dtypes=ORDERED),
    along("sort(0)", lambda x: tuple(x.sort(0)), lambda x: in_order(x, 0), dtypes=ORDERED),
    along(
        "sort(descending)",
        lambda x: tuple(x.sort(-1, descending=True)),
        lambda x: in_order(x, -1, True),
        dtypes=ORDERED,
    ),
    along(
        "sort().values",
        lambda x: x.sort(0).values,
        lambda x: np.sort(x, 0),
        dtypes=ORDERED,
        gradient=REAL,
        distinct=True,
    ),
    along(
        "argsort",
        ft.argsort,
        lambda x: in_order(x)[1],
        dtypes=ORDERED,
        result=lambda dtype: "int64",
        out=True,
    ),
    along("msort", ft.msort, lambda x: np.sort(x, 0), dtypes=ORDERED, gradient=REAL, distinct=True, out=True),
    along("topk(2)", lambda x: tuple(ft.topk(x, 2)), lambda x: first(2, x), dtypes=ORDERED, shapes=((3, 4),)),
    along(
        "topk(2, 0, smallest)",
        lambda x: tuple(x.topk(2, 0, False)),
        lambda x: first(2, x, 0, False),
        dtypes=ORDERED,
        shapes=((3, 4),),
    ),
    along(
        "topk(3).values",
        lambda x: ft.topk(x, 3, 1).values,
        lambda x: first(3, x)[0],
        dtypes=ORDERED,
        shapes=((3, 4),),
        gradient=REAL,
        distinct=True,
    ),
]


def ranked(k, x, axis=-1):
    """Return the element of one rank and its position."""
    values, places = in_order(x, axis)
    return values.take(k, axis), places.take(k, axis)


RANKS = [
    along(
        "kthvalue(2)", lambda x: tuple(x.kthvalue(2, 0)), lambda x: ranked(1, x, 0), dtypes=ORDERED, shapes=((3, 4),)
    ),
    along(
        "kthvalue(2).values",
        lambda x: x.kthvalue(2).values,
        lambda x: np.sort(x)[:, 1],
        dtypes=ORDERED,
        shapes=((3, 4),),
        gradient=REAL,
        distinct=True,
    ),
    along("median(1)", lambda x: tuple(ft.median(x, 1)), lambda x: ranked(1, x), dtypes=ORDERED, shapes=((3, 4),)),
    along(
        "median",
        lambda x, **out: ft.median(x, **out),
        lambda x: np.sort(x, None)[(x.size - 1) // 2],
        dtypes=ORDERED,
        gradient=REAL,
        distinct=True,
        out=True,
    ),
    along(
        "nanmedian(0).values",
        lambda x: x.nanmedian(0, True).values,
        lambda x: np.sort(x, 0)[:1] if x.ndim > 1 else np.sort(x, 0)[1:2],
        dtypes=ORDERED,
        gradient=REAL,
        distinct=True,
        shapes=((2, 4),),
    ),
]

SPREAD = {"scales": SCALES, "dtypes": FLOATS + COMPLEX, "result": real_part, "gradient": BOTH, "loose": 10}

MOMENTS = [
    Case("var", ft.var, lambda x: np.var(x, ddof=1), layouts=LAYOUTS[:-1], out=True, **SPREAD),
    Case(
        "var(0, correction=0)",
        lambda x, **out: ft.var(x, 0, correction=0, **out),
        lambda x: np.var(x, 0) if x.ndim else np.zeros(()),
        layouts=LAYOUTS,
        out=True,
        **SPREAD,
    ),
    Case(
        "var((0, 2), keepdim)",
        lambda x: x.var((0, 2), keepdim=True),
        lambda x: np.var(x, (0, 2), ddof=1, keepdims=True),
        shapes=((2, 3, 4),),
        **SPREAD,
    ),
    Case(
        "std", ft.std, lambda x: np.std(x, ddof=1), layouts=("contiguous", "transposed", "sliced"), out=True, **SPREAD
    ),
    Case(
        "std(1, unbiased=False)",
        lambda x: x.std(1, unbiased=False),
        lambda x: np.std(x, 1),
        shapes=((3, 4),),
        layouts=("contiguous", "transposed", "sliced"),
        **SPREAD,
    ),
]


def wide(x):
    return x.astype(np.int64) if x.dtype.kind in "biu" else x


def best_so_far(x, axis, best):
    """Return running extremes and the last position of each."""
    values = best.accumulate(x, axis)
    places = np.where(x == values, np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)]), 0)
    return values, np.maximum.accumulate(places, axis)


SCAN = {"result": accumulated, "gradient": BOTH, "loose": 20, "out": True, "domain": (-1.5, 1.5)}

SCANS = [
    along("cumsum(0)", lambda x, **out: ft.cumsum(x, 0, **out), lambda x: wide(x).cumsum(0), **SCAN),
    along("cumsum(-1)", lambda x, **out: ft.cumsum(x, -1, **out), lambda x: wide(x).cumsum(-1), **SCAN),
    along("cumprod(0)", lambda x, **out: ft.cumprod(x, 0, **out), lambda x: wide(x).cumprod(0), **SCAN),
    along("cumprod(-1)", lambda x, **out: ft.cumprod(x, -1, **out), lambda x: wide(x).cumprod(-1), **SCAN),
    along(
        "logcumsumexp",
        lambda x, **out: ft.logcumsumexp(x, -1, **out),
        lambda x: np.logaddexp.accumulate(x, -1),
        dtypes=FLOATS,
        gradient=REAL,
        loose=10,
        out=True,
    ),
    along(
        "cummax", lambda x: tuple(ft.cummax(x, 0)), lambda x: best_so_far(x, 0, np.maximum), dtypes=ORDERED, meta=True
    ),
    along("cummin", lambda x: tuple(x.cummin(0)), lambda x: best_so_far(x, 0, np.minimum), dtypes=ORDERED),
    along(
        "cummin(0).values",
        lambda x: ft.cummin(x, 0).values,
        lambda x: np.minimum.accumulate(x, 0),
        dtypes=ORDERED,
        gradient=REAL,
        distinct=True,
    ),
    along(
        "cummax(-1).values",
        lambda x: ft.cummax(x, -1).values,
        lambda x: np.maximum.accumulate(x, -1),
        dtypes=ORDERED,
        gradient=REAL,
        distinct=True,
    ),
]

NORM = {"dtypes": FLOATS + COMPLEX, "result": real_part, "gradient": BOTH, "loose": 10, "out": True}


def p_norm(p, axis=None):
    return lambda x: (np.abs(x) ** p).sum(axis if x.ndim else None) ** (1 / p)


NORMS = [
    along("norm", ft.norm, p_norm(2), **NORM),
    along("norm(dim=0)", lambda x, **out: ft.norm(x, dim=0, **out), p_norm(2, 0), **NORM),
    along("norm(1, -1)", lambda x, **out: ft.norm(x, 1, -1, **out), p_norm(1, -1), **NORM),
    along("norm(3, 0)", lambda x, **out: ft.norm(x, 3, 0, **out), p_norm(3, 0), **NORM),
    along("norm(-1.5, 1)", lambda x: x.norm(-1.5, 1), p_norm(-1.5, 1), **{**NORM, "out": False, "shapes": ((3, 4),)}),
    along("norm(0.5)", lambda x, **out: ft.norm(x, 0.5, **out), p_norm(0.5), **{**NORM, "loose": 100, "second": False}),
    along(
        "norm(inf, 1)",
        lambda x: x.norm(float("inf"), 1),
        lambda x: np.abs(x).max(1),
        distinct=True,
        **{**NORM, "out": False, "gradient": REAL, "shapes": ((3, 4),)},
    ),
    Case(
        "linalg.matrix_norm(1)",
        lambda x, **out: linalg.matrix_norm(x, 1, **out),
        lambda x: np.abs(x).sum(-2).max(-1),
        shapes=((2, 3, 4),),
        **{**NORM, "gradient": REAL},
    ),
    along(
        "logsumexp(0)",
        lambda x, **out: ft.logsumexp(x, 0, **out),
        lambda x: np.log(np.exp(x - x.max(0)).sum(0)) + x.max(0) if x.dtype.kind == "f" else np.log(np.exp(x).sum(0)),
        dtypes=(*ORDERED, *COMPLEX),
        result=floating,
        gradient=("float64", "complex128"),
        loose=10,
        out=True,
    ),
    Case(
        "count_nonzero(0)",
        lambda x: ft.count_nonzero(x, 0),
        lambda x: np.count_nonzero(x, 0) if x.ndim else np.asarray(x != 0),
        result=lambda dtype: "int64",
    ),
]

assert {*ORDERED, *INTEGERS, *NUMBERS} <= set(ALL)
CASES = [*SORTS, *RANKS, *MOMENTS, *SCANS, *NORMS]
