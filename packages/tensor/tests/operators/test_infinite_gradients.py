"""Elements that a rule passes over have a gradient of 0, even where the gradient that it passes on is infinite."""

from math import inf, nan

import numpy as np
import pytest

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad, gradcheck, gradgradcheck

# function, operands, gradients where that of the result is inf: PyTorch 2.13's, but for amax and amin, where it has nan
# for each 0 here.
CASES = {
    "max": (lambda x: x.max(), [[1, 2, 0]], [[0, inf, 0]]),
    "max of equals": (lambda x: x.max(), [[2, 2, 3, 3]], [[0, 0, inf, inf]]),
    "max of nan": (lambda x: x.max(), [[1, nan, 0]], [[0, inf, 0]]),
    "min": (lambda x: x.min(), [[1, 2, 0]], [[0, 0, inf]]),
    "min of nan": (lambda x: x.min(), [[1, nan, 0]], [[0, inf, 0]]),
    "amax": (lambda x: x.amax(1), [[[1, 2, 0], [3, 3, 1]]], [[[0, inf, 0], [inf, inf, 0]]]),
    "amin": (lambda x: x.amin((0, -1), True), [[[1, 2, 0], [3, 3, 0]]], [[[0, 0, inf], [0, 0, inf]]]),
    "max along": (lambda x: x.max(1).values, [[[1, 2, 0], [3, 3, 1]]], [[[0, inf, 0], [inf, 0, 0]]]),
    "maximum": (ft.maximum, [[1, 2, 0], [2, 2, -1]], [[0, inf, inf], [inf, inf, 0]]),
    "maximum of nan": (ft.maximum, [[nan, 1, nan], [1, nan, nan]], [[inf] * 3, [inf] * 3]),
    "minimum": (ft.minimum, [[1, 2, 0], [2, 2, -1]], [[inf, inf, 0], [0, inf, inf]]),
    "minimum of nan": (ft.minimum, [[nan, 1, nan], [1, nan, nan]], [[inf] * 3, [inf] * 3]),
    "clamp": (lambda x: x.clamp(0, 1), [[-1, 0, 0.5, 1, 2]], [[0, inf, inf, inf, 0]]),
    "clamp by tensors": (ft.clamp, [[-1, 0.5, 2], [0] * 3, [1] * 3], [[0, inf, 0], [inf, 0, 0], [0, 0, inf]]),
    "where": (lambda x, y: ft.where(x > 0, x, y), [[1, -1], [0, 0]], [[inf, 0], [0, inf]]),
    "relu": (F.relu, [[-1, 0, 1]], [[0, 0, inf]]),
    "hardtanh": (F.hardtanh, [[-1, 0.5, 2]], [[0, inf, 0]]),
    "relu6": (F.relu6, [[-1, 0, 1, 7]], [[0, 0, inf, 0]]),
    "nll_loss": (lambda x: F.nll_loss(x, ft.tensor([1])), [[[-1, -1, -2]]], [[[0, -inf, 0]]]),
    "max_pool2d": (lambda x: F.max_pool2d(x.view(1, 2, 3), (2, 3)), [[1, 2, 3, 4, 4, 0]], [[0, 0, 0, inf, 0, 0]]),
}


@pytest.mark.parametrize("name", CASES)
def test_an_infinite_gradient_goes_to_the_chosen_alone(name):
    function, values, expected = CASES[name]
    operands = [ft.tensor(one, dtype=ft.float32, requires_grad=True) for one in values]
    out = function(*operands)
    found = grad(out, operands, ft.full_like(out.detach(), inf))
    np.testing.assert_array_equal(np.array([g.tolist() for g in found]), np.array(expected))


def test_through_a_slope_that_is_infinite():
    x = ft.tensor([1.0, 2.0, 0.0], requires_grad=True)
    (x.max() - 2).sqrt().backward()
    assert x.grad.tolist() == [0, inf, 0]
    a, b = ft.tensor([1.0, 3.0, 0.0], requires_grad=True), ft.tensor([3.0, 2.0, 4.0], requires_grad=True)
    (ft.maximum(a, b) - 3).sqrt().sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([0, inf, 0], [inf, 0, 0.5])


def test_the_second_derivative_at_the_chosen_does_not_spoil_the_others():
    x = ft.tensor([1.0, 2.0, 0.0], dtype=ft.float64, requires_grad=True)
    (first,) = grad(((x.max() - x).abs() ** 1.5).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    np.testing.assert_array_equal(second.numpy(), [0, nan, 0])


def test_elu_of_infinity_has_its_slope():
    x = ft.tensor([inf, -inf], dtype=ft.float64, requires_grad=True)
    (first,) = grad(F.elu(x).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    assert (first.tolist(), second.tolist()) == ([1, 0], [0, 0])


CHOOSING = {
    "amax": lambda x, y: (x * y).amax(1),
    "amin": lambda x, y: (x - y).amin((0, 1), True),
    "max": lambda x, y: (x * y).max(),
    "maximum": ft.maximum,
    "minimum": lambda x, y: ft.minimum(x, y[0]),
}


@pytest.mark.parametrize("name", CHOOSING)
def test_derivatives_to_order_two(name):
    x, y = (ft.tensor(np.random.default_rng(k).normal(size=(3, 4)), requires_grad=True) for k in (1, 2))
    assert gradcheck(CHOOSING[name], (x, y))
    assert gradgradcheck(CHOOSING[name], (x, y))
