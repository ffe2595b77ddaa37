"""Cases of elementwise functions of one or two operands."""

from __future__ import annotations

import math

import numpy as np
from case import (
    COMPLEX,
    FLOATS,
    NUMBERS,
    REALS,
    SCALES,
    Case,
    boolean,
    floating,
    real_part,
)

import facula_tensor as ft

BOTH = ("float64", "complex128")
REAL = ("float64",)
ODD = (0.0, -0.0, 1.0, -1.0, 2.5, -0.5, 1e-30, 1e30, -1e30, math.inf, -math.inf, math.nan)


def by_dtype(on_bool, otherwise):
    """Make a reference with a different function for bool."""
    return lambda *arrays: (on_bool if arrays[0].dtype == bool else otherwise)(*arrays)


def unary(name, reference, **given):
    """A case of an elementwise operator with one operand."""
    given = {"special": ODD, "scales": SCALES, **given}
    return Case(name, getattr(ft, name), reference, elementwise=True, out=True, **given)


def binary(name, reference, **given):
    """A case of an elementwise operator with two operands."""
    given = {"special": ODD, "scales": SCALES, **given}
    return Case(name, getattr(ft, name), reference, arity=2, elementwise=True, out=True, **given)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


POSITIVE = (0.3, 3.0)

POINTWISE = [
    unary("exp", np.exp, result=floating, inplace="exp_", gradient=BOTH),
    unary("log", np.log, result=floating, inplace="log_", gradient=BOTH, domain=POSITIVE),
    unary("tanh", np.tanh, result=floating, inplace="tanh_", gradient=BOTH, loose=3),
    unary("relu", lambda x: np.maximum(x, 0), dtypes=REALS, inplace="relu_", gradient=REAL),
    unary("sqrt", np.sqrt, result=floating, inplace="sqrt_", gradient=BOTH, domain=POSITIVE),
    unary("sigmoid", sigmoid, result=floating, inplace="sigmoid_", gradient=BOTH, loose=3),
    unary("sin", np.sin, result=floating, inplace="sin_", gradient=BOTH),
    unary("cos", np.cos, result=floating, inplace="cos_", gradient=BOTH),
    unary("log1p", np.log1p, result=floating, inplace="log1p_", gradient=BOTH, domain=POSITIVE),
    unary("expm1", np.expm1, result=floating, inplace="expm1_", gradient=BOTH),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), result=floating, inplace="rsqrt_", gradient=BOTH, domain=POSITIVE),
    unary("reciprocal", lambda x: 1 / x, result=floating, inplace="reciprocal_", gradient=BOTH, domain=POSITIVE),
    unary(
        "square",
        by_dtype(lambda x: x.astype(int), lambda x: x * x),
        result=lambda d: "int64" if d == "bool" else d,
        inplace="square_",
        gradient=BOTH,
    ),
    unary("neg", np.negative, dtypes=NUMBERS, inplace="neg_", gradient=BOTH),
    unary("abs", np.abs, dtypes=NUMBERS, result=real_part, gradient=BOTH),
    unary("absolute", np.abs, dtypes=REALS, inplace="abs_", gradient=REAL, rejects=False),
    unary(
        "sign",
        by_dtype(lambda x: x, lambda x: np.where(x == x, np.sign(x), 0).astype(x.dtype)),
        dtypes=("bool", *REALS),
        inplace="sign_",
        gradient=REAL,
        second=False,
    ),
    unary("isnan", np.isnan, result=boolean),
    unary("isinf", np.isinf, result=boolean),
    unary("isfinite", np.isfinite, result=boolean),
    unary("logical_not", np.logical_not, result=boolean),
]

FLOATING = FLOATS + COMPLEX


def circular(name, reference, **given):
    """Make a case of a function of angles or of its inverse."""
    return unary(name, reference, **{"result": floating, "inplace": name + "_", "gradient": BOTH, "loose": 3, **given})


def pair_of_floats(name, reference, **given):
    """Make a case of a function of two floating tensors."""
    given = {"dtypes": FLOATS, "inplace": name + "_", "gradient": REAL, "numbers": False, "loose": 3, **given}
    return binary(name, reference, **given)


INSIDE, BEYOND = (-0.9, 0.9), (1.2, 3.0)
SPECIAL = [
    circular("tan", np.tan, domain=(-1.2, 1.2)),
    circular("asin", np.arcsin, domain=INSIDE),
    circular("acos", np.arccos, domain=INSIDE, loose=4),
    circular("atan", np.arctan, gradient_domain=INSIDE),
    circular("sinh", np.sinh),
    circular("cosh", np.cosh),
    circular("asinh", np.arcsinh, gradient_domain=INSIDE),
    circular("acosh", np.arccosh, domain=BEYOND),
    circular("atanh", np.arctanh, domain=INSIDE),
    circular("exp2", lambda x: 2**x),
    circular("log2", np.log2, domain=POSITIVE),
    circular("log10", np.log10, domain=POSITIVE),
    circular("deg2rad", np.deg2rad, dtypes=("bool", *REALS), gradient=REAL),
    circular("rad2deg", np.rad2deg, dtypes=("bool", *REALS), gradient=REAL),
    *[
        unary(name, function, dtypes=REALS, inplace=name + "_", gradient=REAL, second=False, gradient_domain=(0.1, 0.4))
        for name, function in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("round", np.rint))
    ],
    unary("frac", lambda x: x - np.trunc(x), dtypes=FLOATS, inplace="frac_", gradient=REAL, gradient_domain=(0.1, 0.9)),
    unary("signbit", np.signbit, dtypes=("bool", *REALS), result=boolean, rejects=False),
    unary("nan_to_num", np.nan_to_num, inplace="nan_to_num_", gradient=BOTH),
    binary(
        "atan2",
        np.arctan2,
        numbers=False,
        dtypes=("bool", *REALS),
        result=floating,
        inplace="atan2_",
        gradient=REAL,
        domain=POSITIVE,
    ),
    binary(
        "copysign",
        np.copysign,
        dtypes=("bool", *REALS[1:]),  # a negative number with uint8 keeps its sign: it is not converted to uint8
        rejects=False,
        result=floating,
        inplace="copysign_",
        gradient=REAL,
        gradient_domain=POSITIVE,
    ),
    binary(
        "xlogy",
        lambda x, y: np.where((x == 0) & (y == y), 0.0, x * np.log(y)),
        dtypes=("bool", *REALS),
        result=floating,
        inplace="xlogy_",
        gradient=REAL,
        domain=(1.0, 3.0),
        with_bool=False,
    ),
    pair_of_floats("hypot", np.hypot, domain=POSITIVE),
    pair_of_floats("logaddexp", np.logaddexp),
    pair_of_floats("logaddexp2", np.logaddexp2),
    Case(
        "addcmul",
        lambda x, y, z: ft.addcmul(x, y, z, value=2),
        lambda x, y, z: x + 2 * y * z,
        arity=3,
        dtypes=NUMBERS,
        elementwise=True,
        gradient=BOTH,
        domain=(1, 3),
        rejects=False,
        loose=4,
    ),
    Case(
        "addcdiv",
        lambda x, y, z: ft.addcdiv(x, y, z, value=0.5),
        lambda x, y, z: x + 0.5 * y / z,
        arity=3,
        dtypes=FLOATING,
        elementwise=True,
        gradient=BOTH,
        domain=(0.5, 3),
        loose=4,
    ),
    Case(
        "lerp",
        ft.lerp,
        lambda x, y, z: x + z * (y - x),
        arity=3,
        dtypes=FLOATING,
        elementwise=True,
        gradient=BOTH,
        loose=8,
    ),
]
