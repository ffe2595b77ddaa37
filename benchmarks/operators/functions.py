"""Gradients of small functions of NumPy arrays: `facula_autograd.func.grad` and HIPS autograd's `grad`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import autograd
import autograd.numpy
import numpy as np

from facula_autograd import func

from ..measure import Loop, Row

random = np.random.default_rng(0)
X, HIDDEN, OUT, BIAS = (random.normal(size=shape) for shape in ((3, 4), (4, 8), (8, 1), 8))


def perceptron(F: Any, weight: Any) -> Any:
    """The squared outputs of two layers."""
    return F.sum(F.tanh(F.dot(F.tanh(F.dot(X, weight) + BIAS), OUT)) ** 2)


def chain(F: Any, t: Any) -> Any:
    """Thirty operators, one after the other."""
    for _ in range(10):
        t = F.sin(t) * 1.1 + t
    return F.sum(t)


def squares(F: Any, t: Any) -> Any:
    """Two operators."""
    return F.sum(t * t)


def logistic(F: Any, weight: Any) -> Any:
    """The loss of a logistic regression."""
    return -F.sum(F.log(1 / (1 + F.exp(-F.dot(X, weight)))))


def gradients(make: Callable[..., Any], F: Any, function: Callable[..., Any], argument: Any) -> Loop:
    """Return a loop that computes the gradient of a function."""
    gradient = make(partial(function, F))

    def loop(times):
        for _ in times:
            gradient(argument)

    return loop


def check(function: Callable[..., Any], argument: Any) -> None:
    """Raise if the two gradients differ."""
    ours = func.grad(partial(function, np))(argument)
    np.testing.assert_allclose(ours, autograd.grad(partial(function, autograd.numpy))(argument), rtol=1e-12)


rows = [
    Row(
        f"gradient of {name}", partial(gradients, func.grad, np, function, argument),
        partial(gradients, autograd.grad, autograd.numpy, function, argument), 1.0, "HIPS autograd",
        check=partial(check, function, argument),
    )
    for name, function, argument in (
        ("a perceptron", perceptron, HIDDEN), ("a chain of 30", chain, BIAS), ("sum(t * t)", squares, BIAS),
        ("a logistic loss", logistic, HIDDEN),
    )
]  # fmt: skip
