"""Derivatives of functions, compared with finite differences, each other and closed forms; nesting, trees, errors."""

from collections import defaultdict, deque, namedtuple
from itertools import product

import numpy as np
import pytest
from autograd_helpers import Box

from facula_autograd import GradientError, Variable, is_grad_enabled, no_grad
from facula_autograd.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, value_and_grad, vjp
from facula_errors.testing import raises

Pair = namedtuple("Pair", "a b")
X = np.array([[0.3, -0.7, 1.1], [0.2, 0.9, -0.4]])
W = np.array([0.5, -1.0, 2.0])


def mixed(x, w):
    """Return an array of two elements from x (2, 3) and w (3,)."""
    return np.tanh(x @ w) * np.exp(x[:, 0]) + (w * w).sum()


def numeric(f, *args, at, step=1e-6):
    """Return the derivatives of f's output by argument `at`, by finite differences, in Jacobian shape."""
    x = args[at]
    columns = []
    for k in np.ndindex(np.shape(x)):
        moved = []
        for sign in (1, -1):
            y = np.array(x, dtype=float)
            y[k] += sign * step
            moved.append(np.asarray(f(*args[:at], y, *args[at + 1 :]), dtype=float))
        columns.append((moved[0] - moved[1]) / (2 * step))
    out = np.stack(columns, -1)
    return out.reshape((*out.shape[:-1], *np.shape(x)))


# ---- first derivatives


@pytest.mark.parametrize("at", [0, 1, -1])
def test_jacobians_and_gradients_equal_finite_differences(at):
    np.testing.assert_allclose(jacrev(mixed, at)(X, W), numeric(mixed, X, W, at=at % 2), atol=1e-8)

    def total(x, w):
        return (mixed(x, w) ** 2).sum()

    found, value = grad_and_value(total, at)(X, W)
    np.testing.assert_allclose(found, numeric(total, X, W, at=at % 2), atol=1e-7)
    assert value == total(X, W) == value_and_grad(total, at)(X, W)[0]
    assert type(found) is np.ndarray and isinstance(value, float)
    assert grad(total).__name__ == "total"
    np.testing.assert_array_equal(grad(total, at)(X, W), value_and_grad(total, at)(X, W)[1])


def test_products_with_jacobians():
    output, pull_back = vjp(mixed, X, W)
    g, tangents = np.array([1.0, -2.0]), (X[::-1], W * W)
    np.testing.assert_array_equal(output, mixed(X, W))
    by_x, by_w = (numeric(mixed, X, W, at=at) for at in (0, 1))
    for _ in range(2):  # may be called repeatedly
        found = pull_back(g)
        np.testing.assert_allclose(found[0], np.tensordot(g, by_x, 1), atol=1e-8)
        np.testing.assert_allclose(found[1], g @ by_w, atol=1e-8)
    _, pull_pair = vjp(lambda x: (x * 2, x + 1), 3.0)
    assert pull_pair((1.0, 10.0)) == pull_pair(1.0, 10.0) == pull_pair(1.0, 10.0, create_graph=True) == (12.0,)
    again, tangent = jvp(mixed, (X, W), tangents)
    np.testing.assert_array_equal(again, output)
    np.testing.assert_allclose(tangent, np.tensordot(by_x, tangents[0], 2) + by_w @ tangents[1], atol=1e-8)


# ---- nested

TAKEN = {
    "grad": grad,
    "jvp": lambda f: lambda x: jvp(f, (x,), (1.0,))[1],
    "vjp": lambda f: lambda x: vjp(f, x)[1](1.0)[0],
    "jacrev": jacrev,
}


@pytest.mark.parametrize("names", list(product(TAKEN, repeat=3)), ids="-".join)
def test_third_derivatives_in_any_order(names):
    def derivative(x):
        return np.sin(x) * x * x

    for name in names:
        derivative = TAKEN[name](derivative)
    x = 0.7
    wanted = 6 * np.cos(x) - 6 * x * np.sin(x) - x * x * np.cos(x)
    assert derivative(x) == pytest.approx(wanted, rel=1e-12)
    assert not isinstance(derivative(x), Variable)


@pytest.mark.parametrize("inner", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("outer", TAKEN.values(), ids=TAKEN)
def test_inner_derivatives_use_their_own_argument(inner, outer):
    assert outer(lambda x: x * inner(lambda y: x + y)(1.0))(1.0) == 1.0
    assert outer(lambda x: inner(lambda y: x * y)(x))(3.0) == 1.0
    assert outer(lambda x: inner(lambda y: x * y * y)(x))(3.0) == 12.0


def test_second_derivatives_by_several_arguments():
    def total(x, w):
        return (mixed(x, w) ** 2).sum()

    found = hessian(total, (0, 1))(X, W)
    for i, j in product(range(2), repeat=2):
        np.testing.assert_allclose(found[i][j], numeric(grad(total, i), X, W, at=j), atol=1e-6)
    assert found[0][1].shape == (2, 3, 3)
    np.testing.assert_allclose(hessian(mixed, 1)(X, W), numeric(jacrev(mixed, 1), X, W, at=1), atol=1e-6)


# ---- trees, and arguments that are not trees of arrays


def test_arguments_and_outputs_in_trees():
    def f(d, pair):
        return {"s": pair.a * d["w"][0], "t": [pair.b**2]}

    d, pair = {"w": (np.array([1.0, 2.0]),), "b": 4.0}, Pair(3.0, 5.0)
    found = jacrev(f, (0, 1))(d, pair)
    assert list(found) == ["s", "t"] and isinstance(found["s"][1], Pair)
    np.testing.assert_array_equal(found["s"][0]["w"][0], [[3.0, 0.0], [0.0, 3.0]])
    np.testing.assert_array_equal(found["s"][1].a, [1.0, 2.0])
    assert found["t"][0][1] == Pair(0.0, 10.0) and found["t"][0][0]["b"] == 0.0
    _, pull_back = vjp(f, d, pair)
    ours, theirs = pull_back({"t": [1.0], "s": np.ones(2)})  # for any order of the keys
    assert theirs == Pair(3.0, 10.0) and ours["w"][0].tolist() == [3.0, 3.0]
    _, tangent = jvp(f, (d, pair), ({"b": 0.0, "w": (np.ones(2),)}, Pair(0.0, 1.0)))
    assert tangent["s"].tolist() == [3.0, 3.0] and tangent["t"] == [10.0]


def test_deques_and_defaultdicts_are_trees():
    ours, theirs = grad(lambda d, row: d["a"] * d["b"] * row[0], (0, 1))(
        defaultdict(int, a=2.0, b=3.0), deque([5.0], 4)
    )
    assert (dict(ours), ours["c"]) == ({"a": 15.0, "b": 10.0}, 0) and theirs == deque([6.0]) and theirs.maxlen == 4


def test_auxiliary_results():
    def f(x, scale=2.0):
        return (x * scale).sum(), {"x": x, "n": 3}

    g, (value, aux) = grad_and_value(f, has_aux=True)(W, scale=3.0)
    assert (g.tolist(), value, aux["n"]) == ([3.0] * 3, 4.5, 3) and type(aux["x"]) is np.ndarray
    assert value_and_grad(f, has_aux=True)(W)[0][1]["n"] == grad(f, has_aux=True)(W)[1]["n"] == 3
    assert vjp(f, W, has_aux=True)[2]["n"] == jvp(f, (W,), (W,), has_aux=True)[2]["n"] == 3
    assert jacrev(f, has_aux=True)(W)[1]["n"] == 3


def test_variables_as_arguments_and_results():
    x = Variable(2.0, True)
    y = grad(lambda v: v**3)(x)
    y.backward()
    assert (y.value, x.grad.value) == (12.0, 12.0)
    y = grad(lambda v: v**3)(Variable(2.0))
    assert y.value == 12.0 and not y.requires_grad
    box = Box(3.0)
    assert grad(lambda b: b * b * b)(box).number == 27.0 and box.node is None
    assert (
        vjp(lambda b: b * b, box)[1](Box(1.0))[0].number == jvp(lambda b: b * b, (box,), (Box(1.0),))[1].number == 6.0
    )


@pytest.mark.parametrize("take", [grad, lambda f: lambda x: value_and_grad(f)(x)[1]], ids=["grad", "value_and_grad"])
def test_other_graphs_are_unchanged(take):
    """Gradients of other leaves do not change, and graphs that do not lead to the arguments are not released."""
    w = Variable(3.0, True)
    other, kept = w * w, []

    def f(x):
        kept.append(w * w)
        return x * x * w + other + kept[-1] * x

    assert take(f)(2.0) == 2 * 2 * 3 + 9 and w.grad is None
    other.backward()
    kept[0].backward()
    assert w.grad.value == 12.0
    seen = []

    def hooked(x):
        x.register_hook(lambda g: seen.append(g.value) or g * 2)
        x.register_post_accumulate_grad_hook(seen.append)
        return x * x

    assert take(hooked)(2.0) == 8.0 and seen == [4.0]

    def differentiated(x):
        (x * x).backward()
        return x * x.grad.value

    assert take(differentiated)(2.0) == 4.0


def test_surrounding_modes_have_no_effect():
    with no_grad():
        assert grad(lambda x: grad(lambda y: y**3)(x))(2.0) == 12.0
        assert not is_grad_enabled()
    assert grad(lambda x: 3.0)(2.0) == 0.0 and jvp(lambda x: 3.0, (2.0,), (1.0,)) == (3.0, 0.0)
    assert jacrev(lambda x: x * np.ones((0, 2)))(2.0).shape == (0, 2)
    assert grad(lambda x: x.sum())(np.float32([1, 2])).dtype == np.float32


@pytest.mark.parametrize(("call", "text"), [
    (lambda: grad(lambda x: x)(W), "grad: expected the function to return one real number; got a float64 array"),
    (lambda: value_and_grad(lambda x: ())(W), "value_and_grad: expected ... one real number; got nothing"),
    (lambda: grad(lambda x: "no")(W), "grad: expected the function to return numbers or arrays; got 'no'"),
    (lambda: grad(lambda x: x.sum(), has_aux=True)(W), "grad: expected the function to return (output, aux)"),
    (lambda: grad(abs, 1)(W), "grad: expected argnums within 1 positional arguments; got 1"),
    (lambda: jacrev(abs, True)(W), "jacrev: expected argnums to be an int or a tuple of ints; got True"),
    (lambda: grad(abs, (0, -2))(W, W), "grad: expected argnums to name at least one argument, each once"),
    (lambda: grad(abs, ())(W), "grad: expected argnums to name at least one argument, each once"),
    (lambda: grad(abs)("text"), "grad: expected numbers or arrays to differentiate by; got 'text'"),
    (lambda: grad(abs)(np.arange(3)), "grad: expected floating-point ... to differentiate by; got a int64"),
    (lambda: jvp(lambda x: np.arange(3), (W,), (W,)), "jvp: expected the function to return floating-point ... int64"),
    (lambda: jacfwd(lambda x: W > 0)(W), "jacfwd: expected the function to return floating-point or ... got a bool"),
    (lambda: vjp(3, W), "vjp: expected a function; got int 3"),
    (lambda: grad(None)(W), "grad: expected a function; got NoneType None"),
    (lambda: vjp(lambda x: (x, x), W)[1](W), "vjp: expected the cotangents to be built like tuple(*, *); got *"),
    (lambda: vjp(lambda x: x, W)[1](X), "vjp: expected the cotangents ... expected shape (3,); got (2, 3)"),
    (lambda: jvp(abs, W, W), "jvp: expected primals to be a tuple; got ndarray"),
    (lambda: jvp(abs, (W,), (W, W)), "jvp: expected the tangents to be built like tuple(*); got tuple(*, *)"),
    (lambda: jvp(lambda x: 3.0, (W,), (W,), strict=True), "jvp: expected every output to depend on the primals"),
    (lambda: jacrev(lambda b: b * b)(Box(1.0)), "jacrev: expected numbers and arrays; got the box of 1.0"),
])  # fmt: skip
def test_errors(call, text):
    with raises((GradientError, TypeError, ValueError, IndexError, NotImplementedError), text):
        call()
    assert grad(lambda x: x * x)(3.0) == 6.0, "no level is left behind"
