"""Activations that are in `functional` alone: values, gradients to order two, in place, refusals."""

from math import erf

import numpy as np
import pytest
from harness import FLOATS, TOLERANCE, lay, rounded, values_of

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import gradcheck, gradgradcheck

erf_of = np.vectorize(erf, otypes=[float])

ACTIVATIONS = {
    "relu": (F.relu, lambda x: np.maximum(x, 0)),
    "leaky_relu": (F.leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x)),
    "leaky_relu(0.3)": (lambda x, **o: F.leaky_relu(x, 0.3, **o), lambda x: np.where(x > 0, x, 0.3 * x)),
    "elu": (F.elu, lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
    "elu(0.5)": (lambda x, **o: F.elu(x, 0.5, **o), lambda x: np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0)))),
    "silu": (F.silu, lambda x: x / (1 + np.exp(-x))),
    "gelu": (F.gelu, lambda x: x / 2 * (1 + erf_of(x / np.sqrt(2)))),
    "gelu(tanh)": (
        lambda x: F.gelu(x, approximate="tanh"),
        lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    "logsigmoid": (F.logsigmoid, lambda x: -np.logaddexp(0, -x)),
    "hardtanh": (F.hardtanh, lambda x: np.clip(x, -1, 1)),
    "hardtanh(-2, 0.5)": (lambda x, **o: F.hardtanh(x, -2.0, 0.5, **o), lambda x: np.clip(x, -2, 0.5)),
    "relu6": (F.relu6, lambda x: np.clip(x, 0, 6)),
    "sigmoid": (F.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "tanh": (F.tanh, np.tanh),
    "erf": (ft.erf, erf_of),
}
INPLACE = [name for name in ACTIVATIONS if name.split("(")[0] in "relu leaky_relu elu silu hardtanh relu6".split()]
X = np.linspace(-7.3, 7.1, 36).reshape(9, 4)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_values(name, dtype):
    function, definition = ACTIVATIONS[name]
    x = rounded(X, dtype)
    for layout in ("contiguous", "transposed", "sliced", "offset"):
        got = function(lay(x, dtype, layout))
        assert got.dtype.name == dtype
        np.testing.assert_allclose(
            values_of(got), definition(x.astype(np.float64)), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype]
        )


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_gradients(name):
    function, _ = ACTIVATIONS[name]
    x = ft.tensor(X[:, :2], requires_grad=True)
    assert gradcheck(function, (x,))
    assert gradgradcheck(function, (x,))


@pytest.mark.parametrize("name", INPLACE)
def test_in_place(name):
    function, _ = ACTIVATIONS[name]
    x = ft.tensor(X, requires_grad=True)
    wanted = function(x)
    copy = x * 1
    assert function(copy, inplace=True) is copy
    assert (copy == wanted).all()
    (gradient,) = (x.grad for _ in [copy.sum().backward()])
    x.grad = None
    wanted.sum().backward()
    assert (x.grad == gradient).all()
    with pytest.raises(RuntimeError, match="leaf"):
        function(x, inplace=True)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_ends(name):
    """Nothing overflows, and NaN stays NaN, forward and backward."""
    function, _ = ACTIVATIONS[name]
    x = ft.tensor([-1e3, -50.0, 0.0, 50.0, 1e3, np.nan], requires_grad=True)
    y = function(x)
    assert np.isfinite(y.tolist()[:5]).all()
    assert np.isnan(y.tolist()[5])
    y[:5].sum().backward()
    assert np.isfinite(x.grad.tolist()[:5]).all()


def test_slopes_that_are_tensors():
    x, slope = ft.tensor(X[:, :2], requires_grad=True), ft.tensor([0.3, 0.1], dtype=ft.float64, requires_grad=True)
    from facula_tensor._operator import recording

    for function in (recording.leaky_relu, recording.elu):
        assert gradcheck(function, (x, slope))
        assert gradgradcheck(function, (x, slope))


def test_no_gradient_at_a_bound():
    x = ft.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    F.hardtanh(x).sum().backward()
    assert x.grad.tolist() == [0, 1, 0]


def test_softmax_chooses_a_dimension():
    for shape, dim in (((3,), 0), ((3, 4), 1), ((2, 3, 4), 0), ((1, 2, 3, 4), 1)):
        x = ft.rand(*shape)
        assert (F.softmax(x) == x.softmax(dim)).all()
        assert (F.log_softmax(x) == x.log_softmax(dim)).all()
    assert F.softmax(x, -1, dtype=ft.float64).dtype is ft.float64


def test_refusals():
    with pytest.raises(ValueError, match="'none' or 'tanh'; got 'fast'"):
        F.gelu(ft.ones(2), approximate="fast")
    with pytest.raises(ValueError, match="min_val <= max_val; got 1 and 0"):
        F.hardtanh(ft.ones(2), 1, 0)
    with pytest.raises(TypeError, match="complex64"):
        F.silu(ft.ones(2, dtype=ft.complex64))
    with pytest.raises(TypeError, match="list"):
        F.elu([1.0])


def test_bounds_of_integers_are_integers():
    x = ft.tensor([-1, 3, 9])
    assert F.relu6(x).dtype is ft.int64
    assert F.relu6(x).tolist() == [0, 3, 6]
    assert F.hardtanh(x, -0.5, 4.5).tolist() == [0, 3, 4]
