"""NumPy's functions on Variables: values equal NumPy's, and derivatives equal finite differences."""

import numpy as np
import pytest
from numpy_samples import COMPLEX, REAL, operands

import facula_autograd
from facula_autograd import GradcheckError, Variable, grad, gradcheck, gradgradcheck
from facula_errors.testing import raises

SAMPLES = {**{name: COMPLEX for name in COMPLEX}, **{name: REAL for name in REAL}}
CASES = [(name, float) for name in SAMPLES] + [(name, complex) for name in COMPLEX]
case = pytest.mark.parametrize(("name", "dtype"), CASES, ids=[f"{name}, {dtype.__name__}" for name, dtype in CASES])


def sample(name, dtype=float):
    return SAMPLES[name][name][0], list(operands(SAMPLES[name], name, dtype))


def listed(out):
    return list(out) if isinstance(out, (list, tuple)) else [out]


def leaves(arrays):
    return [Variable(a, requires_grad=True) for a in arrays]


def scalar(out):
    """Return a real number to which every element of `out` contributes differently."""
    total = 0.0
    for y in listed(out):
        weights = np.arange(1, np.size(y) + 1, dtype=np.float32).reshape(np.shape(y))
        total = total + (np.real(y) * weights).sum() + (np.imag(y) / weights).sum()
    return total


@case
def test_values_equal_numpys(name, dtype):
    function, arrays = sample(name, dtype)
    for ours, theirs in zip(listed(function(*leaves(arrays))), listed(function(*arrays)), strict=True):
        assert isinstance(ours, Variable)
        assert (ours.shape, ours.dtype) == (np.shape(theirs), np.asarray(theirs).dtype)
        np.testing.assert_allclose(ours.value, theirs, rtol=1e-11, atol=1e-13)


@case
def test_first_derivatives(name, dtype):
    function, arrays = sample(name, dtype)
    inputs = leaves(arrays)
    assert gradcheck(lambda *v: tuple(listed(function(*v))), inputs, fast_mode=dtype is complex)


@case
def test_second_derivatives(name, dtype):
    function, arrays = sample(name, dtype)

    def with_squares(*v):  # to have a nonzero second derivative
        return (*listed(function(*v)), *(x * x for x in v))

    assert gradgradcheck(with_squares, leaves(arrays), atol=2e-5, fast_mode=True)


@pytest.mark.parametrize("name", [name for name in SAMPLES if len(SAMPLES[name][name]) > 2])
@pytest.mark.parametrize("dtype", [float, complex])
def test_one_variable_among_plain_arrays(name, dtype):
    function, arrays = sample(name, dtype if name in COMPLEX else float)
    every = leaves(arrays)
    wanted = grad(scalar(function(*every)), every, allow_unused=True)
    for k, expected in enumerate(wanted):
        mixed = [Variable(a, requires_grad=True) if j == k else a for j, a in enumerate(arrays)]
        (got,) = grad(scalar(function(*mixed)), mixed[k], allow_unused=True)
        np.testing.assert_allclose(got.value, expected.value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", SAMPLES)
def test_single_precision_stays(name):
    function, arrays = sample(name)
    plain = [a.astype(np.float32) for a in arrays]
    inputs = leaves(plain)
    out = function(*inputs)
    for ours, theirs in zip(listed(out), listed(function(*plain)), strict=True):
        assert ours.dtype == theirs.dtype
    for g in grad(scalar(out), inputs, materialize_grads=True):
        assert g.dtype == np.float32


@pytest.mark.parametrize("name", SAMPLES)
def test_gradients_have_separate_memory(name):
    function, arrays = sample(name)
    inputs = leaves(arrays)
    outputs = listed(function(*inputs))
    seeds = [Variable(np.ones(y.shape, y.dtype)) for y in outputs]
    for y, seed in zip(outputs, seeds, strict=True):
        y.backward(seed, retain_graph=True)
    once = [np.array(v.grad.value) for v in inputs]
    for y, seed in zip(outputs, seeds, strict=True):
        y.backward(seed, retain_graph=True)
    held = [v.grad.value for v in inputs]
    for k, (g, first) in enumerate(zip(held, once, strict=True)):
        np.testing.assert_allclose(g, 2 * first)
        others = held[:k] + arrays + [s.value for s in seeds]
        assert not any(np.shares_memory(g, other) for other in others)
    assert all(np.all(s.value == 1) for s in seeds)
    for a, b in zip(arrays, sample(name)[1], strict=True):
        np.testing.assert_array_equal(a, b)


def test_every_declaration_has_a_sample(monkeypatch):
    np.sin(Variable(1.0))
    from facula_autograd._numpy.functions import dispatch

    class Noting(dict):
        def get(self, key, default=None):
            seen.add(key)
            return super().get(key, default)

    seen = set()
    monkeypatch.setattr(dispatch, "FUNCTIONS", Noting(dispatch.FUNCTIONS))
    for name in SAMPLES:
        function, arrays = sample(name)
        function(*leaves(arrays))
    arithmetic = set(facula_autograd._numpy.variable.ARITHMETIC)
    missing = set(dispatch.FUNCTIONS) - seen - arithmetic - {np.einsum_path}
    assert not missing


def test_a_wrong_rule_is_detected(monkeypatch):
    np.sin(Variable(1.0))
    from facula_autograd._numpy.functions import table

    monkeypatch.setitem(table.FUNCTIONS, np.sin, None)
    table.derivative(np.sin, lambda y, x: np.cos(x) * 1.001 + 1e-4)
    with raises(GradcheckError, "gradcheck", "is wrong"):
        test_first_derivatives("sin", float)
    table.derivative(np.sin, lambda y, x: np.cos(table.plain(x)))  # right, but cannot be differentiated again
    test_first_derivatives("sin", float)
    with pytest.raises(GradcheckError):
        test_second_derivatives("sin", float)
