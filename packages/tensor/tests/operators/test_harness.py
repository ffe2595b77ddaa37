"""The harness itself: a wrong value, dtype, gradient, second gradient, in-place form and `out=` are all caught."""

from dataclasses import replace

import harness
import numpy as np
import pytest
from case import FLOATS, Case

import facula_tensor as ft
from facula_autograd import Function, GradcheckError, once_differentiable
from facula_tensor import Tensor


class Cube(Function):
    """x * x * x, with a slope that is off by `error`, and a second one by `second_error`."""

    @staticmethod
    def forward(ctx, x, error, second_error):
        ctx.save_for_backward(x)
        ctx.errors = error, second_error
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        error, second_error = ctx.errors
        slope = x * x * 3 * (1 + error)
        return g * (slope + (slope - slope.detach()) * second_error), None, None


def cube(error=0.0, second_error=0.0):
    return Case(
        "cube",
        lambda x: Cube.apply(x, error, second_error),
        lambda x: x**3,
        gradient=("float64",),
        dtypes=FLOATS,
        loose=3,
    )


def test_a_right_row_passes_everything():
    case = cube()
    for dtype in case.dtypes:
        harness.check_forward(case, dtype)
    harness.check_gradient(case, "float64")
    harness.check_gradient(case, "float64", second=True)


def test_a_wrong_gradient_is_caught():
    with pytest.raises(GradcheckError):
        harness.check_gradient(cube(error=0.01), "float64")


def test_a_wrong_second_gradient_is_caught():
    case = cube(second_error=0.01)
    harness.check_gradient(case, "float64")  # the first one is right
    with pytest.raises(GradcheckError):
        harness.check_gradient(case, "float64", second=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_wrong_value_is_caught(dtype):
    off = {"float16": 1.02, "bfloat16": 1.1, "float32": 1.0001, "float64": 1 + 1e-10}[dtype]
    with pytest.raises(AssertionError, match="cube"):
        harness.check_forward(replace(cube(), function=lambda x: x * x * x * off), dtype)


def test_one_wrong_element_of_a_strided_operand_is_caught():
    def wrong(x):
        result = ft.exp(x)
        if not x.is_contiguous() and x.numel():
            result[-1] = 0
        return result

    case = Case("exp", wrong, np.exp, dtypes=("float32",))
    with pytest.raises(AssertionError, match="transposed"):
        harness.check_forward(case, "float32")


def test_a_wrong_dtype_is_caught():
    case = Case("exp", lambda x: ft.exp(x).double(), np.exp, dtypes=("float32",))
    with pytest.raises(AssertionError, match="dtype float64, expected float32"):
        harness.check_forward(case, "float32")


def test_an_operand_that_is_changed_is_caught():
    case = Case(
        "exp", lambda x: ft.exp(x) if x.zero_() is None else ft.exp(x * 0), lambda x: x * 0 + 1, layouts=("contiguous",)
    )
    with pytest.raises(AssertionError, match="operand changed"):
        harness.check_forward(case, "float32")


def test_an_accepted_dtype_is_caught():
    with pytest.raises(AssertionError, match="was accepted"):
        harness.check_rejected(Case("exp", ft.exp, np.exp), "float16")


def test_a_wrong_inplace_form_is_caught(monkeypatch):
    monkeypatch.setattr(Tensor, "wrong_", lambda self: self + 1, raising=False)
    with pytest.raises(AssertionError, match="returned something else"):
        harness.check_inplace(Case("wrong", ft.exp, np.exp, inplace="wrong_", layouts=("contiguous",)), "float32")


def test_out_that_is_ignored_is_caught():
    with pytest.raises(AssertionError):
        harness.check_out(Case("exp", lambda x, out=None: ft.exp(x), np.exp), "float32")


def test_wrong_promotion_is_caught():
    case = Case("add", lambda a, b: ft.add(a, b).to(ft.float64), np.add, arity=2)
    case = replace(case, function=lambda a, b: ft.add(a, b).to(ft.float64) if a.dtype is not b.dtype else ft.add(a, b))
    with pytest.raises(AssertionError, match="float64, expected"):
        harness.check_promotion(case, "float32", "int64")


def test_once_differentiable_functions_fail_the_second_check():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * 2

    case = Case("once", Once.apply, lambda x: x * 2)
    harness.check_gradient(case, "float64")
    with pytest.raises((GradcheckError, RuntimeError)):
        harness.check_gradient(case, "float64", second=True)
