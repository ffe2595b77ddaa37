"""The checker is itself checked: it passes what is right, and catches what is wrong."""

import numpy as np
import pytest
from autograd_helpers import Box, write_

from facula_autograd import Function, GradcheckError, Variable, gradcheck, gradgradcheck


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
def test_wrong_gradient_is_caught(make):
    x = make()

    class Right(Wrong):
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2.0 * (Variable(np.conj(x.value)) if np.iscomplexobj(x.value) else x)

    assert gradcheck(Right.apply, x)
    Wrong.error = 0.01
    with pytest.raises(GradcheckError, match=r"input 0 .*is wrong: component 0 of the output by 0"):
        gradcheck(Wrong.apply, x)
    assert not gradcheck(Wrong.apply, x, raise_exception=False)


def test_missing_conjugate_is_caught():
    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            return Variable(x.value * 1j)

        @staticmethod
        def backward(ctx, g):
            return g * 1j  # should be -1j

    assert not gradcheck(Half.apply, Variable(np.array([1 + 2j]), True), raise_exception=False)


def test_wrong_second_derivative_is_caught():
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


def test_nan_is_caught():
    class NaN(Wrong):
        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    assert not gradcheck(NaN.apply, Variable(1.5, True), raise_exception=False)


def test_changed_inputs_are_caught():
    def careless(x):
        y = x * Box(2.0)
        write_(x.detach(), x.number + 1)
        return y

    with pytest.raises(GradcheckError, match="input 0 was changed"):
        gradcheck(careless, Box(1.0, True))


def test_unsteady_gradients_are_caught():
    class Drifts(Wrong):
        calls = 0

        @staticmethod
        def backward(ctx, g):
            Drifts.calls += 1
            (x,) = ctx.saved_tensors
            return g * x * (2.0 + 1e-9 * Drifts.calls)

    with pytest.raises(GradcheckError, match="nondet_tol"):
        gradcheck(Drifts.apply, Variable(1.5, True))
    assert gradcheck(Drifts.apply, Variable(1.5, True), nondet_tol=1e-6)


def test_several_inputs_and_outputs_some_left_out():
    def f(a, k, b):
        return a * b * k, (a * 3.0).detach(), b * b

    assert gradcheck(f, (Variable(1.5, True), Variable(2.0), Variable(0.5, True)))
    assert gradgradcheck(f, (Variable(1.5, True), Variable(2.0), Variable(0.5, True)))


def test_nothing_to_check():
    with pytest.raises(ValueError, match="at least one input"):
        gradcheck(lambda x: x, Variable(1.0))
    with pytest.raises(GradcheckError, match="requires grad"):
        gradcheck(lambda x: x.detach(), Variable(1.0, True))


def test_toy_values_too():
    assert gradcheck(lambda x, y: x * y * x + y, (Box(1.5, True), Box(2.0, True)))
    assert gradgradcheck(lambda x, y: x * y * x + y, (Box(1.5, True), Box(2.0, True)))


def test_along_one_direction():
    x = Variable(np.array([1.5, 2.0, -1.0]), True)
    assert gradcheck(lambda x: (x * x, x * 3.0), x, fast_mode=True)
    assert gradgradcheck(lambda x: x * x * x, x, fast_mode=True)
    z = Variable(np.array([1.5 + 1j, 2.0]), True)
    assert gradcheck(lambda z, x: z * z * x[0], (z, x), fast_mode=True)
    Wrong.error = 0.01
    with pytest.raises(GradcheckError, match="along a direction"):
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


def test_one_value_in_two_places():
    x = Variable(np.array([1.5, 2.0]), True)
    assert gradcheck(lambda a, b: a * b * b, (x, x))


def several(a, b):
    return a * b.sum(), a.detach(), (b * b)[:1] * a[0]


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("number", [1.0, 1.0 + 0.5j])
def test_forward_mode_and_batches_of_passes(fast, number):
    inputs = Variable(np.array([1.5, 2.0, -1.0]) * number, True), Variable(np.array([0.5, 3.0]), True)
    every = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert gradcheck(several, inputs, **every, fast_mode=fast)
    assert gradgradcheck(several, inputs, check_fwd_over_rev=True, check_batched_grad=True, fast_mode=fast)
    empty = Variable(np.ones((0, 3)), True)
    assert gradcheck(lambda a: a * 2.0, empty, **every, fast_mode=fast)


@pytest.mark.parametrize(
    ("check", "way"),
    [("check_backward_ad", "backward"), ("check_forward_ad", "forward mode"),
     ("check_batched_grad", "a batch of backward passes"), ("check_batched_forward_grad", "a batch of forward mode")],
)  # fmt: skip
def test_each_way_is_compared(check, way):
    x = Variable(np.array([1.5, 2.0]), True)
    Wrong.error = 0.01
    with pytest.raises(GradcheckError, match=rf"it is 3.0[13]\d* by {way}, 3.* numerically"):
        gradcheck(Wrong.apply, x, **{"check_backward_ad": False, check: True})
    assert gradcheck(Wrong.apply, x, check_backward_ad=False), "nothing is"
    Wrong.error = 0.0
    assert gradcheck(Wrong.apply, x, **{"check_backward_ad": False, check: True})


def test_second_derivatives_by_forward_mode():
    class Hidden(Wrong):
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2.0 * x.detach()  # right, but that it depends on x is hidden

    x = Variable(1.5, True)
    with pytest.raises(GradcheckError, match="by forward mode"):
        gradgradcheck(Hidden.apply, x, check_fwd_over_rev=True, check_rev_over_rev=False)
    assert gradgradcheck(Hidden.apply, x, check_rev_over_rev=False), "nothing is checked"


def test_values_without_functions_have_no_forward_mode():
    with pytest.raises(NotImplementedError, match="functions: BoxAdapter does not have it: there are no `jvp`"):
        gradcheck(lambda x: x * x, Box(1.5, True), check_forward_ad=True)
