"""Values that nodes do not save: operands and results that PyTorch lets programs change before backward."""

from __future__ import annotations

import numpy as np
import pytest
from samples import SAMPLES, differentiable, every_operator, total

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import MutationError, grad
from facula_errors.testing import raises

POSITIVE = np.random.default_rng(0).uniform(0.3, 0.9, (4, 4))
MASK = POSITIVE > 0.5
PLACES = ft.tensor([0, 2])

# PyTorch 2.13 accepts a change in each of these programs.
OPERAND_CHANGES = {
    "exp": ft.exp,
    "tanh": ft.tanh,
    "relu": ft.relu,
    "sqrt": ft.sqrt,
    "sigmoid": ft.sigmoid,
    "expm1": ft.expm1,
    "rsqrt": ft.rsqrt,
    "reciprocal": ft.reciprocal,
    "neg": ft.neg,
    "x + 2": lambda x: x + 2,
    "2 - x": lambda x: 2 - x,
    "x * 2": lambda x: x * 2,
    "x / 2": lambda x: x / 2,
    "x % 2": lambda x: x % 2,
    "2 / x": lambda x: 2 / x,
    "1 / x": lambda x: 1 / x,
    "sum": ft.sum,
    "mean(1)": lambda x: x.mean(1),
    "max(1)": lambda x: x.max(1).values,
    "max(0, keepdim)": lambda x: x.max(0, keepdim=True).values,
    "min(1)": lambda x: x.min(1).values,
    "min(-1) of a row": lambda x: x[0].min(-1).values,
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(1),
    "where": lambda x: ft.where(ft.tensor(MASK), x, 0.0),
    "cat": lambda x: ft.cat([x, x]),
    "x[index]": lambda x: x[PLACES],
    "x[mask]": lambda x: x[MASK],
    "transpose": lambda x: x.t().contiguous(),
    "expand": lambda x: x.expand(2, 4, 4) * 1,
    "max_pool2d": lambda x: F.max_pool2d(x.view(1, 1, 4, 4), 2, return_indices=True)[0],
    "avg_pool2d": lambda x: F.avg_pool2d(x.view(1, 1, 4, 4), 2),
    "matmul, the other saved": lambda x: x @ ft.tensor(POSITIVE),
    "mul, the other saved": lambda x: x * ft.tensor(POSITIVE),
    "linear, the weight saved": lambda x: F.linear(x, ft.tensor(POSITIVE)),
}
RESULT_CHANGES = {
    "log": ft.log,
    "sin": ft.sin,
    "abs": ft.abs,
    "2 / x": lambda x: 2 / x,
    "1 / x": lambda x: 1 / x,
    "x / 2": lambda x: x / 2,
    "x ** 3": lambda x: x**3,
    "x * x": lambda x: x * x,
    "x / x": lambda x: x / x,
    "matmul": lambda x: x @ x,
    "max(1)": lambda x: x.max(1).values,
    "mean": ft.mean,
    "linear": lambda x: F.linear(x, ft.tensor(POSITIVE)),
    "clamp": lambda x: x.clamp(0.4, 0.6),
}


def gradient(function, change):
    """Return the gradient of the sum, with an operand or a result that is changed after the forward pass."""
    leaf = ft.tensor(POSITIVE, requires_grad=True)
    operand = leaf.clone()
    out = function(operand)
    if change:
        with ft.no_grad():
            (operand if change == "operand" else out).add_(1)
    (out * out.detach().clone()).sum().backward()
    return leaf.grad.numpy()


@pytest.mark.parametrize("name", OPERAND_CHANGES)
def test_the_operand_may_change(name):
    function = OPERAND_CHANGES[name]
    np.testing.assert_array_equal(gradient(function, "operand"), gradient(function, None))


@pytest.mark.parametrize("name", RESULT_CHANGES)
def test_the_result_may_change(name):
    leaf = ft.tensor(POSITIVE, requires_grad=True)
    function = RESULT_CHANGES[name]
    expected = gradient(lambda x: function(x) * 1, None)
    out = function(leaf * 1)
    factor = out.detach().clone()
    with ft.no_grad():
        out.add_(1)
    (out * factor).sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), expected, rtol=1e-14)


def gradients_of_call(name, before=(), after=()):
    """Return the gradients of a call, or None. The operands at `before` or `after` are changed before or after it."""
    ft.manual_seed(0)
    leaves = SAMPLES[name].leaves()
    operands = [leaf * 1 for leaf in leaves]
    with ft.no_grad():
        for place in before:
            operands[place].mul_(1)
    out = SAMPLES[name](*operands)
    if not differentiable(out) or out.is_meta:
        return None
    result = total(out)
    with ft.no_grad():
        for place in after:
            operands[place].add_(1)
    return [None if g is None else g.numpy() for g in grad(result, leaves, allow_unused=True)]


@every_operator
def test_changes_before_a_call_are_allowed(name):
    """A node stores the version of a value when it saves the value; the second call takes the fast path."""
    expected = gradients_of_call(name)
    for _ in range(2):
        np.testing.assert_equal(gradients_of_call(name, before=range(SAMPLES[name].case.arity)), expected)


@every_operator
def test_changes_after_a_call_are_errors_if_the_gradient_reads_the_value(name):
    expected = gradients_of_call(name)
    for place in (*range(SAMPLES[name].case.arity),) * 2:
        try:
            got = gradients_of_call(name, after=(place,))
        except MutationError:
            continue
        np.testing.assert_equal(got, expected)


def test_the_indices_of_an_extreme_must_not_change():
    values, indices = (ft.tensor(POSITIVE, requires_grad=True) * 1).max(1)
    indices.add_(1)
    with raises(RuntimeError, "backward of max_dim", "indices"):
        values.sum().backward()


def test_a_number_divided_by_a_tensor():
    """Values, dtypes and derivatives to order two."""
    from facula_autograd import gradcheck, gradgradcheck

    x = ft.tensor(POSITIVE, requires_grad=True)
    assert gradcheck(lambda x: 3.0 / x, (x,))
    assert gradgradcheck(lambda x: 3.0 / x, (x,))
    np.testing.assert_allclose((3 / x).detach().numpy(), 3 / POSITIVE, rtol=1e-15)
    assert (1 / ft.tensor([2, 4])).tolist() == [0.5, 0.25]
    assert (np.float64(1.0) / ft.tensor([2.0])).dtype is ft.float32
    assert (1j / ft.tensor([2.0])).tolist() == [0.5j]
    assert (complex(1) / ft.tensor([2.0])).dtype is ft.complex64
    assert (True / ft.tensor([4], dtype=ft.float16)).dtype is ft.float16


CONSTANTS = {
    "long": lambda x: x.long(),
    "bool": lambda x: x.bool(),
    "to": lambda x: x.to(ft.uint8),
    "sum": lambda x: x.sum(dtype=ft.int64),
    "cumsum": lambda x: x.cumsum(0, dtype=ft.int64),
    "copy_": lambda x: ft.zeros(2, dtype=ft.int64).copy_(x),
    "setitem": lambda x: _set(ft.zeros(2, dtype=ft.int64), x),
}


def _set(target, value):
    target[:] = value
    return target


@pytest.mark.parametrize("name", CONSTANTS)
def test_no_gradient_flows_through_integers(name):
    got = CONSTANTS[name](ft.tensor([1.5, 2.5], requires_grad=True))
    assert not got.requires_grad and got.grad_fn is None
    got.numpy()


@pytest.mark.parametrize("name", ["lerp_", "ldexp_"])
def test_in_place_gradients_use_the_previous_value(name):
    x, y = (ft.tensor(numbers, dtype=ft.float64, requires_grad=True) for numbers in ([1.0, 2.0], [0.5, 3.0]))
    operands = (y, y) if name == "lerp_" else (y,)
    expected = grad(getattr(x * 1, name.removesuffix("_"))(*operands).sum(), (x, y))
    got = grad(getattr(x * 1, name)(*operands).sum(), (x, y))
    assert [result.tolist() for result in got] == [tensor.tolist() for tensor in expected]
