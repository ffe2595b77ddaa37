"""Unselected elements have a gradient of 0, even if the gradient of the result is infinite."""

from math import inf, nan

import numpy as np
import pytest
from elements import check_slopes

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad

# function, operands, gradients if the result's gradient is inf. From PyTorch 2.13, except that amax and amin have nan
# instead of each 0 there.
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
    "clamp of nan": (lambda x: x.clamp(0, 1), [[nan, 0.5]], [[0, inf]]),
    "clamp to nan": (ft.clamp, [[0, nan, 2], [nan, 0, nan]], [[0, 0, 0], [0, 0, 0]]),
    "clamp to one number": (ft.clamp, [[0, 2, 5], [2, 2, 2], [2, 2, 2]], [[0, inf, 0], [0, 0, 0], [0, 0, inf]]),
    "clamp to crossed bounds": (ft.clamp, [[0, 3, 9], [5] * 3, [2] * 3], [[0] * 3, [0] * 3, [inf] * 3]),
    "hardtanh of nan": (F.hardtanh, [[nan, 0.5]], [[0, inf]]),
    "relu6 of nan": (F.relu6, [[nan, 0.5]], [[0, inf]]),
    "relu of nan": (F.relu, [[nan, 0.5]], [[inf, inf]]),
    "elu of nan": (F.elu, [[nan, 0, 1]], [[nan, inf, inf]]),
    "leaky_relu of nan": (F.leaky_relu, [[nan, 0, 1]], [[inf, inf, inf]]),
    "rsqrt": (ft.rsqrt, [[1e30]], [[-inf]]),
    "bce with logits": (F.binary_cross_entropy_with_logits, [[-1, 2], [1, 0.5]], [[-inf, inf], [inf, -inf]]),
    "huber_loss": (lambda x: F.huber_loss(x, x.detach() * 0), [[-9, -0.5, 2]], [[-inf, -inf, inf]]),
    "clamp by tensors": (ft.clamp, [[-1, 0.5, 2], [0] * 3, [1] * 3], [[0, inf, 0], [inf, 0, 0], [0, 0, inf]]),
    "where": (lambda x, y: ft.where(x > 0, x, y), [[1, -1], [0, 0]], [[inf, 0], [0, inf]]),
    "relu": (F.relu, [[-1, 0, 1]], [[0, 0, inf]]),
    "hardtanh": (F.hardtanh, [[-1, 0.5, 2]], [[0, inf, 0]]),
    "relu6": (F.relu6, [[-1, 0, 1, 7]], [[0, 0, inf, 0]]),
    "nll_loss": (lambda x: F.nll_loss(x, ft.tensor([1])), [[[-1, -1, -2]]], [[[0, -inf, 0]]]),
    "max_pool2d": (lambda x: F.max_pool2d(x.view(1, 2, 3), (2, 3)), [[1, 2, 3, 4, 4, 0]], [[0, 0, 0, inf, 0, 0]]),
}


@pytest.mark.parametrize("name", CASES)
def test_an_infinite_gradient_reaches_only_selected_elements(name):
    function, values, expected = CASES[name]
    operands = [ft.tensor(value, dtype=ft.float32, requires_grad=True) for value in values]
    out = function(*operands)
    found = grad(out, operands, ft.full_like(out.detach(), inf))
    np.testing.assert_array_equal(np.array([g.tolist() for g in found]), np.array(expected))


def test_gradients_through_an_infinite_slope():
    x = ft.tensor([1.0, 2.0, 0.0], requires_grad=True)
    (x.max() - 2).sqrt().backward()
    assert x.grad.tolist() == [0, inf, 0]
    a, b = ft.tensor([1.0, 3.0, 0.0], requires_grad=True), ft.tensor([3.0, 2.0, 4.0], requires_grad=True)
    (ft.maximum(a, b) - 3).sqrt().sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([0, inf, 0], [inf, 0, 0.5])


def test_second_derivatives_of_selected_elements_do_not_affect_others():
    x = ft.tensor([1.0, 2.0, 0.0], dtype=ft.float64, requires_grad=True)
    (first,) = grad(((x.max() - x).abs() ** 1.5).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    np.testing.assert_array_equal(second.numpy(), [0, nan, 0])


def test_slope_of_elu_at_infinity():
    x = ft.tensor([inf, -inf], dtype=ft.float64, requires_grad=True)
    (first,) = grad(F.elu(x).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    assert (first.tolist(), second.tolist()) == ([1, 0], [0, 0])


# function, points, first and second derivative there, from PyTorch 2.13
BENDS = {
    "elu": (F.elu, [-0.0, 0, 1, nan], [1, 1, 1, nan], [0, 0, 0, nan]),
    "elu(0.5)": (lambda x: F.elu(x, 0.5), [0, 1, nan], [0.5, 1, nan], [0, 0, nan]),
    "clamp": (lambda x: (x * x).clamp(1, 4), [0, 1, 2, 3], [0, 2, 4, 0], [0, 2, 2, 0]),
    "huber_loss": (
        lambda x: F.huber_loss(x, x.detach() * 0, reduction="none", delta=2.0),
        [-3, -2, -1, 0, 1, 2, 3, nan],
        [-2, -2, -1, 0, 1, 2, 2, nan],
        [0, 0, 1, 1, 1, 0, 0, 0],
    ),
    "smooth_l1_loss": (
        lambda x: F.smooth_l1_loss(x, x.detach() * 0, reduction="none", beta=0.5),
        [-1, -0.5, 0, 0.25, 0.5],
        [-1, -1, 0, 0.5, 1],
        [0, 0, 2, 2, 0],
    ),
    "l1_loss": (lambda x: F.l1_loss(x * x, x.detach(), reduction="none"), [0, 1, 2], [0, 0, 4], [0, 0, 2]),
}


@pytest.mark.parametrize("name", BENDS)
def test_points_where_slopes_change(name):
    function, at, slopes, bends = BENDS[name]
    x = ft.tensor(at, dtype=ft.float64, requires_grad=True)
    (first,) = grad(function(x).sum(), x, create_graph=True)
    np.testing.assert_array_equal(first.detach().numpy(), slopes)
    np.testing.assert_array_equal(grad(first.sum(), x)[0].numpy(), bends)


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
    check_slopes(CHOOSING[name], (x, y))


@pytest.mark.parametrize("p", [-2, -1, -0.5])
def test_norms_of_negative_order(p):
    """Gradients are 0 where an element, hence the norm, is 0; they do not overflow in half precision."""
    x = ft.tensor([[1.0, 0.0, 2.0], [0.01, 3.0, 0.5]], dtype=ft.float16, requires_grad=True)
    ft.norm(x, p, 1).sum().backward()
    values = np.array([0.01, 3, 0.5])
    share = (values / (values**p).sum() ** (1 / p)) ** (p - 1)
    assert x.grad[0].tolist() == [0, 0, 0]
    assert np.allclose(x.grad[1].numpy(), share, rtol=5e-3, atol=1e-6)


@pytest.mark.parametrize("name", ["var", "std"])
def test_deviations_of_no_elements(name):
    x = ft.zeros(0, 3, dtype=ft.float16, requires_grad=True)
    getattr(ft, name)(x, 0).sum().backward()
    assert x.grad.dtype is ft.float16


def test_norms_too_small_to_divide_by():
    x = ft.tensor([[1e-40, -2e-40, 0.0], [3.0, 4.0, 0.0]], requires_grad=True)
    ft.norm(x, 2, 1).sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), [[0, 0, 0], [0.6, 0.8, 0]], atol=1e-6)


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_inverses_of_norms_that_exceed_half_precision(dtype):
    x = ft.tensor([[3e-6, -4e-6, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 0.0]], dtype=dtype, requires_grad=True)
    ft.norm(x, 2, 1, keepdim=True).sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), [[0.6, -0.8, 0], [0.6, 0.8, 0], [0, 0, 0]], atol=0.01)
    F.pairwise_distance(x, x.detach()).sum().backward()  # of 1e-6 in each dimension
    assert np.isfinite(x.grad.tolist()).all()
