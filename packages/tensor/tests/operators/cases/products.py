"""Cases of products of vectors and matrices, alone or added to a tensor."""

from __future__ import annotations

import numpy as np
from case import NUMBERS, Case

import facula_tensor as ft

BOTH = ("float64", "complex128")


def product(name, reference, first, second, **given):
    """Make a case of a product of two tensors with these shapes."""
    given = {"dtypes": NUMBERS, "gradient": BOTH, "loose": 10, "rejects": False, "out": True, **given}
    return Case(
        f"{name} of {first} and {second}", getattr(ft, name), reference, arity=2, shapes=(first, second), **given
    )


def added(name, reference, first, second, whole, **given):
    """Make cases of a product added to a tensor, with and without factors, and of its in-place form."""
    function = getattr(ft, name)
    part = {"addmm": (2,), "addmv": (), "addr": (3,), "baddbmm": (1, 2), "addbmm": (1, 2)}[name]
    given = {"arity": 3, "shapes": (whole, first, second), "gradient": BOTH, "loose": 20, **given}
    return [
        Case(name, function, lambda x, a, b: x + reference(a, b), inplace=name + "_", out=True, dtypes=NUMBERS,
             rejects=False, **given),
        Case(f"{name}(beta, alpha)", lambda x, a, b: function(x, a, b, beta=2, alpha=-3),
             lambda x, a, b: 2 * x - 3 * reference(a, b), dtypes=NUMBERS[1:], rejects=False,
             **{**given, "shapes": (part, first, second)}),
    ]  # fmt: skip


def matmul(a, b):
    return a @ b


PRODUCTS_OF_VECTORS = [
    product("outer", np.outer, (3,), (4,)),
    product("ger", np.outer, (3,), (4,)),
    product("inner", np.inner, (2, 3), (4, 3)),
    product("inner", np.inner, (2, 3), (2, 2, 3)),
    product("inner", np.inner, (3,), (3,)),
    product("inner", np.inner, (2, 3), ()),
    product("inner", np.inner, (2, 0), (3, 2, 0), gradient=()),
    product("kron", np.kron, (2, 3), (3, 2)),
    product("kron", np.kron, (2, 3), (2,)),
    product("kron", np.kron, (), (2,)),
    product("vdot", np.vdot, (3,), (3,)),
    product("cross", np.cross, (2, 3), (2, 3)),
    product("cross", np.cross, (4, 3), (1, 3)),
    product("dist", lambda x, y: np.sqrt((np.abs(x - y) ** 2).sum()), (3, 2), (3, 2), dtypes=("float32", "float64"),
            gradient=("float64",), out=False),
    Case("einsum", lambda x, y: ft.einsum("bij,kj->bki", x, y), lambda x, y: np.einsum("bij,kj->bki", x, y), arity=2,
         shapes=((2, 2, 3), (2, 3)), dtypes=NUMBERS, gradient=BOTH, loose=10, rejects=False),
    Case("tensordot", lambda x, y: ft.tensordot(x, y, ([1, 0], [0, 1])),
         lambda x, y: np.tensordot(x, y, ([1, 0], [0, 1])), arity=2, shapes=((2, 3, 2), (3, 2)), dtypes=NUMBERS,
         gradient=BOTH, loose=10, rejects=False),
    Case("bilinear", ft.functional.bilinear, lambda x, y, w, b: np.einsum("bi,kij,bj->bk", x, w, y) + b, arity=4,
         shapes=((2, 2), (2, 3), (2, 2, 3), (2,)), dtypes=("float32", "float64"), gradient=("float64",), loose=10,
         rejects=False),
    Case("linear", ft.functional.linear, lambda x, w, b: x @ w.T + b, arity=3, shapes=((2, 3), (2, 3), (2,)),
         dtypes=NUMBERS, gradient=BOTH, loose=10, rejects=False),
    *added("addmm", matmul, (2, 3), (3, 2), (2, 2)),
    *added("addmv", matmul, (2, 3), (3,), (2,)),
    *added("addr", np.outer, (2,), (3,), (2, 3)),
    *added("baddbmm", matmul, (2, 1, 2), (2, 2, 2), (2, 1, 2)),
    *added("addbmm", lambda a, b: (a @ b).sum(0), (2, 2, 1), (2, 1, 2), (2, 2)),
]  # fmt: skip
