"""What a hook returns takes the gradient's place, so it must be like it."""

import pytest

import facula_tensor as ft
from facula_autograd import GradientError


@pytest.mark.parametrize("answer", [lambda g: ft.ones(7), lambda g: 5, lambda g: g.to(ft.float64), lambda g: g[0]])
@pytest.mark.parametrize("leaf", [True, False])
def test_a_gradient_of_another_kind_is_refused(answer, leaf):
    w = ft.ones(3, requires_grad=True)
    y = w * 2
    (w if leaf else y).register_hook(answer)
    with pytest.raises(GradientError, match=r"hook: expected .*float32 \(3,\)"):
        y.sum().backward()
    assert w.grad is None


def test_a_gradient_of_the_same_kind_is_taken():
    w = ft.ones(3, requires_grad=True)
    w.register_hook(lambda g: g * 10)
    (w * 2).sum().backward()
    assert w.grad.tolist() == [20.0] * 3
