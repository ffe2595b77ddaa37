"""Cases of activation functions."""

from __future__ import annotations

from inspect import signature
from math import erf

import numpy as np
from case import FLOATS, REALS, SCALES, Case

import facula_tensor as ft
import facula_tensor.functional as F

ENDS = (-1e3, -50.0, -0.25, 0.0, 0.25, 50.0, 1e3, np.nan)  # no overflow
erf_of = np.vectorize(erf, otypes=[float])


def activation(name, reference, *arguments, **given):
    """Make a case of an activation with its further arguments, and of its in-place form if it has one."""
    function = getattr(F, name)
    if "inplace" in signature(function).parameters:
        given["inplace"] = lambda x: function(x, *arguments, inplace=True)
    usual = {"dtypes": FLOATS, "gradient": ("float64",), "special": ENDS, "scales": SCALES, "loose": 3}
    given = {**usual, "rejects": False, **given}
    title = f"{name}({', '.join(map(str, arguments))})" if arguments else name
    return Case(title, lambda x: function(x, *arguments), reference, elementwise=True, **given)


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def mixed(name, function, reference, **given):
    """Make a case of an activation whose elements depend on each other."""
    given = {"dtypes": FLOATS, "gradient": ("float64",), "shapes": ((3, 4),), "loose": 3, **given}
    return Case(name, function, reference, **given)


ACTIVATIONS = [
    activation("leaky_relu", lambda x: np.where(x > 0, x, 0.01 * x)),
    activation("leaky_relu", lambda x: np.where(x > 0, x, 0.3 * x), 0.3),
    activation("elu", elu),
    activation("elu", lambda x: elu(x, 0.5), 0.5),
    activation("silu", lambda x: x / (1 + np.exp(-x))),
    activation("gelu", lambda x: x / 2 * (1 + erf_of(x / np.sqrt(2)))),
    activation("gelu", gelu_tanh, "tanh"),
    activation("logsigmoid", lambda x: np.minimum(x, 0) - np.log1p(np.exp(-abs(x)))),
    activation("softplus", lambda x: np.logaddexp(0, x)),
    activation("softplus", lambda x: np.where(2 * x > 5, x, np.logaddexp(0, 2 * x) / 2), 2, 5.0),
    activation("hardtanh", lambda x: np.clip(x, -1, 1), dtypes=REALS[1:]),  # uint8 cannot represent -1
    activation("hardtanh", lambda x: np.clip(x, -2, 0.5), -2.0, 0.5),
    activation("relu6", lambda x: np.clip(x, 0, 6), dtypes=REALS),
    activation("hardsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6),
    activation("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6),
    activation("mish", lambda x: x * np.tanh(np.logaddexp(0, x))),
    activation("softsign", lambda x: x / (1 + abs(x))),
    activation("tanhshrink", lambda x: x - np.tanh(x)),
    activation("softshrink", lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0)),
    activation("hardshrink", lambda x: np.where(abs(x) <= 1.5, 0, x), 1.5),
    activation("threshold", lambda x: np.where(x <= 0.5, 3, x), 0.5, 3),
    activation("selu", lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772)),
    activation("celu", lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2)), 2.0),
    activation("rrelu", lambda x: np.where(x > 0, x, x * 11 / 48)),
    Case("erf", ft.erf, erf_of, dtypes=FLOATS, gradient=("float64",), special=ENDS, loose=3, elementwise=True, out=True,
         inplace="erf_", rejects=False),
    mixed("softmin", lambda x: F.softmin(x, 1), lambda x: np.exp(-x) / np.exp(-x).sum(1, keepdims=True)),
    mixed("glu", F.glu, lambda x: x[:, :2] / (1 + np.exp(-x[:, 2:]))),
    mixed(
        "prelu",
        F.prelu,
        lambda x, slopes: np.where(x > 0, x, x * slopes[:, None]),
        arity=2,
        shapes=((2, 3, 2), (3,)),
    ),
    mixed("prelu of one", ft.prelu, lambda x, slope: np.where(x > 0, x, x * slope), arity=2, shapes=((3, 4), (1,))),
]  # fmt: skip
