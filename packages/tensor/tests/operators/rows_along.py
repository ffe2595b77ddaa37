"""Rows of operators that need a whole line of elements, or say where elements are: sorts, moments."""

import numpy as np
from harness import ALL, COMPLEX, FLOATS, REALS, Row, real_part

import facula_tensor as ft

REAL, BOTH = ("float64",), ("float64", "complex128")
ORDERED = ("bool", *REALS)
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "offset", "zero_dim")


def along(name, function, reference, **given):
    """A row of something done along one dimension, which a number has too."""
    given.setdefault("layouts", LAYOUTS)
    return Row(name, function, lambda x: reference(x) if x.ndim else flat(reference(x[None])), **given)


def flat(results):
    """What was made of one element, as of a number."""
    return tuple(one[0] for one in results) if isinstance(results, tuple) else results[0]


def in_order(x, axis=-1, descending=False):
    """Sorted elements and where they were, equal ones in their order."""
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

SPREAD = {"dtypes": FLOATS + COMPLEX, "result": real_part, "gradient": BOTH, "loose": 10}

MOMENTS = [
    Row("var", ft.var, lambda x: np.var(x, ddof=1), layouts=LAYOUTS[:-1], out=True, **SPREAD),
    Row(
        "var(0, correction=0)",
        lambda x, **out: ft.var(x, 0, correction=0, **out),
        lambda x: np.var(x, 0) if x.ndim else np.zeros(()),
        layouts=LAYOUTS,
        out=True,
        **SPREAD,
    ),
    Row(
        "var((0, 2), keepdim)",
        lambda x: x.var((0, 2), keepdim=True),
        lambda x: np.var(x, (0, 2), ddof=1, keepdims=True),
        shapes=((2, 3, 4),),
        **SPREAD,
    ),
    Row("std", ft.std, lambda x: np.std(x, ddof=1), layouts=("contiguous", "transposed", "sliced"), out=True, **SPREAD),
    Row(
        "std(1, unbiased=False)",
        lambda x: x.std(1, unbiased=False),
        lambda x: np.std(x, 1),
        shapes=((3, 4),),
        layouts=("contiguous", "transposed", "sliced"),
        **SPREAD,
    ),
]

assert set(ORDERED) < set(ALL)
ROWS = [*SORTS, *MOMENTS]
