"""Cases of reductions, softmax and products."""

from __future__ import annotations

import numpy as np
from case import (
    COMPLEX,
    FLOATS,
    REALS,
    SCALES,
    Case,
    accumulated,
    always,
)

import facula_tensor as ft

BOTH = ("float64", "complex128")
REAL = ("float64",)


def along(name, function, reference, **given):
    """Make a case of an operation along dimensions, for one way to name them."""
    given.setdefault("layouts", ("contiguous", "transposed", "sliced", "expanded", "offset", "zero_dim"))
    given.setdefault("scales", SCALES)
    return Case(name, function, reference, **given)


def accumulate(x):
    return x.astype(np.int64) if x.dtype.kind in "biu" else x


def truth(dtype):
    return "uint8" if dtype == "uint8" else "bool"


def log_softmax(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


REDUCTIONS = [
    along("sum", ft.sum, lambda x: accumulate(x).sum(), result=accumulated, gradient=BOTH, loose=10, out=True),
    along(
        "sum(0)",
        lambda x, **out: ft.sum(x, 0, **out),
        lambda x: accumulate(x).sum(0) if x.ndim else accumulate(x),
        result=accumulated,
        gradient=BOTH,
        loose=10,
        out=True,
    ),
    along(
        "sum(-1, keepdim)",
        lambda x: ft.sum(x, -1, True),
        lambda x: accumulate(x).sum(-1, keepdims=True) if x.ndim else accumulate(x),
        result=accumulated,
        gradient=BOTH,
        loose=10,
    ),
    along(
        "sum((0, 2))",
        lambda x: x.sum((0, 2)),
        lambda x: accumulate(x).sum((0, 2)),
        result=accumulated,
        gradient=BOTH,
        loose=10,
        shapes=((2, 3, 4),),
    ),
    along("sum of nothing", lambda x: x.sum(1), lambda x: accumulate(x).sum(1), result=accumulated, shapes=((3, 0),)),
    along(
        "prod",
        ft.prod,
        lambda x: accumulate(x).prod(),
        result=accumulated,
        gradient=BOTH,
        loose=20,
        out=True,
        domain=(-1.5, 1.5),
    ),
    along(
        "prod(0)",
        lambda x, **out: ft.prod(x, 0, **out),
        lambda x: accumulate(x).prod(0) if x.ndim else accumulate(x),
        result=accumulated,
        gradient=BOTH,
        loose=20,
        out=True,
    ),
    along(
        "prod((0, 2), keepdim)",
        lambda x: x.prod((0, 2), True),
        lambda x: accumulate(x).prod((0, 2), keepdims=True),
        result=accumulated,
        gradient=BOTH,
        loose=20,
        domain=(-1.5, 1.5),
        shapes=((2, 3, 4),),
    ),
    along(
        "prod of nothing", lambda x: x.prod(1), lambda x: accumulate(x).prod(1), result=accumulated, shapes=((3, 0),)
    ),
    along("mean", ft.mean, np.mean, dtypes=FLOATS + COMPLEX, gradient=BOTH, loose=10, out=True),
    along(
        "mean(1, keepdim)",
        lambda x: ft.mean(x, 1, True),
        lambda x: x.mean(1, keepdims=True),
        dtypes=FLOATS + COMPLEX,
        gradient=BOTH,
        loose=10,
        shapes=((3, 4),),
    ),
    along("amax", ft.amax, np.max, dtypes=("bool", *REALS), gradient=REAL, distinct=True, out=True),
    along(
        "amin((0, 2))",
        lambda x: ft.amin(x, (0, 2)),
        lambda x: x.min((0, 2)),
        dtypes=("bool", *REALS),
        gradient=REAL,
        distinct=True,
        shapes=((2, 3, 4),),
    ),
    along("max", ft.max, np.max, dtypes=("bool", *REALS), gradient=REAL, distinct=True),
    along(
        "max(1)",
        lambda x: tuple(x.max(1)),
        lambda x: (x.max(1), x.argmax(1)),
        dtypes=("bool", *REALS),
        distinct=True,
        shapes=((3, 4),),
    ),
    along(
        "max(1).values",
        lambda x: x.max(1).values,
        lambda x: x.max(1),
        dtypes=("bool", *REALS),
        gradient=REAL,
        distinct=True,
        shapes=((3, 4),),
    ),
    along(
        "min(0, keepdim)",
        lambda x: tuple(x.min(0, True)),
        lambda x: (x.min(0, keepdims=True), x.argmin(0, keepdims=True)),
        dtypes=("bool", *REALS),
        distinct=True,
        shapes=((3, 4),),
    ),
    along(
        "min(0).values",
        lambda x: x.min(0, True).values,
        lambda x: x.min(0, keepdims=True),
        dtypes=("bool", *REALS),
        gradient=REAL,
        distinct=True,
        shapes=((3, 4),),
    ),
    along("argmax", ft.argmax, np.argmax, dtypes=REALS, result=always("int64"), distinct=True),
    along(
        "argmin(1)",
        lambda x: x.argmin(1),
        lambda x: x.argmin(1),
        dtypes=REALS,
        result=always("int64"),
        distinct=True,
        shapes=((3, 4),),
    ),
    along("any", ft.any, np.any, result=truth, out=True),
    along("all(0)", lambda x: ft.all(x, 0), lambda x: x.astype(bool).all(0), result=truth, shapes=((3, 4),)),
    along(
        "softmax(1)",
        lambda x: ft.softmax(x, 1),
        lambda x: np.exp(log_softmax(x, 1)),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4),),
    ),
    along(
        "softmax(0)",
        lambda x: ft.softmax(x, 0),
        lambda x: np.exp(log_softmax(x, 0)),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4, 2),),
    ),
    along(
        "log_softmax(1)",
        lambda x: ft.log_softmax(x, 1),
        lambda x: log_softmax(x, 1),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4),),
    ),
    along(
        "log_softmax(0)",
        lambda x: ft.log_softmax(x, 0),
        lambda x: log_softmax(x, 0),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4, 2),),
    ),
]


def product(*shapes, function=ft.matmul, **given):
    """Make a case of a matrix product with these shapes."""
    name = f"{function.__name__} {' '.join(str(shape).replace(' ', '') for shape in shapes)}"

    def reference(a, b):
        return (a.astype(int) @ b.astype(int) > 0) if a.dtype == bool else a @ b

    given.setdefault("gradient", BOTH)
    return Case(name, function, reference, arity=2, shapes=shapes, loose=20, **given)


PRODUCTS = [
    product((3, 4), (4, 5), out=True),
    product((4,), (4,)),
    product((3, 4), (4,)),
    product((4,), (4, 2)),
    product((2, 2, 3), (3, 2)),
    product((2, 2, 3), (2, 3, 2)),
    product((2, 1, 2, 3), (2, 3, 1)),
    product((2, 2, 3), (3,)),
    product((3,), (2, 3, 2)),
    product((0, 4), (4, 5), gradient=()),
    product((3, 0), (0, 5), gradient=()),
    product((3, 4), (4, 5), function=ft.mm),
    product((2, 2, 3), (2, 3, 2), function=ft.bmm),
    product((3, 4), (4,), function=ft.mv),
    product((4,), (4,), function=ft.dot),
]
