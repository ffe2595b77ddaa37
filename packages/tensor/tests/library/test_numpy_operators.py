"""Operators of functions on NumPy arrays: `numpy_op`."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import MutationError, grad
from facula_errors import UnsupportedError
from facula_errors.testing import raises
from facula_tensor import func, library
from facula_tensor.testing import Samples, check_operator


@library.numpy_op
def power(x, exponent=3):
    return x**exponent


@library.numpy_op
def power_slope(g, x, exponent):
    return g * exponent * x ** (exponent - 1)


def keep_both(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.exponent = inputs[1]


library.register_autograd(
    power, lambda ctx, g: (power_slope(g, *ctx.saved_tensors, ctx.exponent), None), setup_context=keep_both
)


@pytest.mark.filterwarnings("ignore:.*vmap runs it once for each")
def test_a_function_of_arrays_passes_the_matrix():
    once = Samples(dtypes=("float64",), gradient=("float64",), second=False, forward_mode=False, meta=False)
    check_operator(power, once, reference=lambda x: x**3)


def test_arrays_share_the_tensors_memory_and_are_read_only():
    seen = []

    @library.numpy_op
    def look(x):
        seen.append(x)
        return x[::-1]

    x = ft.tensor([1.0, 2.0])
    result = look(x)
    assert np.shares_memory(seen[0], x.numpy()) and not seen[0].flags.writeable
    assert result.tolist() == [2.0, 1.0] and not np.shares_memory(result.numpy(), x.numpy())
    with pytest.raises(ValueError, match="read-only"):
        library.numpy_op(lambda x: np.negative(x, out=x))(x)
    assert library.numpy_op(lambda x: x.sum())(x).shape == ()
    assert library.numpy_op(lambda x: x > 1)(x).tolist() == [False, True]


def test_a_gradient_in_numpy_is_differentiable_once():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    (slope,) = grad(power(x, exponent=2).sum(), x, create_graph=True)
    assert slope.tolist() == [2.0, 4.0]
    with raises(UnsupportedError, "power_slope", "'power_slope' has no gradient"):
        slope.sum().backward()
    with raises(UnsupportedError, "power_slope", "'power_slope' has no gradient"):
        func.jvp(power, (x,), (x,))


def test_saved_arrays_are_checked_for_changes():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    result = power(y)
    y.mul_(2)
    with raises(MutationError, "backward of powerBackward", "powerBackward", "changed"):
        result.sum().backward()


def test_several_arrays_and_changes_in_place():
    @library.numpy_op
    def parts(xs, *, whole=True):
        fractions, wholes = np.modf(np.concatenate(xs))
        return (fractions, wholes) if whole else fractions

    parts.register_autograd(lambda ctx, g, h: ([g[:2], g[2:]],))
    x, y = ft.tensor([0.5, 1.25], requires_grad=True), ft.tensor([2.75])
    fractions, wholes = parts([x, y])
    assert fractions.tolist() == [0.5, 0.25, 0.75] and wholes.tolist() == [0.0, 1.0, 2.0]
    (fractions * fractions).sum().backward()
    assert x.grad.tolist() == [1.0, 0.5]
    assert parts([y, y], whole=False).shape == (2,)

    @library.numpy_op(mutates_args={"out"})
    def negate(x, out):
        np.negative(x, out=out)

    assert negate(y, y[:]) is None
    assert y.tolist() == [-2.75] and y._version == 1
    same = library.numpy_op(lambda x: (x + 1,) * 2)(y)
    assert same[0].tolist() == same[1].tolist() == [-1.75]
