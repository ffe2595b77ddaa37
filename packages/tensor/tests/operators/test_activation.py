"""Activations that change their input in place have the gradient of those that do not."""

import pytest

import facula_tensor as ft
from facula_tensor import functional as F


@pytest.mark.parametrize("function", [F.relu, F.leaky_relu, F.elu, F.silu, F.hardtanh, F.relu6])
def test_in_place(function):
    x = ft.tensor([-2.0, -0.3, 0.4, 3.0, 7.0], dtype=ft.float64, requires_grad=True)
    expected = function(x * 1)
    expected.sum().backward()
    gradient, x.grad = x.grad, None
    changed = x * 1
    view = changed[1:]
    out = function(changed, inplace=True)
    assert out is changed
    assert out.tolist() == expected.tolist() and view.tolist() == expected.tolist()[1:]
    out.sum().backward()
    assert x.grad.tolist() == gradient.tolist()


@pytest.mark.parametrize("function", [F.leaky_relu, F.elu, F.silu, F.hardtanh])
def test_a_leaf_is_not_changed(function):
    x = ft.tensor([-2.0, 3.0], requires_grad=True)
    with pytest.raises(RuntimeError):
        function(x, inplace=True)
    assert x.tolist() == [-2.0, 3.0]
