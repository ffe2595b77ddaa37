"""Cases of functions related to the gamma and error functions, which NumPy lacks."""

from __future__ import annotations

import math
from math import factorial, inf, log, pi
from statistics import NormalDist

import numpy as np
from case import COMPLEX, FLOATS, INTEGERS, NUMBERS, REALS, SCALES, Case, boolean, floating

import facula_tensor as ft
from facula_tensor import special

BOTH = ("float64", "complex128")
REAL = ("float64",)


def each(function):
    """Apply a function of one number to each element, in float64."""
    return lambda x: np.vectorize(function, otypes=[np.float64])(np.asarray(x, np.float64))


def lgamma(x):
    """Compute lgamma with the C library, which returns infinity at the gamma function's poles."""
    return each(lambda number: inf if number <= 0 and number == int(number) else math.lgamma(number))(x)


def digamma(x):
    """Shift the argument to a range where four terms of the series suffice."""
    x = np.asarray(x, np.float64)
    moved = x + 40
    series = np.log(moved) - 1 / (2 * moved) - 1 / (12 * moved**2) + 1 / (120 * moved**4)
    return series - sum(1 / (x + k) for k in range(40))


def polygamma(n, x):
    """Compute the sum of (-1)^(n + 1) n! / (x + k)^(n + 1), with a series for the remainder."""
    x, s = np.asarray(x, np.float64), n + 1
    moved = x + 60
    rest = moved**-n / n + moved**-s / 2 + s * moved ** (-s - 1) / 12 - s * (s + 1) * (s + 2) * moved ** (-s - 3) / 720
    return (-1) ** s * factorial(n) * (rest + sum((x + k) ** -s for k in range(60)))


def erfinv(x):
    """Compute erfinv from the quantiles of the normal distribution."""
    inside = np.clip(x, -0.9999999, 0.9999999)
    return np.where(
        x == inside, each(lambda number: number and NormalDist().inv_cdf((number + 1) / 2) / 2**0.5)(inside), x * inf
    )


def bessel(order, scaled=False):
    """Compute the mean of exp(x cos t) cos(order t) around the circle, times exp(-|x|) if scaled."""
    t = np.linspace(0, 2 * pi, 64, endpoint=False)

    def mean(x):
        x = np.asarray(x, np.float64)[..., None]
        return (np.exp(x * np.cos(t) - (np.abs(x) if scaled else 0)) * np.cos(order * t)).mean(-1)

    return mean


def ndtr(x):
    return each(math.erfc)(np.asarray(x, np.float64) * -(0.5**0.5)) / 2


def masked(x, function, otherwise=0.0):
    """Apply `function` to positive x."""
    return np.where(x > 0, function(np.where(x > 0, x, 1)), otherwise)


def function(name, reference, call=None, **given):
    """Make a case of a function of one real number."""
    inplace = name + "_" if hasattr(ft.Tensor, name + "_") else None
    given = {"inplace": inplace, "domain": (0.3, 3.0), "out": True, "scales": SCALES, **given}
    return Case(
        name,
        call or getattr(ft, name, None) or getattr(special, name),
        reference,
        dtypes=("bool", *REALS),
        result=floating,
        elementwise=True,
        gradient=("float64",),
        loose=4,
        **given,
    )


CASES = [
    function("lgamma", lgamma, domain=(1.0, 5.0)),
    function("digamma", digamma, domain=(1.0, 5.0)),
    function("erfinv", erfinv, domain=(-0.9, 0.9), scales=()),
    *[
        function(
            f"polygamma({n})",
            lambda x, n=n: polygamma(n, x),
            lambda x, n=n, **out: ft.polygamma(n, x, **out),
            domain=(1.0, 5.0),
        )
        for n in (1, 2, 5)
    ],
    function(
        "mvlgamma(3)",
        lambda x: 1.5 * log(pi) + sum(lgamma(x - j / 2) for j in range(3)),
        lambda x, **out: ft.mvlgamma(x, 3, **out),
        domain=(2.0, 5.0),
    ),
    function("erfc", each(math.erfc), domain=(-3.0, 3.0)),
    function(
        "erfcx", lambda x: np.exp(np.square(np.asarray(x, float))) * each(math.erfc)(x), domain=(-2.0, 2.0), scales=()
    ),
    function("ndtr", ndtr, domain=(-3.0, 3.0)),
    function("log_ndtr", lambda x: np.log(ndtr(x)), domain=(-3.0, 3.0)),
    function(
        "ndtri",
        lambda x: 2**0.5 * erfinv(2 * np.asarray(x, float) - 1),
        domain=(0.0, 0.9),
        gradient_domain=(0.1, 0.9),
        scales=(),
    ),
    function("logit", lambda x: np.log(x / (1 - x)), domain=(0.0, 0.9), gradient_domain=(0.1, 0.9)),
    function(
        "logit(eps)",
        lambda x: np.log(np.clip(x, 0.25, 0.75) / (1 - np.clip(x, 0.25, 0.75))),
        lambda x, **out: ft.logit(x, 0.25, **out),
        gradient_domain=(0.3, 0.7),
    ),
    function("entr", lambda x: np.where(x < 0, -inf, masked(x, lambda y: -y * np.log(y))), domain=(0.3, 3.0)),
    Case(
        "sinc",
        ft.sinc,
        np.sinc,
        result=floating,
        inplace="sinc_",
        elementwise=True,
        out=True,
        gradient=("float64", "complex128"),
        gradient_domain=(0.3, 1.7),
        loose=30,
    ),
    function("i0", bessel(0), domain=(-3.0, 3.0)),
    function("i0e", bessel(0, True), domain=(-3.0, 3.0), scales=()),  # 64 positions are too few for these
    function("i1", bessel(1), domain=(-3.0, 3.0), scales=(), gradient_domain=(0.3, 3.0)),
    function("i1e", bessel(1, True), domain=(-3.0, 3.0), scales=(), gradient_domain=(0.3, 3.0)),
    function(
        "xlog1py",
        lambda x, y: np.where(x == 0, 0.0, x * np.log1p(y)),
        arity=2,
        domain=(1.0, 3.0),
        with_bool=False,
    ),
    *[
        Case(
            name,
            getattr(ft, name),
            getattr(np, name),
            arity=2,
            elementwise=True,
            dtypes=INTEGERS,
            numbers=False,
            inplace=name + "_",
            out=True,
            domain=(-9, 9),
        )
        for name in ("gcd", "lcm")
    ],
    Case("frexp(x).mantissa", lambda x: ft.frexp(x).mantissa, lambda x: np.frexp(x)[0], dtypes=FLOATS, gradient=REAL),
    Case("isposinf", ft.isposinf, np.isposinf, dtypes=("bool", *REALS), result=boolean, out=True, elementwise=True),
    Case("isneginf", ft.isneginf, np.isneginf, dtypes=("bool", *REALS), result=boolean, out=True, elementwise=True),
    Case("positive", ft.positive, lambda x: x, dtypes=NUMBERS, gradient=BOTH, may_return_operand=True),
    Case(
        "rsub", lambda x: ft.rsub(x, 2, alpha=3), lambda x: 2 - 3 * x, dtypes=NUMBERS[1:], gradient=BOTH, rejects=False
    ),
    Case(
        "ldexp",
        lambda x, **out: ft.ldexp(x, ft.tensor(3), **out),
        lambda x: 8.0 * x,
        result=floating,
        gradient=BOTH,
        out=True,
        inplace=lambda x: x.ldexp_(ft.tensor(3)),
    ),
    Case(
        "float_power",
        lambda x, **out: ft.float_power(x, 2, **out),
        lambda x: np.float_power(x, 2),
        result=lambda dtype: "complex128" if dtype in COMPLEX else "float64",
        gradient=BOTH,
        out=True,
        loose=1e3,
    ),
    Case(
        "heaviside",
        lambda x, y: ft.heaviside(x.floor() if x.is_floating_point() else x, y),
        lambda x, y: np.heaviside(np.floor(x) if x.dtype.kind == "f" else x, y),
        arity=2,
        dtypes=REALS,
        rejects=False,
    ),
]
