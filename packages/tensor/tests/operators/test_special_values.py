"""Rounding, angles and replacements at special values: halves, signs of zero, infinities, NaN."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import grad
from facula_errors.testing import raises
from facula_tensor import special

NAN, INF = float("nan"), float("inf")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, INF, -INF, NAN]


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize(
    ("function", "reference"),
    [(ft.atan2, np.arctan2), (ft.hypot, np.hypot), (ft.logaddexp, np.logaddexp), (ft.copysign, np.copysign)],
)
def test_pairs_of_special_values(function, reference, dtype):
    x = ft.tensor(SPECIAL, dtype=dtype)
    with np.errstate(all="ignore"):
        expected = reference(x.numpy()[:, None], x.numpy())
    got = function(x[:, None], x).numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert np.array_equal(np.signbit(got)[expected == 0], np.signbit(expected)[expected == 0])


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round"])
def test_rounding_keeps_integers(name):
    values = np.array([-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 2.0**24 + 2, -(2.0**52) - 1, 1e300, INF, -INF, NAN])
    got = getattr(ft, name)(ft.tensor(values)).numpy()
    expected = getattr(np, {"round": "rint"}.get(name, name))(values)
    assert np.array_equal(got, expected, equal_nan=True) and np.array_equal(np.signbit(got), np.signbit(expected))


def test_round_to_decimals():
    x = ft.tensor([1.2345, 1250.0, -0.125], dtype=ft.float64)
    assert x.round(decimals=2).tolist() == [1.23, 1250.0, -0.12]
    assert ft.round(x, decimals=-2).tolist() == [0.0, 1200.0, -0.0]
    assert x.clone().round_(decimals=1).tolist() == [1.2, 1250.0, -0.1]
    with raises(RuntimeError, "round", "expected a floating tensor", "int64"):
        ft.round(ft.tensor([1]), decimals=1)


@pytest.mark.parametrize(
    ("dtype", "decimals", "values", "wanted"),
    [
        ("float16", 3, [1234.5678, 0.12345, 60000.0, INF], [1235.0, 0.123, 60000.0, INF]),
        ("bfloat16", 1, [0.12, 3e38], [0.1, 3e38]),
        ("float32", 3, [0.12345, 3e38, -INF], [0.123, 3e38, -INF]),
        ("float32", 40, [1234.5, 1.2345678e-38], [1234.5, 1.23e-38]),
        ("float64", 400, [1234.5, 1e300], [1234.5, 1e300]),
        ("float64", 300, [1.2345e-299], [1.2e-299]),
        ("float32", -400, [1234.5, -3.0, INF], [0.0, -0.0, INF]),
    ],
)
def test_round_to_decimals_beyond_the_range_of_the_dtype(dtype, decimals, values, wanted):
    dtype = getattr(ft, dtype)
    x = ft.tensor(values, dtype=dtype, requires_grad=True)
    got = x.round(decimals=decimals)
    assert got.dtype is dtype
    np.testing.assert_allclose(
        got.detach().double().numpy(), ft.tensor(wanted, dtype=dtype).double().numpy(), rtol=1e-14
    )
    (gradient,) = grad(got.sum(), x)
    assert not gradient.any()


@pytest.mark.parametrize("dtype", [ft.float16, ft.float32, ft.float64])
def test_deviations_of_equal_elements_have_a_gradient_of_zero(dtype):
    """As in PyTorch."""
    x = ft.tensor([[2.0, 2.0, 2.0], [1.0, 2.0, 3.0]], dtype=dtype, requires_grad=True)
    (x.std(1) * ft.tensor([1.0, 4.0], dtype=dtype)).sum().backward()
    assert x.grad.tolist() == [[0.0] * 3, [-2.0, 0.0, 2.0]]


@pytest.mark.parametrize(
    ("name", "count", "correction"), [("var", 1, 1), ("std", 2, 2), ("var", 0, 0), ("std", 3, 3.5)]
)
def test_deviations_without_degrees_of_freedom_warn(name, count, correction):
    x = ft.arange(41.0 * count).reshape(count, 41)  # a layout that no other test has
    with pytest.warns(UserWarning, match=rf"{name}: correction {correction} is not below .* {count};"):
        found = getattr(ft, name)(x, 0, correction=correction)
    assert not found.isfinite().any()


def test_nan_to_num():
    x = ft.tensor([NAN, INF, -INF, 1.0], requires_grad=True)
    assert ft.nan_to_num(x).tolist() == [0.0, 3.4028234663852886e38, -3.4028234663852886e38, 1.0]
    x.nan_to_num(1, 2, 3).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert ft.nan_to_num(ft.tensor([complex(NAN, 2.0)]), nan=7).tolist() == [7 + 2j]


def test_errors_of_lerp_and_added_products():
    x, whole = ft.ones(2), ft.ones(2, dtype=ft.int64)
    with raises(RuntimeError, "lerp", "float64"):
        ft.lerp(x, x.double(), 0.5)
    with raises(RuntimeError, "lerp", "not defined for int64"):
        ft.lerp(whole, whole, 0.5)
    with raises(RuntimeError, "addcdiv", "not defined for int64"):
        ft.addcdiv(whole, whole, whole)
    with raises(TypeError, "addcmul", "expected value"):
        ft.addcmul(x, x, x, value="2")
    with raises(RuntimeError, "addcmul", "expected a value"):
        ft.addcmul(whole, whole, whole, value=0.5)
    with raises(RuntimeError, "lerp", "weight float64"):
        ft.lerp(x, x, x.double())
    with raises(RuntimeError, "lerp", "not defined for int64"):
        ft.lerp(whole, whole, ft.tensor(1))
    assert ft.lerp(ft.tensor(1e8), ft.tensor(0.1), 1.0).item() == ft.tensor(0.1).item()


def of(dtype, *values):
    """Return a vector, or a zero-dimensional tensor of one value."""
    return ft.tensor(values if len(values) > 1 else values[0], dtype=getattr(ft, dtype))


BYTES, FAR = of("uint8", 200, 2), of("float16", 6e4, 2)
TENTHS, THIRDS = of("float32", 0.1, 0.2), of("float32", 0.3, 0.7)
PRECISE, SLOW = of("float64", 0, 0), of("complex128", 0, 0)
# what the function computes, its operands, and the dtype of the result, in which NumPy computes it
MIXED = {
    "addcmul of bytes": (ft.addcmul, lambda x, y, z: x + y * z, (of("int64", 0, 0), BYTES, BYTES), {}, "int64"),
    "addcmul, 0-d": (ft.addcmul, lambda x, y, z: x + y * z, (of("float64", 0.1), BYTES, of("complex64", 1j)), {},
                     "complex128"),
    "addcmul, complex": (ft.addcmul, lambda x, y, z: x + y * z, (of("complex64", 1j, 0), FAR, FAR), {}, "complex64"),
    "addcmul of bools": (ft.addcmul, lambda x, y, z: x + 2 * y * z,
                         (BYTES, of("bool", True, False), of("bool", True, True)), {"value": 2}, "uint8"),
    "addcmul_": (ft.Tensor.addcmul_, lambda x, y, z: x + y * z, (of("int64", 0, 0), BYTES, BYTES), {}, "int64"),
    "addcdiv": (ft.addcdiv, lambda x, y, z: x + y / z, (SLOW, TENTHS, THIRDS), {}, "complex128"),
    "addcdiv, real": (ft.addcdiv, lambda x, y, z: x + y / z, (PRECISE, TENTHS, THIRDS), {}, "float64"),
    "addcdiv_": (ft.Tensor.addcdiv_, lambda x, y, z: x + y / z, (SLOW, TENTHS, THIRDS), {}, "complex128"),
    "addr": (ft.addr, lambda x, y, z: x + np.outer(y, z), (PRECISE, TENTHS, THIRDS), {}, "float64"),
    "addr, 0-d": (ft.addr, lambda x, y, z: x + np.outer(y, z), (of("complex64", 1j), FAR, FAR), {}, "complex64"),
    "addr, beta": (ft.addr, lambda x, y, z: 0.1 * x + np.outer(y, z),
                   (BYTES, THIRDS, of("float64", 1, 2)), {"beta": 0.1}, "float64"),
    "addr_": (ft.Tensor.addr_, lambda x, y, z: x + np.outer(y, z), (of("int64", 0, 0).repeat(2, 1), BYTES, BYTES), {},
              "int64"),
    "lerp": (ft.lerp, lambda x, y, z: x + z * (y - x), (PRECISE, of("float64", 1, 3), of("float32", 0.1)), {},
             "float64"),
    "lerp, complex": (ft.lerp, lambda x, y, z: x + z * (y - x), (PRECISE, of("float64", 1, 3), of("complex64", 0.1j)),
                      {}, "complex128"),
    "lerp, all 0-d": (ft.lerp, lambda x, y, z: x + z * (y - x), (of("int64", 1), of("int64", 3), of("float32", 0.1)),
                      {}, "float32"),
    "lerp_": (ft.Tensor.lerp_, lambda x, y, z: x + z * (y - x), (PRECISE, of("float64", 1, 3), of("float32", 0.1)), {},
              "float64"),
    "rsub": (ft.rsub, lambda x, y: y - 0.5 * x, (BYTES, of("float16", 1, 2)), {"alpha": 0.5}, "float16"),
    "rsub, exact": (ft.rsub, lambda x, y: y - 0.1 * x, (BYTES, PRECISE), {"alpha": 0.1}, "float64"),
    "trapezoid": (ft.trapezoid, np.trapezoid, (of("uint8", 200, 100, 200),), {}, "float32"),
    "trapezoid at": (ft.trapezoid, np.trapezoid, (of("int8", 100, 100, 3), of("int8", 100, -100, 1)), {}, "float32"),
    "cumulative_trapezoid": (ft.cumulative_trapezoid, lambda y: np.cumsum((y[1:] + y[:-1]) / 2),
                             (of("uint8", 200, 100, 200),), {}, "float32"),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_several_steps_are_computed_in_the_dtype_of_the_result(name):
    apply, reference, operands, options, dtype = MIXED[name]
    got = apply(operands[0].clone(), *operands[1:], **options)
    assert got.dtype.name == dtype
    wide = np.float64 if dtype == "float16" else dtype
    expected = reference(*[operand.numpy().astype(wide) for operand in operands])
    np.testing.assert_allclose(got.numpy(), expected, rtol=np.finfo(dtype).eps if got.is_floating_point() else 1e-7)


@pytest.mark.parametrize(
    ("x", "y", "alpha"),
    [
        (of("int64", 1, 2), of("int64", 1, 2), 0.5),
        (of("int64", 1, 2), of("int64", 1, 2), 1.0),
        (of("bool", True, False), of("float32", 1, 2), 2),
        (of("bool", True, False), 3, 2),
        (TENTHS, THIRDS, 1j),
        (TENTHS, THIRDS, True),
        (BYTES, BYTES, 300),
        (FAR, FAR, 1e6),
    ],
)
def test_rsub_refuses_what_sub_refuses(x, y, alpha):
    refused = []
    for call in (lambda: ft.sub(y, x, alpha=alpha), lambda: ft.rsub(x, y, alpha=alpha)):
        with pytest.raises((TypeError, RuntimeError, OverflowError)) as caught:
            call()
        refused.append((type(caught.value), str(caught.value).removeprefix("r")))
    assert refused[0] == refused[1]


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_next_numbers_and_exponents(dtype):
    values = [*SPECIAL, 1e-40, 5e-324, 1.7e308, 3.4e38, -3.0, 1e-300]
    x = ft.tensor(values, dtype=dtype)
    y = x.flip(0)[:, None]
    with np.errstate(all="ignore"):
        expected = np.nextafter(x.numpy(), y.numpy())
    np.testing.assert_array_equal(ft.nextafter(x, y).numpy(), expected)
    assert np.array_equal(np.signbit(ft.nextafter(x, y).numpy())[expected == 0], np.signbit(expected)[expected == 0])
    mantissa, exponent = ft.frexp(x)
    for got, wanted in zip((mantissa, exponent), np.frexp(x.numpy()), strict=True):
        np.testing.assert_array_equal(got.numpy(), wanted)
    assert exponent.dtype is ft.int32 and np.array_equal(np.signbit(mantissa.numpy()), np.signbit(x.numpy()))
    assert repr(ft.frexp(ft.tensor(3.0))).startswith("facula.return_types.frexp(\nmantissa=tensor(0.7500)")


def test_the_gradient_of_nextafter_reaches_its_first_operand():
    """As in PyTorch: no gradient without a step, and none for the direction."""
    x = ft.tensor([1.0, 1.0, 1.0, 0.0, INF, NAN, 1.0], requires_grad=True)
    y = ft.tensor([2.0, 0.0, 1.0, 0.0, 1.0, 1.0, NAN], requires_grad=True)
    dx, dy = grad(ft.nextafter(x, y).sum(), (x, y))
    assert dx.tolist() == [1, 1, 0, 0, 1, 1, 1]
    assert dy.tolist() == [0] * 7
    assert not ft.nextafter(x.detach(), x.detach()).requires_grad


def test_next_numbers_of_half_precision():
    one, zero = ft.tensor(1.0), ft.tensor(0.0)
    assert ft.nextafter(one.half(), zero.half()).item() == 1 - 2**-11
    assert ft.nextafter(one.bfloat16(), one.bfloat16() * 2).item() == 1 + 2**-7
    assert ft.nextafter(zero.half(), -one.half()).item() == -(2**-24)
    assert ft.tensor([1.0, 2.0]).nextafter_(ft.tensor(9.0)).tolist() == [1 + 2**-23, 2 + 2**-22]


def test_steps_and_maxima_at_nan():
    x, y = ft.tensor([NAN, 1.0, NAN, 2.0]), ft.tensor([1.0, NAN, NAN, 3.0])
    np.testing.assert_array_equal(ft.fmax(x, y).numpy(), [1, 1, NAN, 3])
    np.testing.assert_array_equal(ft.fmin(x, y).numpy(), [1, 1, NAN, 2])
    step = ft.heaviside(ft.tensor([NAN, -INF, -0.0, 0.0, 5.0]), ft.tensor(0.5))
    assert step.tolist() == [0.0, 0.0, 0.5, 0.5, 1.0]
    assert ft.isposinf(x * INF).tolist() == [False, True, False, True]
    assert ft.tensor([1, 4]).float_power(-1).tolist() == [1.0, 0.25]
    assert ft.tensor([2.0]).double().float_power_(3).tolist() == [8.0]
    assert ft.tensor([3.0]).ldexp_(ft.tensor([-1])).tolist() == [1.5]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_powers_of_two_beyond_the_range_of_the_dtype(dtype):
    least, largest = ft.finfo(getattr(ft, dtype)).smallest_normal, ft.finfo(getattr(ft, dtype)).max
    exponents = np.array([0, 300, -300, 5000, -5000, *range(-2100, 2100, 97)])
    for value in (0.0, -least / 2, 1.5, largest):
        x = np.full(exponents.shape, value, dtype)
        with np.errstate(over="ignore"):
            wanted = np.ldexp(x, exponents)
        np.testing.assert_array_equal(ft.ldexp(ft.tensor(x), ft.tensor(exponents)).numpy(), wanted)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: ft.heaviside(ft.ones(2), ft.ones(2).double()),
            "heaviside: expected one dtype; got float32 and float64",
        ),
        (lambda: ft.gcd(ft.tensor([4]), 6), "gcd: expected two tensors; got a number"),
        (lambda: ft.gcd(ft.ones(2), ft.ones(2)), "gcd: not defined for float32"),
        (lambda: ft.frexp(ft.tensor([1])), "frexp: defined for floating dtypes; got int64"),
        (lambda: ft.nextafter(ft.tensor([1]), ft.tensor([1])), "nextafter: defined for floating dtypes; got int64"),
        (lambda: ft.positive(ft.tensor([True])), "positive: not defined for bool"),
        (lambda: ft.isposinf(ft.tensor([1j])), "isposinf: not defined for complex64"),
        (lambda: ft.polygamma(-1, ft.ones(2)), "polygamma: expected n of at least 0; got -1"),
        (lambda: ft.mvlgamma(ft.ones(2), 0), "mvlgamma: expected p of at least 1; got 0"),
        (lambda: ft.logit(ft.tensor([1j]), 0.1), "logit: not defined for complex64"),
    ],
)
def test_errors_of_special_functions(call, text):
    with raises((TypeError, ValueError, RuntimeError), text):
        call()


@pytest.mark.parametrize("function", [ft.logaddexp, ft.logaddexp2])
def test_second_derivatives_of_sums_of_equal_exponentials(function):
    x, y = (ft.tensor([1.0, INF], dtype=ft.float64, requires_grad=True) for _ in range(2))
    (slope,) = grad(function(x, y).sum(), x, create_graph=True)
    assert slope.tolist() == [0.5, 0.5]
    bend = (np.log(2) if function is ft.logaddexp2 else 1) / 4
    for gradient, sign in zip(grad(slope.sum(), (x, y)), (1, -1), strict=True):
        np.testing.assert_allclose(gradient.numpy(), [sign * bend, 0])


@pytest.mark.parametrize("dtype", [ft.float64, ft.complex128])
def test_second_derivative_of_sinc_at_zero(dtype):
    x = ft.tensor([0.0], dtype=dtype, requires_grad=True)
    (slope,) = grad(ft.sinc(x).real.sum(), x, create_graph=True)
    (bend,) = grad(slope.real.sum(), x)
    assert slope.item() == 0
    np.testing.assert_allclose(bend.item(), -(np.pi**2) / 3)


@pytest.mark.parametrize(
    ("eps", "values"),
    [(0.6, [1, 1, -1, -1, 1, 1]), (0.9, [1, 1, 1, -1, 1, 1]), (1.0, [INF, INF, INF, -INF, INF, INF]), (1.5, [NAN] * 6)],
)
def test_logit_with_swapped_bounds(eps, values):
    """The lower bound, which is now the greater one, is applied first, as in PyTorch."""
    x = ft.tensor([0.1, 0.55, 0.7, 2.0, 0.0, -1.0], dtype=ft.float64, requires_grad=True)
    size = np.log(eps / (1 - eps)) if eps < 1 else 1.0
    y = ft.logit(x, eps)
    np.testing.assert_allclose(y.detach().numpy(), np.array(values) * size)
    if eps < 1:
        assert grad(y.sum(), x)[0].tolist() == [0.0] * 6


def test_derivatives_of_log_ndtr_on_both_sides():
    """Derivatives of log_ndtr compared with mpmath; beyond 40 they vanish and are not NaN."""
    x = ft.tensor([-100.0, -30.0, 0.5, 40.0, 100.0, 1e4, NAN], dtype=ft.float64, requires_grad=True)
    (first,) = grad(special.log_ndtr(x).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    np.testing.assert_allclose(
        first.detach().numpy(), [100.00999800099926, 30.033259667433677, 0.5091604338370336, 0, 0, 0, NAN], rtol=1e-12
    )
    np.testing.assert_allclose(
        second.numpy(), [-0.99990005995, -0.99889622849, -0.51382456430, 0, 0, 0, NAN], rtol=1e-9
    )


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_one_number_in_overlapping_elements(shape):
    x = ft.ones(1)
    assert x.expand(shape).fill_(2.5).sum().item() == 2.5 * np.prod(shape) and x.item() == 2.5
    before = x._version
    assert x.expand(shape).zero_().sum().item() == 0 and x.item() == 0 and x._version == before + 1
    assert ft.zeros(1, 1).expand(3, 3).fill_diagonal_(1.0).sum().item() == 9
    changes = {
        "add_": lambda y: y.add_(1),
        "copy_": lambda y: y.copy_(ft.zeros(shape)),
        "normal_": lambda y: y.normal_(),
    }
    for name, change in changes.items():
        with raises(RuntimeError, name, "share one place"):
            change(x.expand(shape))
    with raises(RuntimeError, "index_fill_", "share one place"):
        x.expand(3).index_fill_(0, ft.tensor([0]), 1.0)
