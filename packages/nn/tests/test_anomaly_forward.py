"""detect_anomaly(check_forward=True): reports the operator, line and module of the first NaN."""

import pytest

import facula_tensor as ft
from facula_autograd import AnomalyError, detect_anomaly
from facula_nn import LSTM, BatchNorm1d, Linear, Module, MultiheadAttention, Sequential


class Net(Module):
    def __init__(self):
        super().__init__()
        self.body = Sequential(Linear(2, 2), BatchNorm1d(2))

    def forward(self, x):
        return (self.body(x) - 100).log().sum()


def refused(function):
    with detect_anomaly(check_forward=True), pytest.raises(AnomalyError) as caught:
        function()
    return caught.value


def test_error_names_operator_line_and_module():
    error = refused(lambda: Net()(ft.randn(3, 2)))
    assert (error.operator, error.module) == ("log", "Net")
    assert "(forward)" in error.forward and error.forward in str(error)


def test_in_place_nan_is_reported_by_the_reading_operator():
    def function():
        x = ft.zeros(3) - 1
        x.sqrt_()
        return x * 2

    error = refused(function)
    assert error.operator == "mul" and "Operand 0 has one already, last changed by sqrt_ at " in str(error)


def test_backward_error_names_the_forward_line():
    def function():
        x = ft.zeros(2, requires_grad=True)
        (x.sqrt() * 0).sum().backward()

    error = refused(function)
    assert error.operator == "sqrt" and "backward of sqrt" in str(error) and "(function)" in error.forward


def test_under_vmap():
    from facula_tensor import func

    assert refused(lambda: func.vmap(lambda x: (x - 3).log())(ft.ones(3))).operator == "log"


def test_programs_without_nan_are_unaffected():
    with detect_anomaly(check_forward=True):
        x = ft.randn(5, 2, 4)
        (LSTM(4, 3)(x)[0].sum() + MultiheadAttention(4, 2)(x, x, x)[0].sum()).backward()
        assert ft.nan_to_num(ft.tensor([float("nan"), 1.0])).tolist() == [0.0, 1.0]
        assert x.max(0).indices.shape == (2, 4)
