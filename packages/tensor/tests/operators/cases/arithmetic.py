"""Cases of arithmetic, comparisons, division and bitwise operators."""

from __future__ import annotations

import numpy as np
from case import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    REALS,
    Case,
    boolean,
    floating,
)

import facula_tensor as ft

BOTH = ("float64", "complex128")
REAL = ("float64",)
SAME, ROW = ((3, 4), (3, 4)), ((3, 4), (4,))
from .pointwise import binary, unary


def power(x, y):
    """Compute integer powers by repeated multiplication; truncate negative powers to integers."""
    if x.dtype.kind not in "iu":
        return x**y
    x, y = np.broadcast_arrays(x, y)
    whole = [
        int(a) ** int(b) if b >= 0 else {1: 1, -1: 1 - 2 * (int(b) % 2)}.get(int(a), 0)
        for a, b in zip(x.flat, y.flat, strict=True)
    ]
    bits = x.dtype.itemsize * 8
    return np.array([number & ((1 << bits) - 1) for number in whole], np.uint64).astype(x.dtype).reshape(x.shape)


ARITHMETIC = [
    binary("add", np.add, inplace="add_", gradient=BOTH),
    binary("sub", np.subtract, dtypes=NUMBERS, inplace="sub_", gradient=BOTH, with_bool=False),
    binary("mul", np.multiply, inplace="mul_", gradient=BOTH),
    binary("div", np.divide, result=floating, inplace="div_", gradient=BOTH, domain=(0.5, 3.0)),
    binary("pow", power, dtypes=NUMBERS, inplace="pow_", gradient=BOTH, domain=(0.5, 3.0), loose=4),
    binary("maximum", np.maximum, numbers=False, dtypes=("bool", *REALS), inplace="maximum_", gradient=REAL),
    binary("minimum", np.minimum, numbers=False, dtypes=("bool", *REALS), inplace="minimum_", gradient=REAL),
    binary(
        "fmax",
        lambda x, y: np.where(np.isnan(y) | (x >= y), x, y),
        numbers=False,
        dtypes=("bool", *REALS),
        gradient=REAL,
    ),
    binary(
        "fmin",
        lambda x, y: np.where(np.isnan(y) | (x <= y), x, y),
        numbers=False,
        dtypes=("bool", *REALS),
        gradient=REAL,
    ),
    binary("clamp_min", np.maximum, dtypes=("bool", *REALS), inplace="clamp_min_", gradient=REAL),
    binary("clamp_max", np.minimum, dtypes=("bool", *REALS), inplace="clamp_max_", gradient=REAL),
    Case(
        "clamp",
        lambda x: x.clamp(-1, 2),
        lambda x: np.clip(x, -1, 2),
        inplace=lambda x: x.clamp_(-1, 2),
        dtypes=REALS[1:],  # uint8 cannot represent -1
        elementwise=True,
        gradient=REAL,
        rejects=False,
    ),
    Case("clamp by tensors", ft.clamp, np.clip, arity=3, dtypes=REALS, elementwise=True, gradient=REAL, rejects=False),
    *[
        Case(
            name,
            function,
            reference,
            inplace=inplace,
            shapes=shapes,
            arity=len(shapes),
            dtypes=FLOATS,
            gradient=REAL,
            rejects=False,
            loose=4,
            layouts=("contiguous", "transposed", "sliced", "offset"),
            second=name not in ("fill_", "zero_"),
            changes_first=name.startswith("copy_"),
        )
        for name, function, reference, inplace, shapes in (
            (
                "add(alpha=2)",
                lambda x, y: ft.add(x, y, alpha=2),
                lambda x, y: x + 2 * y,
                lambda x, y: x.add_(y, alpha=2),
                SAME,
            ),
            (
                "sub(alpha=0.5) of a row",
                lambda x, y: x - y * 0.5,
                lambda x, y: x - y / 2,
                lambda x, y: x.sub_(y, alpha=0.5),
                ROW,
            ),
            ("add of a row", ft.add, np.add, "add_", ROW),
            ("add of a number", lambda x: x + 2.5, lambda x: x + 2.5, lambda x: x.add_(2.5), SAME[:1]),
            ("pow(2)", lambda x: x**2, np.square, lambda x: x.pow_(2), SAME[:1]),
            ("mul by itself", lambda x: x * x, np.square, lambda x: x.mul_(x), SAME[:1]),
            ("copy_", lambda x, y: x.clone().copy_(y), lambda x, y: np.copy(y), "copy_", SAME),
            ("copy_ of a row", lambda x, y: x.clone().copy_(y), lambda x, y: np.stack([y] * 3), "copy_", ROW),
            ("fill_", lambda x: x.clone().fill_(1.5), lambda x: np.full_like(x, 1.5), lambda x: x.fill_(1.5), SAME[:1]),
            ("zero_", lambda x: x.clone().zero_(), np.zeros_like, lambda x: x.zero_(), SAME[:1]),
        )
    ],
    binary("logical_and", np.logical_and, numbers=False, result=boolean),
    binary("logical_or", np.logical_or, numbers=False, result=boolean),
    binary("logical_xor", np.logical_xor, numbers=False, result=boolean),
]


def remainder(x, y):
    """Return the remainder; zeros have the sign of x, as in PyTorch."""
    rest = np.remainder(x, y)
    return np.where(rest == 0, np.copysign(0, x), rest).astype(rest.dtype) if rest.dtype.kind == "f" else rest


def quotient(name, reference, **given):
    """Make a case of a rounded quotient or its remainder, whose jumps are too dense for numeric gradients."""
    given = {"gradient": REAL, "gradient_domain": (2.1, 2.9), **given}
    return binary(name, reference, dtypes=REALS, domain=(1.0, 9.0), with_bool=False, inplace=name + "_", **given)


def bits(name, reference, **given):
    """Make a case of a bitwise operator."""
    return binary(name, reference, **{"dtypes": ("bool", *INTEGERS), "inplace": name + "_", **given})


DIVISION = [
    quotient("floor_divide", np.floor_divide, second=False),
    quotient("remainder", remainder),
    quotient("fmod", np.fmod),
    Case(
        "div(rounding_mode='trunc')",
        lambda x, y: ft.div(x, y, rounding_mode="trunc"),
        lambda x, y: np.trunc(x / y),
        arity=2,
        elementwise=True,
        dtypes=REALS,
        domain=(1.0, 9.0),
        with_bool=False,
        gradient=REAL,
        gradient_domain=(2.1, 2.9),
        second=False,
    ),
    bits("bitwise_and", np.bitwise_and),
    bits("bitwise_or", np.bitwise_or),
    bits("bitwise_xor", np.bitwise_xor),
    bits("bitwise_left_shift", np.left_shift, dtypes=INTEGERS, domain=(0, 6)),
    bits("bitwise_right_shift", np.right_shift, dtypes=INTEGERS, domain=(0, 6)),
    unary("bitwise_not", np.invert, dtypes=("bool", *INTEGERS), inplace="bitwise_not_"),
]

COMPARISONS = [
    binary("eq", np.equal, result=boolean),
    binary("ne", np.not_equal, result=boolean),
    binary("lt", np.less, result=boolean, dtypes=("bool", *REALS)),
    binary("le", np.less_equal, result=boolean, dtypes=("bool", *REALS)),
    binary("gt", np.greater, result=boolean, dtypes=("bool", *REALS)),
    binary("ge", np.greater_equal, result=boolean, dtypes=("bool", *REALS)),
]
