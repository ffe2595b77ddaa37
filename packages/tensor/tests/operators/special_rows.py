"""Rows of the gamma function's and the error function's kin, whose values NumPy has not."""

from __future__ import annotations

import math
from math import factorial, inf, log, pi
from statistics import NormalDist

import numpy as np
from harness import REALS, Row, floating

import facula_tensor as ft


def each(function):
    """A function of one number, of each element, in float64."""
    return lambda x: np.vectorize(function, otypes=[np.float64])(np.asarray(x, np.float64))


def lgamma(x):
    """Of the C library, which has it infinite where the gamma function has poles."""
    return each(lambda one: inf if one <= 0 and one == int(one) else math.lgamma(one))(x)


def digamma(x):
    """Moved to where four terms of the series will do."""
    x = np.asarray(x, np.float64)
    moved = x + 40
    series = np.log(moved) - 1 / (2 * moved) - 1 / (12 * moved**2) + 1 / (120 * moved**4)
    return series - sum(1 / (x + k) for k in range(40))


def polygamma(n, x):
    """The sum of (-1)^(n + 1) n! / (x + k)^(n + 1), whose rest is a series."""
    x, s = np.asarray(x, np.float64), n + 1
    moved = x + 60
    rest = moved**-n / n + moved**-s / 2 + s * moved ** (-s - 1) / 12 - s * (s + 1) * (s + 2) * moved ** (-s - 3) / 720
    return (-1) ** s * factorial(n) * (rest + sum((x + k) ** -s for k in range(60)))


def erfinv(x):
    """From the quantiles of the normal distribution."""
    inside = np.clip(x, -0.99, 0.99)
    return np.where(
        x == inside, each(lambda one: one and NormalDist().inv_cdf((one + 1) / 2) / 2**0.5)(inside), x * inf
    )


def function(name, reference, call=None, **given):
    """A row of a function of one real number."""
    given = {"inplace": name + "_", "domain": (0.3, 3.0), **given}
    return Row(
        name,
        call or getattr(ft, name),
        reference,
        dtypes=("bool", *REALS),
        result=floating,
        elementwise=True,
        gradient=("float64",),
        loose=4,
        **given,
    )


ROWS = [
    function("lgamma", lgamma, out=True, domain=(1.0, 5.0)),
    function("digamma", digamma, out=True, domain=(1.0, 5.0)),
    function("erfinv", erfinv, out=True, domain=(-0.9, 0.9)),
    *[
        function(
            f"polygamma({n})",
            lambda x, n=n: polygamma(n, x),
            lambda x, n=n, **out: ft.polygamma(n, x, **out),
            out=True,
            inplace=None,
            domain=(1.0, 5.0),
        )
        for n in (1, 2, 5)
    ],
    function(
        "mvlgamma(3)",
        lambda x: 1.5 * log(pi) + sum(lgamma(x - j / 2) for j in range(3)),
        lambda x: ft.mvlgamma(x, 3),
        inplace=None,
        domain=(2.0, 5.0),
    ),
]
