"""A hook's result replaces the gradient, so it needs the gradient's shape, dtype and device."""

import pytest

import facula_tensor as ft
from facula_autograd import GradientError
from facula_errors.testing import raises


@pytest.mark.parametrize("answer", [lambda g: ft.ones(7), lambda g: 5, lambda g: g.to(ft.float64), lambda g: g[0]])
@pytest.mark.parametrize("leaf", [True, False])
def test_an_incompatible_gradient_is_rejected(answer, leaf):
    w = ft.ones(3, requires_grad=True)
    y = w * 2
    (w if leaf else y).register_hook(answer)
    with raises(GradientError, "hook", "float32 (3,)"):
        y.sum().backward()
    assert w.grad is None


def test_a_compatible_gradient_is_accepted():
    w = ft.ones(3, requires_grad=True)
    w.register_hook(lambda g: g * 10)
    (w * 2).sum().backward()
    assert w.grad.tolist() == [20.0] * 3
