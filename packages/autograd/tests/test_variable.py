"""Variables over numbers and NumPy arrays, against numerical derivatives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from facula_autograd import GradientError, Variable, grad, gradcheck, gradgradcheck
from facula_errors.testing import raises

RNG = np.random.default_rng(7)


def variable(shape, dtype=complex):
    x = RNG.uniform(0.5, 1.5, shape)
    return Variable(x + 1j * RNG.uniform(0.5, 1.5, shape) if dtype is complex else x, requires_grad=True)


CASES = {
    "add": (lambda a, b: a + b, (2, 3), (3,)),
    "sub": (lambda a, b: a - b, (1, 3), (2, 1)),
    "mul": (lambda a, b: a * b, (2, 3), (2, 1)),
    "div": (lambda a, b: a / b, (2, 2), ()),
    "constants": (lambda a: 2 / (1 - a * np.arange(3.0)) + np.ones((2, 3)) - 3 * a, (3,)),
    "pow": (lambda a: a**3 + a**0.5, (2, 2)),
    "matmul": (lambda a, b: a @ b, (2, 3), (3, 2)),
    "matmul, batched": (lambda a, b: a @ b, (2, 2, 3), (3, 1)),
    "matrix by vector": (lambda a, b: a @ b, (2, 3), (3,)),
    "vector by matrix": (lambda a, b: a @ b, (3,), (3, 2)),
    "dot": (lambda a, b: a @ b, (3,), (3,)),
    "index": (lambda a: a[1] * a[[0, 0, 1]], (2, 2)),
    "sums": (lambda a: a.sum() * a.sum(0) * a.sum(1, keepdims=True), (2, 2)),
    "reshape": (lambda a: -a.reshape(4) * a.reshape(2, 2)[0, 1], (2, 2)),
}


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("case", CASES)
def test_derivatives(case, dtype):
    function, *shapes = CASES[case]
    inputs = [variable(shape, dtype) for shape in shapes]
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


def test_mixed_complex_and_real_operands():
    inputs = [variable((2,)), variable((2,), float)]
    assert gradcheck(lambda a, b: a * b + b, inputs)
    assert gradgradcheck(lambda a, b: a * b + b, inputs)


@settings(deadline=None, max_examples=40)
@given(mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_broadcasting(shapes):
    a, b = (Variable(RNG.standard_normal(shape), requires_grad=True) for shape in shapes.input_shapes)
    out = a * b + a
    np.testing.assert_allclose(out.value, a.value * b.value + a.value)
    out.sum().backward()
    ones = np.ones(shapes.result_shape)
    for leaf, full in ((a, ones * b.value + ones), (b, ones * a.value)):
        assert leaf.grad.shape == leaf.shape
        extra = full.ndim - len(leaf.shape)
        axes = tuple(range(extra)) + tuple(k + extra for k, n in enumerate(leaf.shape) if n == 1)
        np.testing.assert_allclose(leaf.grad.value, full.sum(axis=axes).reshape(leaf.shape))


def test_float32_stays_float32():
    x = Variable(np.array([1.0, np.nan, np.inf], np.float32), requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad.value.dtype == np.float32
    assert x.grad.value.tolist() == [2.0, 2.0, 2.0]  # not affected by the NaN and the infinity


def test_repeated_indices_add_up():
    x = Variable(np.zeros(3), requires_grad=True)
    x[[0, 0, 2]].sum().backward()
    assert x.grad.value.tolist() == [2.0, 0.0, 1.0]


def test_numpy_on_the_left():
    x = Variable(np.ones(3), requires_grad=True)
    y = np.arange(3.0) * x
    assert isinstance(y, Variable)
    assert isinstance(np.ones((2, 3)) @ x, Variable)


def test_numbers():
    x = Variable(3.0, requires_grad=True)
    (g,) = grad(1 / x, x, create_graph=True)
    assert g.value == pytest.approx(-1 / 9)
    assert grad(g, x)[0].value == pytest.approx(2 / 27)


def test_refusals():
    with raises(TypeError, "Variable", "list"):
        Variable([1.0])
    with raises(TypeError, "Variable", "str"):
        Variable(2.0) ** "2"
    with raises(ValueError, "@", "dimension"):
        Variable(2.0) @ Variable(np.ones(2))
    with raises(GradientError, "requires_grad_", "int64"):
        Variable(np.arange(3), requires_grad=True)


def test_only_python_and_facula_errors_are_imported():
    import subprocess
    import sys

    code = (
        "import sys; before = set(sys.modules); import facula_autograd\n"
        "from facula_autograd.extend import functions, graphs, hooks, modes, nodes, saved_values, values\n"
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names))); "
        "print(sorted(new & {'inspect', 'asyncio', 'typing', 'dataclasses', 'numpy', 'multiprocessing', 'logging'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split("\n")[:2] == ["['facula_autograd', 'facula_errors']", "[]"]
