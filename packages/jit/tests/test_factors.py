"""Tensor factors of `add` and similar operators in captured functions: replays read their elements."""

import pytest

import facula_tensor as ft
from facula_jit import capture
from facula_tensor import equal, float32, float64, int64, tensor

FUNCTIONS = {
    "add": lambda x, y, a: ft.add(x, y, alpha=a),
    "sub": lambda x, y, a: ft.sub(x, y, alpha=a),
    "subtract": lambda x, y, a: ft.subtract(x, y, alpha=a),
    "rsub": lambda x, y, a: ft.rsub(x, y, alpha=a),
    "method": lambda x, y, a: x.add(y, alpha=a),
    "add_": lambda x, y, a: x.clone().add_(y, alpha=a),
    "sub_": lambda x, y, a: x.clone().sub_(y, alpha=a),
    "of a number": lambda x, y, a: ft.add(x, 3.0, alpha=a),
}


@pytest.mark.filterwarnings("ignore:capture")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [float32, float64])
@pytest.mark.parametrize("factor", [float32, float64, int64])
def test_replays_read_the_factor(name, dtype, factor):
    x, y = ft.rand(5, dtype=dtype), ft.rand(5, dtype=dtype)
    a = tensor(3, dtype=factor)
    captured = capture(lambda: FUNCTIONS[name](x, y, a))
    for number in (3, 3, 3, 3, 7, -2, 0):
        a.fill_(number)
        assert equal(captured(), FUNCTIONS[name](x, y, a))
    usual = factor in (dtype, int64)
    assert ("replayed 6 times" in captured.report()) == usual


def test_gradients_with_a_factor_that_is_read():
    x, y, a = ft.rand(3, requires_grad=True), ft.rand(3, requires_grad=True), tensor(3.0)

    def step():
        x.grad = y.grad = None
        ft.sub(x, y, alpha=a).sum().backward()
        return x.grad.clone(), y.grad.clone()

    captured = capture(step)
    for number in (3.0, 3.0, 3.0, 5.0):
        a.fill_(number)
        assert [result.tolist() for result in captured()] == [[1] * 3, [-number] * 3]
    assert "replayed 3 times" in captured.report()
