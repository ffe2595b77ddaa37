"""NumPy's functions on Variables: refused calls, and their remedies."""

import cmath
import math
import operator
import re
from math import sqrt

import numpy as np
import pytest

from facula_autograd import (
    Variable,
    grad,
)
from facula_errors.testing import raises

RNG = np.random.default_rng(11)


def leaf(x):
    return Variable(np.array(x, dtype=float), requires_grad=True)


def gradient(function, *xs):
    inputs = [leaf(x) for x in xs]
    found = grad(np.sum(function(*inputs)), inputs)
    return found[0].value.tolist() if len(xs) == 1 else [g.value.tolist() for g in found]


@pytest.mark.parametrize(
    ("call", "name", "remedy"),
    [
        (lambda v, a: operator.iadd(a, v), "numpy.add", "a = a \\+ v"),
        (lambda v, a: np.multiply(v, v, out=a), "numpy.multiply", "a = a \\+ v"),
        (lambda v, a: np.add(a, a, out=v), "numpy.add", "use its result"),
        (lambda v, a: np.add.at(a, [0], v), "numpy.add.at", "a = a \\+ v"),
        (lambda v, a: np.add(v, a, where=[True, False]), "numpy.add: where=", "numpy.where"),
        (lambda v, a: np.add(v, a, casting="unsafe"), "numpy.add: casting=", "astype"),
        (lambda v, a: np.sum(v, out=a), "numpy.sum: out=", "use its result"),
        (lambda v, a: np.mean(v, None, None, a), "numpy.mean: out=", "use its result"),
        (lambda v, a: np.std(v, where=a > 0), "numpy.std: .*where", "Function"),
        (lambda v, a: np.add.reduceat(v, [0, 1]), "numpy.add.reduceat", "Function"),
        (lambda v, a: np.maximum.accumulate(v), "numpy.maximum.accumulate", "Function"),
        (lambda v, a: np.frexp(v), "numpy.frexp", "Function"),
        (lambda v, a: np.unique(v), "numpy.unique", "Function"),
        (lambda v, a: np.linalg.svd(v[None]), "numpy.linalg.svd", "Function"),
        (lambda v, a: np.copyto(a, v), "numpy.copyto", "Function"),
        (lambda v, a: np.compress(v, a), "numpy.compress", ".value"),
        (lambda v, a: np.pad(v, 1, mode="mean"), "numpy.pad: mode='mean'", "constant, edge"),
        (lambda v, a: np.linalg.norm(v[None], ord=2), "numpy.linalg.norm: ord=2", "Function"),
        (lambda v, a: np.linalg.slogdet(np.outer(v, v) * 1j), "numpy.linalg.slogdet", "numpy.linalg.det"),
        (lambda v, a: np.quantile(v, 0.5, method="nearest"), "numpy.quantile: method='nearest'", "linear"),
        (lambda v, a: np.quantile(a, v), "numpy.quantile: q", ".value"),
        (lambda v, a: np.max(v, where=a > 0), "numpy.max: where=", "initial="),
        (lambda v, a: np.array([v, v]), "numpy.array", "numpy.stack"),
        (lambda v, a: np.asarray(v), "numpy.array", ".value"),
        (lambda v, a: a.__setitem__(slice(2), v), "numpy.array", "numpy.where"),
        (lambda v, a: a.dot(v), "numpy.array", ".value"),
        (lambda v, a: v.__setitem__(0, 1.0), "item assignment", "numpy.where"),
        (lambda v, a: v.sort(), "sort", "numpy.sort"),
        (lambda v, a: np.concatenate([v, "text"]), "Variable", "number or an array"),
        (lambda v, a: operator.index(v[0]), "", ""),
    ],
)  # fmt: skip
def test_refusals(call, name, remedy):
    v, a = leaf([1.0, 2.0]), np.array([3.0, 4.0])
    with pytest.raises((TypeError, AttributeError), match=f"(?s){name}.*{remedy}"):
        call(v, a)
    assert a.tolist() == [3.0, 4.0] and v.tolist() == [1.0, 2.0]


def test_a_ufunc_of_another_library_is_not_said_to_be_numpys():
    cube = np.frompyfunc(lambda x: x**3, 1, 1)  # SciPy's have no module either
    with pytest.raises(TypeError, match=rf"^{re.escape(cube.__name__)}: .* is not differentiated .* write a Function"):
        cube(leaf([1.0]))


def test_assignment_to_array_elements_is_refused():
    v, a = leaf([1.0, 2.0]), np.zeros(2)
    with pytest.raises(ValueError) as caught:  # NumPy's error, with the reason as its cause
        a[0] = v[0]
    assert "numpy.stack" in str(caught.value.__cause__)
    a[1] = v.detach()[1]
    a[0] = v[0].item()
    assert a.tolist() == [1.0, 2.0]


CONVERSIONS = {
    "sin": (lambda v: math.sin(v), "numpy.sin"),
    "atan2": (lambda v: math.atan2(1.0, v), "numpy.arctan2"),
    "exp": (lambda v: cmath.exp(v), "numpy.exp"),
    "sqrt": (lambda v: sqrt(v * v), "numpy.sqrt"),
    "trunc": (lambda v: math.trunc(v), "numpy.trunc"),
    "round": (lambda v: round(v), "numpy.round"),
    "float": (float, "as numpy.sin for math.sin"),
    "int": (int, "as numpy.sin for math.sin"),
    "complex": (lambda v: complex(v), "as numpy.sin for math.sin"),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_plain_number_has_no_gradient(name):
    call, function = CONVERSIONS[name]
    for recorded in (leaf(2.0), leaf(2.0) * 3, leaf([2.0, 1.0])[0]):
        with raises(TypeError, name, "expected a plain number", "Use", function):
            call(recorded)
    call(Variable(2.0)), call(leaf(2.0).detach())


def test_numpy_errors_are_unchanged():
    v = leaf([1.0, 2.0])
    with pytest.raises(ValueError, match="broadcast"):
        np.hypot(v, np.ones(3))
    with pytest.raises(np.exceptions.AxisError):
        np.roll(v, 1, axis=3)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(np.outer(v, v) * 0)
    with raises(ValueError, "numpy.einsum", "einsum"):
        np.einsum("ij->i", v)
