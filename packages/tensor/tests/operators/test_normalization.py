"""Batch normalization, linear layers and dropout: values, running statistics, gradients to order two, errors."""

import numpy as np
import pytest
from elements import check_slopes, lay, values_of

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import gradcheck
from facula_errors.testing import raises

TOLERANCE = {"float32": 3e-5, "float64": 1e-12}


def drawn(*shapes, dtype="float64", grad=False, seed=0):
    rng = np.random.default_rng(seed)
    return [ft.tensor(rng.standard_normal(shape) + 1, dtype=getattr(ft, dtype), requires_grad=grad) for shape in shapes]


# ------------------------------------------------------------------------------------------------ batch_norm
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    "shape", [(5, 3), (32, 70), (2, 3, 1), (3, 5, 9, 11), (64, 16, 4, 4), (8, 2, 3, 2, 2)], ids=str
)
def test_batch_norm(shape, dtype):
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(shape) * 2 + 3).astype(dtype)
    dims = (0, *range(2, len(shape)))
    channels = (shape[1], *(1,) * (len(shape) - 2))
    weight, bias, mean, var = (rng.random(shape[1]).astype(dtype) + 0.5 for _ in range(4))
    wide = x.astype(np.float64)
    n = wide.size // shape[1]
    normal = (wide - wide.mean(dims, keepdims=True)) / np.sqrt(wide.var(dims, keepdims=True) + 1e-3)
    wanted = normal * weight.reshape(channels) + bias.reshape(channels)
    given = (wide - mean.reshape(channels)) / np.sqrt(var.reshape(channels).astype(np.float64) + 1e-3)
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    w, b = ft.tensor(weight), ft.tensor(bias)
    for layout in ("contiguous", "transposed", "sliced", "offset"):
        running = ft.tensor(mean), ft.tensor(var)
        got = F.batch_norm(lay(x, dtype, layout), *running, w, b, True, 0.2, 1e-3)
        np.testing.assert_allclose(values_of(got), wanted, **close)
        np.testing.assert_allclose(values_of(running[0]), 0.8 * mean + 0.2 * wide.mean(dims), **close)
        np.testing.assert_allclose(values_of(running[1]), 0.8 * var + 0.2 * wide.var(dims) * n / (n - 1), **close)
        assert [statistic._version for statistic in running] == [1, 1]
        running = ft.tensor(mean), ft.tensor(var)
        got = F.batch_norm(lay(x, dtype, layout), *running, eps=1e-3)
        np.testing.assert_allclose(values_of(got), given, **close)
        assert [statistic._version for statistic in running] == [0, 0]
        got = F.batch_norm(lay(x, dtype, layout), None, None, training=True, eps=1e-3)
        np.testing.assert_allclose(values_of(got), normal, **close)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(4, 3), (3, 2, 2, 3)], ids=str)
def test_gradients_of_batch_norm(shape, training):
    x, w, b = drawn(shape, shape[1:2], shape[1:2], grad=True)
    mean, var = drawn(shape[1:2], shape[1:2], seed=1)
    var = var * var + 0.5

    def affine(x, w, b):
        return F.batch_norm(x, mean.clone(), var.clone(), w, b, training)

    def plain(x):
        return F.batch_norm(x, mean.clone(), var.clone(), training=training)

    for function, operands in ((affine, (x, w, b)), (plain, (x,))):
        check_slopes(function, operands)
    fixed = x.detach()
    assert gradcheck(lambda w: F.batch_norm(fixed, mean, var, w, None, training), (w,))


def test_a_long_channel_keeps_its_precision():
    x = ft.randn(3, 1, 100_000) * 0.01 + 1000.0
    y = F.batch_norm(x, None, None, training=True, eps=1e-12).double()
    assert abs(y.mean().item()) < 1e-4
    assert (y * y).mean().item() == pytest.approx(1, abs=1e-3)


def test_running_statistics_in_views():
    both = ft.zeros(2, 3)
    F.batch_norm(ft.ones(4, 3), both[0], both[1], training=True)
    assert both._version == 2
    assert both[0].tolist() == pytest.approx([0.1] * 3)
    assert both[1].tolist() == [0.0] * 3


def test_running_statistics_in_any_memory_layout():
    x, both = drawn((4, 3), (3, 2))
    wanted = both[:, 0].clone(), both[:, 1].clone()
    expected = F.batch_norm(x, *wanted, training=True)
    assert (F.batch_norm(x, both[:, 0], both[:, 1], training=True) == expected).all()
    assert (both == ft.stack(wanted, 1)).all() and both._version == 2


@pytest.mark.parametrize("shape", [(0, 2), (2, 3, 0), (3, 2, 0, 4), (5, 0), (1, 0, 4)], ids=str)
def test_without_elements(shape):
    x, w, b = drawn(shape, shape[1:2], shape[1:2], grad=True)
    mean, var = ft.zeros(shape[1], dtype=ft.float64), ft.ones(shape[1], dtype=ft.float64)
    F.batch_norm(x, mean, var, w, b, True).sum().backward()
    assert x.grad.shape == x.shape
    assert w.grad.tolist() == b.grad.tolist() == mean.tolist() == [0.0] * shape[1]
    assert mean._version == var._version == 0


REFUSED = {
    "one value": (lambda x, m, v: F.batch_norm(x[:1], m, v, training=True), ValueError, "more than 1 value ... (1, 3)"),
    "no statistics": (lambda x, m, v: F.batch_norm(x, None, v), ValueError, "running_mean and running_var"),
    "one dimension": (lambda x, m, v: F.batch_norm(x[0], m, v), ValueError, "(n, channels, ... got shape (3,)"),
    "momentum": (
        lambda x, m, v: F.batch_norm(x, m, v, momentum="x"),
        TypeError,
        "momentum to be a real number; got str 'x'",
    ),
    "eps": (lambda x, m, v: F.batch_norm(x, m, v, eps=None), TypeError, "eps to be a real number; got NoneType None"),
    "channels": (
        lambda x, m, v: F.batch_norm(x[:, :2], m, v),
        ValueError,
        "input of 3 channels ... running_mean ... (4, 2)",
    ),
    "channels of one": (
        lambda x, m, v: F.batch_norm(x[:1, :2], m, v, training=True),
        ValueError,
        "input of 3 channels ... running_mean ... (1, 2)",
    ),
    "no eps": (lambda x, m, v: F.batch_norm(x, m, v, training=True, eps=0.0), ValueError, "eps above 0 in training"),
    "shape": (lambda x, m, v: F.batch_norm(x, m[:2], v, training=True), ValueError, "running_mean of shape (3,)"),
    "weight": (
        lambda x, m, v: F.batch_norm(x, m, v, ft.ones(4), training=True),
        ValueError,
        "weight ... (3,) ... (4,)",
    ),
    "dtype": (lambda x, m, v: F.batch_norm(x, m, v.double(), training=True), TypeError, "running_var float64"),
    "half": (lambda x, m, v: F.batch_norm(x.half(), m, v.double(), training=True), TypeError, "got input float16"),
    "shared": (lambda x, m, v: F.batch_norm(x, m, m, training=True), RuntimeError, "shares its memory"),
    "overlapping": (lambda x, m, v: F.batch_norm(x, m, v[:1].expand(3), training=True), RuntimeError, "one place"),
    "strided": (lambda x, m, v: F.batch_norm(x, x.t()[0, :3], v, training=True), RuntimeError, "share"),
    "leaf": (lambda x, m, v: F.batch_norm(x, m.clone().requires_grad_(), v, training=True), RuntimeError, "leaf"),
    "foreign": (lambda x, m, v: F.batch_norm(x, m, [0.0], training=True), (TypeError, AttributeError), "list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_error_changes_nothing(name):
    action, kind, text = REFUSED[name]
    x, mean, var = ft.ones(4, 3), ft.zeros(3), ft.ones(3)
    F.batch_norm(x, mean, var, training=True)  # the fast path knows this signature
    before = mean.tolist(), var.tolist(), mean._version, var._version
    with raises(kind, "batch_norm", text):
        action(x, mean, var)
    assert (mean.tolist(), var.tolist(), mean._version, var._version) == before


def test_read_only_statistics_are_rejected():
    frozen = np.zeros(3, "f4")
    frozen.flags.writeable = False
    x, mean, var = ft.ones(4, 3), ft.zeros(3), ft.ones(3)
    F.batch_norm(x, mean, var, training=True)
    kept = mean.tolist()
    with raises(RuntimeError, "batch_norm", "cannot be written"):
        F.batch_norm(x, mean, ft.from_numpy(frozen), training=True)
    assert mean.tolist() == kept
    assert not frozen.any()


# ---------------------------------------------------------------------------------------------------- linear
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("shape", [(4, 3), (3,), (2, 2, 3), (0, 3)], ids=str)
def test_linear(shape, biased):
    x, w, b = drawn(shape, (5, 3), (5,), grad=True)
    operands = (x, w, b) if biased else (x, w)
    wanted = x.detach().numpy() @ w.detach().numpy().T + (b.detach().numpy() if biased else 0)
    np.testing.assert_allclose(values_of(F.linear(*operands)), wanted, rtol=1e-12)
    if x.numel():
        check_slopes(F.linear, operands)
    for layout in ("transposed", "sliced", "offset"):
        laid = [lay(operand.detach().numpy(), "float64", layout) for operand in operands]
        np.testing.assert_allclose(values_of(F.linear(*laid)), wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["int64", "complex64"])
def test_linear_of_other_dtypes(dtype):
    x, w, b = (operand.to(getattr(ft, dtype)) for operand in drawn((4, 3), (5, 3), (5,)))
    assert (F.linear(x, w, b) == x @ w.t() + b).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_linear_rounds_half_precision_once(dtype):
    halves = [operand.to(getattr(ft, dtype)) for operand in drawn((2, 4, 3), (5, 3), (10,))]
    halves[2] = halves[2][::2]  # not contiguous
    got, exact = F.linear(*halves), F.linear(*[half.double() for half in halves])
    assert got.dtype is getattr(ft, dtype)
    half_unit = 2.0**-11 if dtype == "float16" else 2.0**-8
    np.testing.assert_allclose(values_of(got.double()), values_of(exact), rtol=1.01 * half_unit)


def test_linear_errors():
    x = ft.ones(2, 3)
    with raises(ValueError, "linear", "input (2, 3), weight (5, 4)"):
        F.linear(x, ft.ones(5, 4))
    with raises(ValueError, "linear", "bias of shape (5,)", value=(1,)):
        F.linear(x, ft.ones(5, 3), ft.ones(1))
    with raises(TypeError, "linear", "weight float64"):
        F.linear(x, ft.ones(5, 3, dtype=ft.float64))
    with raises(TypeError, "linear", "weight", "list"):
        F.linear(x, [1.0])


# --------------------------------------------------------------------------------------------------- dropout
def test_dropout_depends_only_on_seed_and_position():
    x = ft.rand(64, 100) + 1

    def drop(x):
        ft.manual_seed(5)
        return F.dropout(x, 0.3)

    y = drop(x)
    assert abs((y == 0).float().mean().item() - 0.3) < 0.03
    kept = y != 0
    np.testing.assert_allclose(y[kept].numpy(), (x[kept] / 0.7).numpy(), rtol=1e-6)
    assert (drop(x.t().contiguous().t()) == y).all()
    assert ((drop(x.double()) != 0) == kept).all()
    assert not ((F.dropout(x, 0.3) != 0) == kept).all()


def test_gradients_of_dropout():
    (x,) = drawn((4, 5), grad=True)
    state = ft.get_rng_state()

    def drop(x):
        ft.set_rng_state(state)
        return F.dropout(x, 0.4)

    check_slopes(drop, (x,))
    y = F.dropout(x, 0.4)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), (y.detach() / x.detach()).numpy())


def test_dropout_of_probability_0_and_1():
    x = ft.tensor([1.0, np.nan, np.inf], requires_grad=True)
    state = ft.get_rng_state()
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 0.5, training=False) is x
    assert ft.equal(ft.get_rng_state(), state)
    nothing = F.dropout(x, 1.0)
    assert nothing.tolist() == [0, 0, 0]
    nothing.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
    y = ft.ones(1000)
    assert F.dropout(y, 0.5, inplace=True) is y
    assert set(y.tolist()) == {0.0, 2.0}


def test_dropout_errors():
    state = ft.get_rng_state()
    for p in (-0.1, 1.1, np.nan):
        with raises(ValueError, "dropout", "from 0 to 1"):
            F.dropout(ft.ones(2), p)
    with raises(TypeError, "dropout", "int64"):
        F.dropout(ft.ones(2, dtype=ft.int64))
    assert ft.equal(ft.get_rng_state(), state)
    with raises(RuntimeError, "dropout", "leaf"):
        F.dropout(ft.ones(2, requires_grad=True), inplace=True)


def test_an_empty_batch_updates_no_statistics():
    mean, var = ft.zeros(3), ft.ones(3)
    assert F.batch_norm(ft.zeros(0, 3, 4), mean, var, training=True).shape == (0, 3, 4)
    assert mean.tolist() == [0.0] * 3
    assert var.tolist() == [1.0] * 3
    with raises(ValueError, "batch_norm", "eps of at least 0", "-1.0"):
        F.batch_norm(ft.zeros(2, 3), None, None, training=True, eps=-1)


def test_instance_norm():
    """Each example's channels are normalized separately; running statistics are means over the examples."""
    x, w, b = drawn((4, 3, 5, 2), (3,), (3,), grad=True)
    mean, var = ft.full((3,), 2.0, dtype=ft.float64), ft.ones(3, dtype=ft.float64)
    a = x.detach().numpy()
    centre, spread = a.mean((2, 3), keepdims=True), a.var((2, 3), keepdims=True)
    got = F.instance_norm(x, mean, var, w, b, momentum=0.25, eps=0.5)
    wanted = (a - centre) / np.sqrt(spread + 0.5) * w.detach().numpy()[:, None, None] + b.detach().numpy()[
        :, None, None
    ]
    np.testing.assert_allclose(got.detach().numpy(), wanted)
    np.testing.assert_allclose(mean.numpy(), 2 * 0.75 + 0.25 * centre.mean(0).ravel())
    np.testing.assert_allclose(var.numpy(), 0.75 + 0.25 * a.var((2, 3), ddof=1).mean(0))
    fixed = F.instance_norm(x, mean, var, w, b, use_input_stats=False)
    assert (fixed == F.batch_norm(x, mean, var, w, b)).all()
    half = F.instance_norm(x.detach().half(), mean.float(), var.float())
    assert half.dtype is ft.float16 and F.instance_norm(x[:0]).shape == (0, 3, 5, 2)
    small = x.detach()[:2, :, :2].clone().requires_grad_()
    check_slopes(lambda x, w, b: F.instance_norm(x, None, None, w, b), (small, w, b))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_local_response_norm(size):
    (x,) = drawn((2, 4, 3), grad=True)
    a = x.detach().numpy()
    squares = np.pad(a * a, ((0, 0), (size // 2, (size - 1) // 2), (0, 0)))
    around = np.stack([squares[:, c : c + size].sum(1) for c in range(4)], 1) / size
    got = F.local_response_norm(x, size, alpha=0.5, beta=0.6, k=1.5)
    np.testing.assert_allclose(got.detach().numpy(), a / (1.5 + 0.5 * around) ** 0.6)
    check_slopes(lambda x: F.local_response_norm(x, size), (x,))


@pytest.mark.parametrize("beta", [0.5, 0.75, 1.0, 1.5])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_local_response_norm_of_extreme_numbers(dtype, beta):
    """Check sums of squares that are 0, subnormal, huge, infinite or NaN next to ordinary ones."""
    a = np.geomspace(1e-25, 1e25, 101).astype(dtype)
    a[::9], a[5], a[50], a[60], a[70] = -a[::9], 0, np.inf, -np.inf, np.nan
    with np.errstate(all="ignore"):
        wanted = a / (a * a) ** a.dtype.type(beta)
    got = F.local_response_norm(ft.from_numpy(a[None, None]), 1, alpha=1, beta=beta, k=0).numpy()[0, 0]
    np.testing.assert_allclose(got, wanted, rtol=8 * np.finfo(dtype).eps, atol=1e-25)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: F.instance_norm(x[0, 0]), "instance_norm: expected input (n, channels, ...)"),
        (lambda x: F.instance_norm(x[:, :, :1]), "instance_norm: more than 1 spatial element"),
        (lambda x: F.instance_norm(x, weight=ft.ones(2)), "instance_norm: expected weight of shape (3,) ... got (2,)"),
        (lambda x: F.instance_norm(x, use_input_stats=False), "instance_norm: expected running_mean and running_var"),
        (lambda x: F.local_response_norm(x[0], 2), "local_response_norm: at least 3 dimensions"),
        (lambda x: F.local_response_norm(x, 0), "local_response_norm: size of at least 1"),
    ],
)
def test_errors_of_instance_and_local_response_norm(call, text):
    with raises(ValueError, text):
        call(ft.ones(2, 3, 4))
