"""Tests of the checker itself: it accepts right gradients and detects wrong ones."""

import numpy as np
import pytest
from autograd_helpers import Box, write_

from facula_autograd import Function, GradcheckError, Variable, gradcheck, gradgradcheck
from facula_errors.testing import raises


class Wrong(Function):
    """A square whose gradient is off by `error`."""

    error = 0.0

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * (2.0 + Wrong.error)


@pytest.mark.parametrize("make", [lambda: Variable(1.5, True), lambda: Variable(np.array([1.5, 2 + 1j]), True)])
def test_a_wrong_gradient_is_detected(make):
    x = make()

    class Right(Wrong):
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2.0 * (Variable(np.conj(x.value)) if np.iscomplexobj(x.value) else x)

    assert gradcheck(Right.apply, x)
    Wrong.error = 0.01
    with raises(GradcheckError, "gradcheck", "input 0", "is wrong: component 0 of the output by 0"):
        gradcheck(Wrong.apply, x)
    assert not gradcheck(Wrong.apply, x, raise_exception=False)


def test_a_missing_conjugate_is_detected():
    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            return Variable(x.value * 1j)

        @staticmethod
        def backward(ctx, g):
            return g * 1j  # should be -1j

    assert not gradcheck(Half.apply, Variable(np.array([1 + 2j]), True), raise_exception=False)


def test_a_wrong_second_derivative_is_detected():
    class Constant(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.number = x.value
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * (2 * ctx.number)  # right, but its dependence on x is hidden

    x = Variable(1.5, True)
    assert gradcheck(Constant.apply, x)
    assert not gradgradcheck(Constant.apply, x, raise_exception=False)


def test_nan_is_detected():
    class NaN(Wrong):
        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    assert not gradcheck(NaN.apply, Variable(1.5, True), raise_exception=False)


def test_changed_inputs_are_detected():
    def careless(x):
        y = x * Box(2.0)
        write_(x.detach(), x.number + 1)
        return y

    with raises(GradcheckError, "gradcheck", "input 0 was changed"):
        gradcheck(careless, Box(1.0, True))


def test_nondeterministic_gradients_are_detected():
    class Drifts(Wrong):
        calls = 0

        @staticmethod
        def backward(ctx, g):
            Drifts.calls += 1
            (x,) = ctx.saved_tensors
            return g * x * (2.0 + 1e-9 * Drifts.calls)

    with raises(GradcheckError, "gradcheck", "nondet_tol"):
        gradcheck(Drifts.apply, Variable(1.5, True))
    assert gradcheck(Drifts.apply, Variable(1.5, True), nondet_tol=1e-6)


def test_several_inputs_and_outputs_with_some_ignored():
    def f(a, k, b):
        return a * b * k, (a * 3.0).detach(), b * b

    assert gradcheck(f, (Variable(1.5, True), Variable(2.0), Variable(0.5, True)))
    assert gradgradcheck(f, (Variable(1.5, True), Variable(2.0), Variable(0.5, True)))


def test_nothing_to_check():
    with raises(ValueError, "gradcheck", "at least one input"):
        gradcheck(lambda x: x, Variable(1.0))
    with raises(GradcheckError, "gradcheck", "requires grad"):
        gradcheck(lambda x: x.detach(), Variable(1.0, True))


def test_values_of_other_types():
    assert gradcheck(lambda x, y: x * y * x + y, (Box(1.5, True), Box(2.0, True)))
    assert gradgradcheck(lambda x, y: x * y * x + y, (Box(1.5, True), Box(2.0, True)))


def test_fast_mode_checks_one_direction():
    x = Variable(np.array([1.5, 2.0, -1.0]), True)
    assert gradcheck(lambda x: (x * x, x * 3.0), x, fast_mode=True)
    assert gradgradcheck(lambda x: x * x * x, x, fast_mode=True)
    z = Variable(np.array([1.5 + 1j, 2.0]), True)
    assert gradcheck(lambda z, x: z * z * x[0], (z, x), fast_mode=True)
    Wrong.error = 0.01
    with raises(GradcheckError, "gradcheck", "along a direction"):
        gradcheck(Wrong.apply, x, fast_mode=True)
    assert not gradcheck(lambda x: x * x.detach(), x, fast_mode=True, raise_exception=False)


@pytest.mark.parametrize("fast", [False, True])
def test_values_without_elements(fast):
    empty, row = Variable(np.ones((0, 3)), True), Variable(np.ones(3), True)
    for inputs in ((empty, row), (row, empty)):
        assert gradcheck(lambda a, b: a * b, inputs, fast_mode=fast)
        assert gradcheck(lambda a, b: (a * b).sum(), inputs, fast_mode=fast)
        assert gradgradcheck(lambda a, b: (a * b).sum(axis=0), inputs, fast_mode=fast)
    assert gradcheck(lambda a: a[:0], row, fast_mode=fast)


def test_one_value_as_two_inputs():
    x = Variable(np.array([1.5, 2.0]), True)
    assert gradcheck(lambda a, b: a * b * b, (x, x))


def test_checks_that_are_not_supported():
    x = Variable(1.5, True)
    with raises(NotImplementedError, "gradcheck", "check_forward_ad=True: Variable has no forward mode"):
        gradcheck(lambda x: x, x, check_forward_ad=True)
    with raises(NotImplementedError, "gradgradcheck", "check_fwd_over_rev=True: Variable has no"):
        gradgradcheck(lambda x: x, x, check_fwd_over_rev=True)
    with raises(ValueError, "gradcheck", "check_forward_ad=True with check_batched_forward_grad"):
        gradcheck(lambda x: x, x, check_batched_forward_grad=True)


def test_batches_of_gradients():
    x, y = Variable(np.array([1.5, 2.0]), True), Variable(np.array([[1.0], [0.5]]), True)
    assert gradcheck(lambda a, b: (a * b * b, a.sum()), (x, y), check_batched_grad=True)
    assert gradgradcheck(lambda a, b: a * b * b, (x, y), check_batched_grad=True)
