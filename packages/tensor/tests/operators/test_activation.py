"""Activations: special points, limits, random draws and errors. The matrix tests values and derivatives."""

import numpy as np
import pytest
from cases.activations import ACTIVATIONS, ENDS
from elements import check_slopes

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad
from facula_errors.testing import raises

X = np.linspace(-7.3, 7.1, 36).reshape(9, 4)


IN_PLACE_FUNCTIONS = {
    "celu_": (F.celu, (0.7,)),
    "elu_": (F.elu, (0.7,)),
    "hardtanh_": (F.hardtanh, (-0.5, 0.25)),
    "leaky_relu_": (F.leaky_relu, (0.3,)),
    "relu_": (F.relu, ()),
    "rrelu_": (F.rrelu, (0.1, 0.3)),
    "selu_": (F.selu, ()),
    "threshold_": (F.threshold, (0.1, -2.0)),
}


@pytest.mark.parametrize("name", IN_PLACE_FUNCTIONS)
def test_functions_in_place(name):
    function, arguments = IN_PLACE_FUNCTIONS[name]
    x = ft.tensor(X)
    wanted = function(x, *arguments)
    assert getattr(F, name)(x, *arguments) is x
    assert x.tolist() == wanted.tolist()
    with raises(RuntimeError, name, "leaf"):
        getattr(F, name)(ft.tensor(X, requires_grad=True), *arguments)


@pytest.mark.parametrize("name", ["celu_", "elu_", "leaky_relu_", "selu_"])
def test_integers_reject_fractions(name):
    x = ft.tensor([-1, 2])
    for function, options in ((getattr(F, name), {}), (getattr(F, name.rstrip("_")), {"inplace": True})):
        with raises(TypeError, function.__name__, "int64"):
            function(x, **options)
    assert x.tolist() == [-1, 2]


def test_methods_of_activations():
    x = ft.tensor([-2.0, 0.25, 2.0])
    assert x.hardshrink().tolist() == ft.hardshrink(x).tolist() == [-2, 0, 2]
    assert x.prelu(ft.tensor(0.5)).tolist() == ft.prelu(x, ft.tensor(0.5)).tolist() == [-1, 0.25, 2]


def test_gumbel_softmax_draws_by_weight():
    """Frequencies of draws match the categories' probabilities; hard draws have the gradients of soft ones."""
    weights = ft.tensor([0.5, 0.3, 0.2, 0.0], dtype=ft.float64)
    ft.manual_seed(3)
    drawn = F.gumbel_softmax(weights.log().expand(4000, 4), hard=True).round(decimals=9)
    assert drawn.sum(1).tolist() == [1] * 4000 and set(drawn.reshape(-1).tolist()) == {0, 1}
    np.testing.assert_allclose(drawn.mean(0).tolist(), weights.tolist(), atol=0.03)
    for dtype in (ft.float16, ft.bfloat16, ft.float32, ft.float64):
        x, slopes = ft.tensor(X[:, :3], dtype=dtype, requires_grad=True), []
        factors = ft.tensor([[1.0], [2.0]] * (len(X) // 2) + [[3.0]] * (len(X) % 2), dtype=dtype)
        for hard in (False, True):
            ft.manual_seed(1)
            y = F.gumbel_softmax(x, 0.5, hard, dim=0)
            assert y.dtype is dtype
            slopes.append(grad((y * factors).sum(), x)[0].tolist())
        assert slopes[0] == slopes[1]
    soft = F.gumbel_softmax(ft.zeros(2, 3, 4), dim=1).sum(1)
    np.testing.assert_allclose(soft.tolist(), np.ones((2, 4)), rtol=1e-5)
    with raises(ValueError, "gumbel_softmax", "expected tau > 0", value=0):
        F.gumbel_softmax(soft, 0)
    with raises(TypeError, "gumbel_softmax", "floating dtypes", value="int64"):
        F.gumbel_softmax(ft.tensor([1, 2]))


@pytest.mark.parametrize("case", [case for case in ACTIVATIONS if case.special], ids=str)
def test_gradients_at_extreme_values(case):
    """Gradients are finite for numbers that overflow in the definition."""
    x = ft.tensor(ENDS[:-1], requires_grad=True)
    case.function(x).sum().backward()
    assert np.isfinite(x.grad.tolist()).all()


# gradients at NaN, if not NaN; from PyTorch 2.13, whose vectors and single elements differ for some of these functions
AT_NAN = {"hardtanh": 0, "relu6": 0, "hardsigmoid": 0, "leaky_relu": 0.01, "softshrink": 1, "hardshrink": 1}


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16, ft.float32, ft.float64])
@pytest.mark.parametrize(
    "name", [*AT_NAN, *"elu selu celu hardswish silu gelu mish softplus logsigmoid tanhshrink softsign".split()]
)
def test_gradients_at_nan(name, dtype):
    x = ft.tensor([np.nan, 1.0] * 20, dtype=dtype, requires_grad=True)  # vectors and single elements
    (slope,) = grad(getattr(F, name)(x).sum(), x)
    np.testing.assert_allclose(slope[::2].tolist(), [AT_NAN.get(name, np.nan)] * 20, rtol=0.01)
    assert slope[1::2].isfinite().all()


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16, ft.float32, ft.float64])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_keeps_the_signs_of_zeros(approximate, dtype):
    signs = F.gelu(ft.tensor([0.0, -0.0] * 20, dtype=dtype), approximate).signbit()
    assert signs.tolist() == [False, True] * 20


def test_tensors_as_slopes():
    x, slope = ft.tensor(X[:, :2], requires_grad=True), ft.tensor([0.3, 0.1], dtype=ft.float64, requires_grad=True)
    from facula_tensor.extend import recorded_ops

    for function in (recorded_ops.leaky_relu, recorded_ops.elu):
        check_slopes(function, (x, slope))


def test_zero_gradient_at_a_bound():
    x = ft.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    F.hardtanh(x).sum().backward()
    assert x.grad.tolist() == [0, 1, 0]


def test_default_dimension_of_softmax():
    for shape, dim in (((3,), 0), ((3, 4), 1), ((2, 3, 4), 0), ((1, 2, 3, 4), 1)):
        x = ft.rand(*shape)
        assert (F.softmax(x) == x.softmax(dim)).all()
        assert (F.log_softmax(x) == x.log_softmax(dim)).all()
    assert F.softmax(x, -1, dtype=ft.float64).dtype is ft.float64


@pytest.mark.parametrize("shape", [(600, 16), (9, 1000), (3, 5, 700)])
def test_softmax_of_operands_without_adjacent_elements(shape):
    """Strided operands have the bits of row-major ones: kernels read them from copies."""
    wide = ft.tensor(np.random.default_rng(0).standard_normal((*shape[:-1], 2 * shape[-1])), dtype=ft.float32)
    strided, dense = wide[..., ::2].detach().requires_grad_(), wide[..., ::2].contiguous().requires_grad_()
    for name in ("softmax", "log_softmax"):
        for dim in range(len(shape)):
            one, other = getattr(strided, name)(dim), getattr(dense, name)(dim)
            assert (one == other).all()
            g = wide[..., 1::2]
            assert (grad(one, strided, g)[0] == grad(other, dense, g.contiguous())[0]).all()


def test_errors():
    with raises(ValueError, "gelu", "'none' or 'tanh'", value="'fast'"):
        F.gelu(ft.ones(2), approximate="fast")
    with raises(ValueError, "hardtanh", "min_val <= max_val", value="1 and 0"):
        F.hardtanh(ft.ones(2), 1, 0)
    with raises(TypeError, "silu", "complex64"):
        F.silu(ft.ones(2, dtype=ft.complex64))
    with raises(TypeError, "elu", "list"):
        F.elu([1.0])


def test_bounds_of_integers_are_integers():
    x = ft.tensor([-1, 3, 9])
    assert F.relu6(x).dtype is ft.int64
    assert F.relu6(x).tolist() == [0, 3, 6]
    assert F.hardtanh(x, -0.5, 4.5).tolist() == [0, 3, 4]


@pytest.mark.parametrize(
    ("function", "points", "values", "slopes"),
    [
        (F.hardswish, [-3.0, 0.0, 3.0], [0, 0, 3], [0, 0.5, 1]),
        (F.hardsigmoid, [-3.0, 0.0, 3.0], [0, 0.5, 1], [0, 1 / 6, 0]),
        (F.softshrink, [-0.5, 0.0, 0.5], [0, 0, 0], [0, 0, 0]),
        (F.hardshrink, [-0.5, 0.0, 0.5], [0, 0, 0], [0, 0, 0]),
        (F.softsign, [0.0], [0], [1]),
        (F.tanhshrink, [0.0], [0], [0]),
        (F.mish, [0.0, 100.0, -200.0, 1e19, 1e300], [0, 100, 0, 1e19, 1e300], [0.6, 1, 0, 1, 1]),
        (F.selu, [0.0], [0], [1.7580993408473766]),
        (lambda x: F.threshold(x, 0, 5), [0.0, 1.0], [5, 1], [0, 1]),
    ],
)
def test_special_points(function, points, values, slopes):
    x = ft.tensor(points, dtype=ft.float64, requires_grad=True)
    y = function(x)
    y.sum().backward()
    np.testing.assert_allclose(y.tolist(), values, atol=1e-12)
    np.testing.assert_allclose(x.grad.tolist(), slopes, atol=1e-12)


@pytest.mark.parametrize("shape", [(), (5,), (4, 3), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("each", [False, True])
def test_prelu(shape, each):
    rng = np.random.default_rng(0)
    x = ft.tensor(rng.standard_normal(shape), requires_grad=True)
    weight = ft.tensor(rng.random(3 if each and len(shape) > 1 else 1), requires_grad=True)
    slopes = weight.detach().numpy().reshape(-1, *(1,) * (len(shape) - 2)) if len(shape) > 1 else weight.item()
    given = x.detach().numpy()
    np.testing.assert_allclose(F.prelu(x, weight).detach().numpy(), np.where(given > 0, given, given * slopes))
    check_slopes(F.prelu, (x, weight))


def test_rrelu_draws_slopes():
    ft.manual_seed(0)
    slopes = -F.rrelu(ft.full((1000,), -1.0), 0.2, 0.6, training=True)
    assert 0.2 <= slopes.amin().item() < 0.22
    assert 0.58 < slopes.amax().item() <= 0.6


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: F.prelu(x, ft.ones(4)), ValueError, "prelu: expected weight of one number, or of 3"),
        (lambda x: F.prelu(x, ft.ones(1).double()), TypeError, "prelu: expected all in one dtype"),
        (lambda x: F.glu(x), ValueError, "glu: expected an even length"),
        (lambda x: F.glu(x.sum()), ValueError, "glu: expected an input with a dimension"),
        (lambda x: F.softshrink(x, -1), ValueError, "softshrink: expected lambd"),
        (lambda x: F.celu(x, 0), ValueError, "celu: expected an alpha other than 0"),
        (lambda x: F.rrelu(x, 1, 0), ValueError, "rrelu: expected lower <= upper"),
        (lambda x: F.mish(x.long()), TypeError, "mish: defined for floating dtypes"),
        (lambda x: F.hardswish(x.long()), TypeError, "hardswish: defined for floating dtypes"),
    ],
)
def test_errors_of_further_activations(call, kind, text):
    with raises(kind, text):
        call(ft.ones(2, 3))


def test_celu_at_zero():
    x = ft.tensor([-0.0, 0.0], requires_grad=True)
    (slope,) = grad(F.celu(x, 2.0).sum(), x)
    assert slope.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("alpha", [1.0, 0.5, 3.0])
def test_the_slope_of_celu_at_zero_is_one(alpha):
    for apply in (lambda x: F.celu(x, alpha), lambda x: F.celu(x * 1, alpha, inplace=True)):
        x = ft.tensor([0.0, -0.0, 1.0], dtype=ft.float64, requires_grad=True)
        y = apply(x)
        y.sum().backward()
        assert x.grad.tolist() == [1, 1, 1] and y.tolist() == [0, 0, 1]
