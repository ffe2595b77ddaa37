"""Variables in NumPy code: plain NumPy programs, plain results, refusals, points without a derivative."""

import gc
import operator
import subprocess
import sys
import weakref

import numpy as np
import pytest

from facula_autograd import (
    AnomalyError,
    FreedGraphError,
    Variable,
    detect_anomaly,
    grad,
    gradcheck,
    gradgradcheck,
    no_grad,
    saved_tensors_hooks,
)
from facula_errors.testing import raises

RNG = np.random.default_rng(11)
ROWS, LABELS = RNG.standard_normal((7, 3)), np.array([0, 1, 1, 0, 1, 0, 1])


def leaf(x):
    return Variable(np.array(x, dtype=float), requires_grad=True)


def gradient(function, *xs):
    inputs = [leaf(x) for x in xs]
    found = grad(np.sum(function(*inputs)), inputs)
    return found[0].value.tolist() if len(xs) == 1 else [g.value.tolist() for g in found]


# ---- programs


def logistic_regression(w, b):
    p = 1 / (1 + np.exp(-(np.dot(ROWS, w) + b)))
    return -np.mean(LABELS * np.log(p) + (1 - LABELS) * np.log(1 - p)) + 0.01 * np.sum(w**2)


def rnn(w, u, b):
    h = np.zeros(3)
    states = []
    for x in ROWS[:4, :2]:
        h = np.tanh(w @ h + u @ x + b)
        states.append(h)
    return np.linalg.norm(np.stack(states)[1:] - np.concatenate(states).reshape(4, 3)[:-1])


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def mixture_log_likelihood(means, log_scales, logits):
    log_weights = logits - np.logaddexp.reduce(logits)
    z = (ROWS[:, :1] - means) / np.exp(log_scales)
    log_density = -0.5 * z**2 - log_scales - 0.5 * np.log(2 * np.pi)
    return np.logaddexp.reduce(log_weights + log_density, axis=1).sum()


def explained_variance(directions):
    centred = ROWS - ROWS.mean(axis=0)
    q = directions / np.linalg.norm(directions, axis=0)
    covariance = np.einsum("ni,nj->ij", centred, centred) / len(ROWS)
    return np.einsum("ik,ij,jk->", q, covariance, q) / np.trace(covariance)


def gaussian_log_likelihood(root, mean):
    covariance = root @ root.T + np.eye(2)
    off = ROWS[:, :2] - mean
    _, logdet = np.linalg.slogdet(covariance)
    return -0.5 * (np.sum(off * np.linalg.solve(covariance, off.T).T) + len(ROWS) * logdet)


def attention(x):
    q, k, v = x @ ROWS[:3], x @ ROWS[2:5], x @ ROWS[4:]
    scores = np.where(np.tri(len(x), dtype=bool), q @ np.swapaxes(k, -1, -2) / np.sqrt(x.shape[-1]), -np.inf)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (scores / scores.sum(-1, keepdims=True) @ v).var()


PROGRAMS = {
    logistic_regression: ((3,), ()),
    rnn: ((3, 3), (3, 2), (3,)),
    rosenbrock: ((5,),),
    mixture_log_likelihood: ((3,), (3,), (3,)),
    explained_variance: ((3, 2),),
    gaussian_log_likelihood: ((2, 2), (2,)),
    attention: ((4, 3),),
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_plain_numpy_programs(program):
    arrays = [RNG.uniform(0.3, 1.2, shape) for shape in PROGRAMS[program]]
    inputs = [leaf(a) for a in arrays]
    out = program(*inputs)
    assert isinstance(out, Variable)
    assert out.value == pytest.approx(program(*arrays), rel=1e-12)
    assert gradcheck(program, inputs)
    assert gradgradcheck(program, inputs, atol=1e-4)


# ---- points without a derivative


@pytest.mark.parametrize(
    ("function", "xs", "expected"),
    [
        (np.abs, [[-2.0, 0.0, 3.0]], [-1.0, 0.0, 1.0]),
        (np.sign, [[-2.0, 0.0]], [0.0, 0.0]),
        (np.maximum, [[1.0, 2.0], [1.0, 3.0]], [[0.5, 0.0], [0.5, 1.0]]),
        (np.minimum, [[1.0, 2.0], [1.0, 3.0]], [[0.5, 1.0], [0.5, 0.0]]),
        (np.maximum, [[1.0, np.nan], [np.nan, 1.0]], [[1.0, 1.0], [1.0, 1.0]]),
        (np.fmax, [[1.0, np.nan], [np.nan, 3.0]], [[1.0, 0.0], [0.0, 1.0]]),
        (lambda x: np.max(x), [[3.0, 1.0, 3.0]], [0.5, 0.0, 0.5]),
        (lambda x: x.min(axis=0), [[[1.0, 2.0], [1.0, 1.0]]], [[0.5, 0.0], [0.5, 1.0]]),
        (lambda x: np.clip(x, 0, 1), [[-1.0, 0.0, 0.5, 1.0, 2.0]], [0.0, 1.0, 1.0, 1.0, 0.0]),
        (lambda x: x**0, [[0.0, 2.0]], [0.0, 0.0]),
        (lambda x: x ** np.array([2.0, 1.0, 0.0]), [[0.0, 0.0, 0.0]], [0.0, 1.0, 0.0]),
        (lambda b: np.power(0.0, b), [[1.0, 2.0]], [0.0, 0.0]),
        (np.hypot, [[0.0], [0.0]], [[0.0], [0.0]]),
        (np.linalg.norm, [[0.0, 0.0]], [0.0, 0.0]),
        (lambda x: np.linalg.norm(x, 3), [[0.0, 0.0]], [0.0, 0.0]),
        (np.arctan2, [[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, -1.0]]),
        (np.std, [[2.0, 2.0]], [0.0, 0.0]),
        (np.prod, [[0.0, 2.0, 0.0]], [0.0, 0.0, 0.0]),
        (np.prod, [[0.0, 2.0, 3.0]], [6.0, 0.0, 0.0]),
        (np.logaddexp, [[-np.inf, 0.0], [-np.inf, -np.inf]], [[0.0, 1.0], [0.0, 0.0]]),
        (np.logaddexp.reduce, [[-np.inf, 0.0]], [0.0, 1.0]),
        (np.floor, [[1.5]], [0.0]),
        (lambda x: np.where(x > 0, x, 0.0), [[-1.0, 2.0]], [0.0, 1.0]),
    ],
)
def test_points_without_a_derivative(function, xs, expected):
    assert gradient(function, *xs) == expected


def test_square_root_at_0():
    with np.errstate(divide="ignore"):
        assert gradient(np.sqrt, [0.0]) == [np.inf]
        assert grad(np.sqrt(x := Variable(0.0, requires_grad=True)), x)[0].value == np.inf
        assert grad(np.log(x), x)[0].value == np.inf


def test_unselected_operands_contribute_nothing():
    """They do not even contribute 0 times infinity."""
    for function in (lambda x: np.where(x > 1, x, np.sqrt(x)), lambda x: np.maximum(x, 1) ** 0.5):
        assert np.isfinite(gradient(function, [4.0, 0.5])).all()
    x = leaf([1.0, 2.0])
    (np.maximum(x, np.array([5.0, 0.0])) * np.array([np.inf, 1.0])).sum().backward()
    assert x.grad.value.tolist() == [0.0, 1.0]


# ---- plain results


def test_comparisons_and_queries_are_plain():
    v, a = leaf([1.0, -2.0]), np.array([1.0, 3.0])
    for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        for pair, plain in (((v, a), (v.value, a)), ((a, v), (a, v.value)), ((v, v), (v.value, v.value))):
            got = compare(*pair)
            assert type(got) is np.ndarray
            assert got.tolist() == compare(*plain).tolist()
    for function in (np.isnan, np.isfinite, np.argmax, np.argsort, np.any, np.all, np.count_nonzero, np.nonzero,
                     np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.result_type, np.iscomplexobj,
                     np.signbit, np.logical_not, np.argmin, np.array_repr):  # fmt: skip
        got, expected = function(v), function(v.value)
        assert type(got) is type(expected)
        assert str(got) == str(expected)
    assert np.allclose(v, [1.0, -2.0]) and np.array_equal(v, v.value) and not np.allclose(a, v)
    assert np.full_like(v, 3.0).tolist() == [3.0, 3.0]
    assert np.logical_and.reduce(v) and np.greater.outer(v, a).shape == (2, 2)
    assert v.argmax() == 0 and v.any() and v.nonzero()[0].tolist() == [0, 1]
    assert v.astype(int).tolist() == [1, -2] and type(v.astype(int)) is np.ndarray
    assert np.greater(v, 0, out=np.empty(2, bool)).tolist() == [True, False]


def test_conversion_to_an_array():
    v = leaf([[1.0, 2.0], [3.0, 4.0]])
    assert (v.ndim, v.size, v.dtype, len(v), v.T.shape, v.mT.shape) == (2, 4, np.float64, 2, (2, 2), (2, 2))
    assert [row.value.tolist() for row in v] == v.tolist() == v.value.tolist()
    assert v.item(3) == 4.0
    plain = v.detach()
    assert (float(plain[0, 1]), int(plain[1, 0]), complex(plain[0, 0])) == (2.0, 3, 1 + 0j)
    assert not bool(v[0, 0] > 2) and bool(v[0, 0])
    assert f"{v[0, 1]:.2f} {v[0, 1]}" == "2.00 Variable(np.float64(2.0))"
    assert [5, 6, 7][Variable(np.int64(1))] == 6
    assert {v: 1}[v] == 1  # by identity
    assert Variable(2.5).dtype == np.float64 and Variable(2.5).item() == Variable(2.5).tolist() == 2.5
    assert sum(v.ravel()).value == 10.0
    assert max(Variable(1.0), Variable(2.0)).value == 2.0
    assert ([1.0, 2.0] * v).value.tolist() == (v * (1.0, 2.0)).value.tolist() == [[1.0, 4.0], [3.0, 8.0]]
    for empty, name in ((len, "len"), (list, "iteration")):
        with raises(TypeError, name, "dimension"):
            empty(Variable(1.0))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(v)


METHODS = {
    "all": (), "any": (), "argmax": (1,), "argmin": (), "argsort": (), "astype": (complex,), "clip": (0.3, 0.6),
    "conj": (), "conjugate": (), "copy": (), "cumprod": (0,), "cumsum": (), "diagonal": (1,), "dot": (np.ones(3),),
    "flatten": ("F",), "item": (3,), "max": (0,), "mean": (1,), "min": (), "nonzero": (), "prod": (), "ravel": (),
    "repeat": (2, 1), "reshape": (3, 2), "round": (1,), "squeeze": (), "std": (0,), "sum": (0,), "swapaxes": (0, 1),
    "take": ([1, 2], 1), "tolist": (), "trace": (), "transpose": (1, 0), "var": (), "__abs__": (), "__pos__": (),
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_arrays(name):
    v = leaf(RNG.uniform(0.2, 0.8, (2, 3)))
    got, expected = getattr(v, name)(*METHODS[name]), getattr(v.value, name)(*METHODS[name])
    if isinstance(got, Variable):
        assert got.node is not None
        got = got.value
    assert type(got) is type(expected)
    np.testing.assert_allclose(got, expected)


@pytest.mark.parametrize("name", ["real", "imag", "T", "mT", "ndim", "size", "dtype", "shape"])
def test_properties_of_arrays(name):
    v = Variable(RNG.uniform(0.2, 0.8, (2, 3)) + 1j)
    got = getattr(v, name)
    assert np.array_equal(got.value if isinstance(got, Variable) else got, getattr(v.value, name))


@pytest.mark.parametrize(
    "function",
    [np.add, np.power, np.maximum, np.hypot, np.dot, np.matmul, np.outer, np.kron, np.convolve, np.append, np.vdot,
     lambda a, b: np.stack([a, b]), lambda a, b: np.where(b, a, b), lambda a, b: np.einsum("i,i", a, b),
     lambda a, b: np.average(a, weights=b), lambda a, b: np.clip(a, b, None), np.arctan2],
)  # fmt: skip
def test_lists_and_numbers_for_arrays(function):
    a, b = [0.3, 0.7], [0.5, 0.25]
    for v, other in ((leaf(a), b), (a, leaf(b))):
        plain = [x.value if isinstance(x, Variable) else x for x in (v, other)]
        np.testing.assert_allclose(function(v, other).value, function(*plain), rtol=1e-14)


def test_dtype_sets_the_computation_dtype():
    v = leaf([1.0, 2.0])
    for y in (np.add(v, 1, dtype=np.float32), np.sum(v, dtype=np.float32), np.exp(v, dtype="f4"), v.astype("f4")):
        assert y.dtype == np.float32
        assert grad(y.sum(), v)[0].dtype == np.float64


def test_mixed_precision():
    """Each gradient has its operand's dtype."""
    v = Variable(np.ones(3, np.float32), requires_grad=True)
    for y in (v * np.ones(3), np.ones((2, 3)) @ v, np.hypot(v, np.ones((2, 3))), v * (1 + 1j)):
        assert grad(np.real(y).sum(), v)[0].dtype == np.float32
    z = Variable(np.ones(3, complex), requires_grad=True)
    assert grad(np.real(z).sum(), z)[0].dtype == np.complex128


# ---- in the engine


@pytest.mark.parametrize(
    "function",
    [np.tanh, np.var, lambda v: v.mean(), lambda v: v @ v, lambda v: np.ones((2, 3)) @ v, lambda v: np.ones(3) * v,
     lambda v: np.linalg.norm(v, 3), lambda v: v % 2.0, lambda v: np.split(v, 3)[1], lambda v: v.T, np.stack],
)  # fmt: skip
def test_the_users_line_is_named(function):
    y = function(leaf([1.0, 2.0, 3.0]))
    pending, ours = [y.node], []
    while pending:
        node = pending.pop()
        if hasattr(node, "where"):
            ours.append(node.where)
            pending.extend(edge for edge, _ in node.next_functions)
    assert ours and all(__file__ in line for line in ours)


def test_modes():
    v = leaf([1.0, 2.0])
    with no_grad():
        assert np.tanh(v).node is None
    assert np.tanh(v.detach()).node is None
    with np.errstate(invalid="ignore"), raises(AnomalyError, "detect_anomaly", "sqrt"), detect_anomaly():
        np.sqrt(v - 3).sum().backward()
    y = np.tanh(v).sum()
    y.backward()
    with raises(FreedGraphError, "backward", "released"):
        y.backward()


def test_saved_values_may_be_kept_elsewhere():
    packed = []

    def pack(x):
        packed.append(x)
        return x.value.copy()

    inputs = [leaf([0.5, 0.7]), leaf([0.2, 0.3])]
    expected = grad(np.sum(np.arctan2(*inputs) ** 2), inputs, create_graph=True)
    with saved_tensors_hooks(pack, Variable):
        y = np.sum(np.arctan2(*inputs) ** 2)
    got = grad(y, inputs, create_graph=True)
    assert packed
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a.value, b.value)
    second = [grad(sum(g.sum() for g in gs), inputs) for gs in (got, expected)]
    np.testing.assert_allclose([g.value for g in second[0]], [g.value for g in second[1]])


def test_memory_is_freed_with_the_last_reference():
    gc.disable()
    try:
        v = leaf(np.ones((3, 3)))
        y = np.linalg.det(np.tanh(np.concatenate([v[:1], v[1:] * 2])) + np.eye(3)).sum()
        g = grad(y, v, create_graph=True)[0]
        watch = [weakref.ref(y), weakref.ref(y.node), weakref.ref(g)]
        del y, g
        assert [w() for w in watch] == [None] * 3
    finally:
        gc.enable()


def test_numbers_work_without_numpy():
    code = (
        "import sys\n"
        "from facula_autograd import Variable, grad\n"
        "x = Variable(2.0, requires_grad=True)\n"
        "y = x**3 / (1 + x) - 2 * x\n"
        "assert y > -3 and float(y.detach()) == y.value and y != None and bool(y)\n"
        "(g,) = grad(y, x, create_graph=True)\n"
        "grad(g, x)\n"
        "assert 'numpy' not in sys.modules\n"
        "assert abs(x**x).value == 4.0 and (3.0 % x).value == 1.0\n"  # these are NumPy's
        "assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
