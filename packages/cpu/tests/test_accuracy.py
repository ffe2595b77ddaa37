"""Note [Own polynomials]: errors in units in the last place, over the whole range of float32 and samples of float64."""

from math import erf, erfc

import mpmath
import numpy as np
import pytest
from kernel_helpers import empty, launch, run

ROOT_HALF, ROOT = (
    np.sqrt(np.longdouble(0.5)),
    np.sqrt(np.longdouble(2) / np.longdouble("3.14159265358979323846264338327950288")),
)


def silu(x):
    """x / (1 + exp(-x)), with its limit."""
    return np.where(x == -np.inf, -0.0, x / (1 + np.exp(-x)))


def gelu(x):
    """x times the standard normal cumulative distribution function, in float64."""
    tail = np.vectorize(erfc, otypes=["f8"])(-x.astype("f8") * float(ROOT_HALF))
    return np.where(x == -np.inf, -0.0, x * tail / 2)


def gelu_tanh(x):
    """The tanh approximation of gelu as x / (1 + exp(-2 u))."""
    near = np.maximum(x, -50)
    return near / (
        1 + np.exp(-2 * ROOT.astype(x.dtype) * near * (1 + x.dtype.type(ROOT.dtype.type("0.044715")) * near**2))
    )


FUNCTIONS = {
    "exp": (np.exp, 1.1),
    "log": (np.log, 1.0),
    "tanh": (np.tanh, 1.5),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 2.0),
    "log1p": (np.log1p, 1.5),
    "expm1": (np.expm1, 1.7),
    "silu": (silu, 2.0),
    "gelu_tanh": (gelu_tanh, 2.0),
    "sin": (np.sin, 1.0),
    "cos": (np.cos, 1.0),
    "tan": (np.tan, 1.0),
    "asin": (np.arcsin, 1.0),
    "acos": (np.arccos, 1.0),
    "atan": (np.arctan, 1.0),
    "sinh": (np.sinh, 1.0),
    "cosh": (np.cosh, 1.0),
    "asinh": (np.arcsinh, 1.0),
    "acosh": (np.arccosh, 1.0),
    "atanh": (np.arctanh, 1.0),
    "exp2": (np.exp2, 1.1),
    "log2": (np.log2, 1.0),
    "log10": (np.log10, 1.0),
    "sqrt": (np.sqrt, 0.6),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.6),
    "reciprocal": (lambda x: 1 / x, 0.6),
}
ERRORS = {"erf": np.vectorize(erf, otypes=["f8"]), "gelu": gelu}  # whose reference exists only in float64
POWERS = (0.5, -0.5, -1.0, 2.0, 3.0, -2.0, 2.5, -7.0)


def units(got, exact):
    """Return the distance from the exact result in float32 units in the last place (of the smallest for subnormals)."""
    size = np.abs(exact)
    exponent = np.maximum(np.floor(np.log2(np.where(size > 0, size, 1e-300))), -126)
    ordinary = np.isfinite(exact) & (size <= np.finfo("f4").max)
    return np.where(ordinary, np.abs(got - exact) / 2.0 ** (exponent - 23), 0)


@pytest.mark.parametrize("operator", [*FUNCTIONS, *ERRORS])
def test_error_bound(operator, level):
    """Check every 4099th bit pattern of float32: the same NaNs and infinities, all other results within the bound."""
    function, bound = FUNCTIONS.get(operator) or (ERRORS[operator], 2.0)
    x = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([x, np.linspace(-20, 20, 100_001, dtype="f4")])
    with np.errstate(all="ignore"):
        exact = function(x.astype("f8"))
        rounded = exact.astype("f4")
    got = run(operator, x)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(exact))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(rounded))
    with np.errstate(all="ignore"):
        errors = units(got.astype("f8"), exact)
    assert errors.max() < bound, f"{errors.max()} at {x[errors.argmax()]}"


def test_gelu_where_two_formulas_meet(level):
    """Check gelu from -0.45 to -2.25, where it changes its formula: float32 within 2 units, at every level."""
    x = np.arange(0xBEE66666, 0xC0100000, 61, dtype=np.uint32).view("f4")
    exact = gelu(x.astype("f8"))
    errors = units(run("gelu", x).astype("f8"), exact)
    assert errors.max() < 2.0, f"{errors.max()} at {x[errors.argmax()]}"


@pytest.mark.parametrize("operator", list(FUNCTIONS))
def test_float64_against_extended_precision(operator, level):
    """Compare float64 with NumPy's extended precision where the machine has it (64 bits of significand on x86)."""
    function, bound = FUNCTIONS[operator]
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("no extended precision on this machine")
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal(50_000) * 10.0 ** rng.integers(-8, 3, 50_000),
                        rng.integers(0, 2**63, 50_000, dtype="u8").view("f8"), rng.uniform(-1, 3, 50_000),
                        rng.uniform(-746, 710, 20_000), [5e-324, 1e-310, 0.0, np.inf, -np.inf, np.nan]])  # fmt: skip
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.longdouble))
        rounded = exact.astype("f8")
        got = run(operator, x)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
        np.testing.assert_array_equal(np.isinf(got), np.isinf(rounded))
        ordinary = np.isfinite(rounded) & np.isfinite(exact)
        step = np.spacing(np.abs(rounded[ordinary]))
        errors = np.abs(got[ordinary] - exact[ordinary]) / step
    assert errors.max() < 2 * bound, f"{errors.max()} at {x[ordinary][errors.argmax()]}"


@pytest.mark.parametrize("operator", list(ERRORS))
def test_float64_against_40_digits(operator, level):
    """Compare functions that NumPy lacks in extended precision with results of 40 digits."""
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [rng.uniform(-6, 6, 1500), rng.uniform(-38, 38, 500), rng.uniform(-1, 1, 500), [0.0, -0.0, 1e-300]]
    )
    got = run(operator, x)
    worst = 0.0
    with mpmath.workdps(40):
        for one, y in zip(x.tolist(), got.tolist(), strict=True):
            z = mpmath.mpf(one)
            exact = mpmath.erf(z) if operator == "erf" else z * mpmath.erfc(-z * mpmath.sqrt(0.5)) / 2
            worst = max(worst, float(abs(y - exact)) / np.spacing(abs(float(exact))))
    assert worst < 2.2
    assert np.isnan(run(operator, np.array([np.nan]))).all()


GAMMAS = {
    "lgamma": lambda x: mpmath.re(mpmath.loggamma(x)),
    "digamma": mpmath.digamma,
    "trigamma": lambda x: mpmath.psi(1, x),
}


@pytest.mark.parametrize("operator", [*GAMMAS, "erfinv"])
def test_gamma_functions_against_40_digits(operator, level):
    """Check float64 within 3 units and float32 within 1, near roots and where formulas meet.

    The error for negative numbers is relative to the larger of the two terms of the result.
    """
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 8, 150), 10.0 ** rng.uniform(-300, 300, 40), rng.uniform(1.45, 1.47, 20),
                        rng.uniform(0.99, 1.01, 20), rng.uniform(1.99, 2.01, 20)])  # fmt: skip
    if operator == "erfinv":
        x = np.concatenate(
            [rng.uniform(-1, 1, 100), 1 - 10.0 ** rng.uniform(-16, -1, 100), rng.uniform(-1e-9, 1e-9, 9)]
        )
    function = GAMMAS.get(operator, mpmath.erfinv)
    with mpmath.workdps(40):
        for dtype, bound in (("f8", 3.0), ("f4", 1.0)):
            numbers = x[(np.abs(x) < 1e30) & (np.abs(x) > 1e-18)].astype(dtype) if dtype == "f4" else x
            numbers = numbers[np.abs(numbers) < 1] if operator == "erfinv" else numbers
            got = run(operator, numbers)
            for one, y in zip(numbers.tolist(), got.tolist(), strict=True):
                exact = function(mpmath.mpf(one))
                if abs(exact) < 1e300:
                    step = np.spacing(np.dtype(dtype).type(abs(float(exact))))
                    assert abs(y - exact) < bound * float(step), (operator, dtype, one)
        if operator == "erfinv":
            return
        negative = -rng.uniform(0, 9, 100)
        for one, y in zip(negative.tolist(), run(operator, negative).tolist(), strict=True):
            exact = function(mpmath.mpf(one))
            assert abs(y - exact) < 1e-15 * (1 + abs(exact) + abs(function(mpmath.mpf(1 - one)))) * 4, (operator, one)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gamma_functions_at_poles_and_infinity(dtype, level):
    inf, nan = np.inf, np.nan
    x = np.array([0.0, -0.0, -1.0, -2.0, -1e30, inf, -inf, nan, 1.0, 2.0], dtype)
    for operator, wanted in {
        "lgamma": [inf, inf, inf, inf, inf, inf, inf, nan, 0.0, 0.0],
        "digamma": [-inf, inf, nan, nan, nan, inf, nan, nan, -0.5772156649015329, 0.42278433509846714],
        "trigamma": [inf, inf, inf, inf, inf, 0.0, nan, nan, np.pi**2 / 6, np.pi**2 / 6 - 1],
        "erfinv": [0.0, -0.0, -inf, nan, nan, nan, nan, nan, inf, nan],
    }.items():
        np.testing.assert_allclose(run(operator, x), np.array(wanted, dtype), rtol=1e-6 if dtype == "f4" else 1e-15)
        np.testing.assert_allclose(run(operator, x[::3]), np.array(wanted, dtype)[::3], rtol=1e-6)


def beside_many_digits(operator, function, x, bounds):
    """Compare with `function`, of many digits, within bounds in units in the last place of float64 and of float32."""
    with mpmath.workdps(60):
        for dtype, bound in zip(("f8", "f4"), bounds, strict=True):
            numbers = x.astype(dtype)
            got = run(operator, numbers)
            for one, y in zip(numbers.tolist(), got.tolist(), strict=True):
                exact = function(mpmath.mpf(one))
                if np.finfo(dtype).tiny < abs(exact) < np.finfo(dtype).max:
                    step = float(np.spacing(np.dtype(dtype).type(abs(float(exact)))))
                    assert abs(y - exact) < bound * step, (operator, dtype, one)


def ndtri(p):
    """The normal distribution's quantile, by Newton iteration."""
    smaller = min(p, 1 - p)
    y = -mpmath.sqrt(-2 * mpmath.log(smaller)) if smaller < 0.3 else mpmath.mpf(0)
    for _ in range(60):
        tail = mpmath.erfc(-y * mpmath.sqrt(0.5)) / 2
        y -= mpmath.log(tail / smaller) * tail / mpmath.npdf(y)
    return y if p <= 0.5 else -y


FURTHER = {
    "erfc": (mpmath.erfc, (-6, 26), (6, 1)),
    "erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x), (-9, 80), (6, 1)),
    "ndtr": (mpmath.ncdf, (-37, 5), (6, 1)),
    "log_ndtr": (lambda x: mpmath.log(mpmath.ncdf(x)), (-40, 5), (6, 1)),
    "ndtri": (ndtri, (0.001, 0.999), (4, 1)),
    "logit": (lambda x: mpmath.log(x / (1 - x)), (0.001, 0.999), (3, 3)),
    "sinc": (lambda x: mpmath.sincpi(x), (-9, 9), (4, 1)),
    "i0": (lambda x: mpmath.besseli(0, x), (-60, 60), (6, 1)),
    "i0e": (lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), (-60, 60), (5, 1)),
    "i1": (lambda x: mpmath.besseli(1, x), (-60, 60), (6, 1)),
    "i1e": (lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), (-60, 60), (5, 1)),
}


@pytest.mark.parametrize("operator", FURTHER)
def test_further_special_functions_against_many_digits(operator, level):
    function, (low, high), bounds = FURTHER[operator]
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(low, high, 80), rng.uniform(max(low, -1), min(high, 1), 40)])
    if operator in ("ndtri", "logit"):
        x = np.concatenate([x, 10.0 ** rng.uniform(-30, -1, 30), 1 - 2.0 ** -rng.integers(2, 24, 10)])
    beside_many_digits(operator, function, x, bounds)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_further_special_functions_at_special_values(dtype, level):
    inf, nan = np.inf, np.nan
    x = np.array([0.0, -0.0, inf, -inf, nan, 1.0, -1.0], dtype)
    for operator, wanted in {
        "erfc": [1, 1, 0, 2, nan, 0.15729920705028513, 1.8427007929497148],
        "erfcx": [1, 1, 0, inf, nan, 0.427583576155807, 5.008980080762283],
        "ndtr": [0.5, 0.5, 1, 0, nan, 0.8413447460685429, 0.15865525393145705],
        "log_ndtr": [-np.log(2), -np.log(2), 0, -inf, nan, -0.17275377902344988, -1.8410216450092634],
        "ndtri": [-inf, -inf, nan, nan, nan, inf, nan],
        "logit": [-inf, -inf, nan, nan, nan, inf, nan],
        "entr": [0, 0, -inf, -inf, nan, 0, -inf],
        "sinc": [1, 1, nan, nan, nan, 0, 0],
        "i0": [1, 1, inf, inf, nan, 1.2660658777520084, 1.2660658777520084],
        "i0e": [1, 1, 0, 0, nan, 0.46575960759364043, 0.46575960759364043],
        "i1": [0, -0.0, inf, -inf, nan, 0.565159103992485, -0.565159103992485],
        "i1e": [0, -0.0, 0, -0.0, nan, 0.2079104153497085, -0.2079104153497085],
    }.items():
        np.testing.assert_allclose(run(operator, x), np.array(wanted, dtype), rtol=1e-6 if dtype == "f4" else 1e-15)
    y = np.array([0.0, -1.0, nan, 1.0, inf, -2.0, 3.0], dtype)
    zeros = run("xlog1py", np.zeros(7, dtype), y)
    np.testing.assert_array_equal(zeros, [0, 0, nan, 0, 0, 0, 0])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run("xlog1py", np.full(7, 2, dtype), y), 2 * np.log1p(y), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_zeta(dtype, level):
    """Compare with many digits on both sides of 0 and far below it; expect infinity and NaN where it has no value."""
    rng = np.random.default_rng(0)
    s = np.concatenate([rng.integers(2, 9, 40), rng.uniform(1.01, 9, 20), [2.0]]).astype(dtype)
    q = np.concatenate([rng.uniform(-6, 6, 40), 10 ** rng.uniform(-2, 3, 20), [1e6]]).astype(dtype)
    with mpmath.workdps(80):
        exact = [float(mpmath.re(mpmath.zeta(*pair))) for pair in zip(s.tolist(), q.tolist(), strict=True)]
        above = float(2 * mpmath.pi**2 - mpmath.zeta(2, 4096.75))
    tolerance = 2e-7 if dtype == "f4" else 1e-14
    np.testing.assert_allclose(run("zeta", s, q), np.array(exact), rtol=tolerance)
    np.testing.assert_allclose(run("zeta", np.array([2], dtype), np.array([-4095.75], dtype)), above, rtol=tolerance)
    places = [(1, 2, np.inf), (0.5, 2, np.nan), (3, 0, np.inf), (3, -4, np.inf), (2.5, -0.5, np.nan), (3, np.inf, 0)]
    s, q, wanted = np.array([*places, (3, np.nan, np.nan), (np.nan, 3, np.nan), (3, -np.inf, np.nan)], dtype).T
    np.testing.assert_array_equal(run("zeta", np.ascontiguousarray(s), np.ascontiguousarray(q)), wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_powers(dtype, level):
    """Check tensor and constant exponents within 2 units, and C's results at all pairs of special values."""
    rng = np.random.default_rng(0)
    bits = "u4" if dtype == "f4" else "u8"
    any_number = rng.integers(0, np.iinfo(bits).max, (2, 50_000), dtype=bits).view(dtype)
    usual = np.stack([rng.uniform(0, 10, 50_000), rng.uniform(-30, 30, 50_000)]).astype(dtype)
    near_one = np.stack([1 + rng.uniform(-1e-3, 1e-3, 50_000), rng.uniform(-1e4, 1e4, 50_000)]).astype(dtype)
    whole = np.stack([rng.uniform(-20, 20, 50_000), rng.integers(-20, 20, 50_000)]).astype(dtype)
    x, y = np.concatenate([any_number, usual, near_one, whole], 1)
    wide = np.longdouble if np.finfo(np.longdouble).nmant >= 63 else np.float64
    with np.errstate(all="ignore"):
        for exponent in (y, *POWERS):
            exact = np.power(x.astype(wide), np.asarray(exponent, dtype).astype(wide))
            got, rounded = run("pow", x, exponent), exact.astype(dtype)
            np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
            np.testing.assert_array_equal(np.isinf(got), np.isinf(rounded))
            ordinary = np.isfinite(rounded)
            errors = np.abs(got[ordinary] - exact[ordinary]) / np.spacing(np.abs(rounded[ordinary]))
            assert errors.max() < 2, (exponent, x[ordinary][errors.argmax()])
        special = np.array(
            [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 2, -2, 3, 0.5, -0.5, 1e30, -1e30, 1e-40, 1.5], dtype
        )
        bases, exponents = (np.ascontiguousarray(one) for one in np.broadcast_arrays(special[:, None], special))
        wanted = np.power(bases.astype("f8"), exponents.astype("f8")).astype(dtype)
        rooted = wanted.copy()  # a scalar exponent of a half means the square root
        rooted[:, special == 0.5] = np.sqrt(special)[:, None]
        rooted[:, special == -0.5] = (1 / np.sqrt(special))[:, None]
        by_numbers = np.stack([run("pow", special, float(one)) for one in special], 1)
        for got, expected in ((run("pow", bases, exponents), wanted), (by_numbers, rooted)):
            np.testing.assert_allclose(got, expected, rtol=1e-6 if dtype == "f4" else 1e-14)
            known = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_fast_paths_leave_large_arguments_to_the_full_path(dtype, level):
    """Check huge angles and quotients mixed with ordinary ones, contiguous and strided."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1e3, 1e3, 3000).astype(dtype)
    x[::97] = (10.0 ** rng.uniform(7, 38, x[::97].size)).astype(dtype)
    x[5:8] = [np.inf, -np.inf, np.nan]
    y = rng.uniform(-3, 3, 3000).astype(dtype)
    y[::31] *= 1e-20 if dtype == "f4" else 1e-200
    y[9:13] = [np.inf, 0.0, -0.0, np.nan]
    with np.errstate(all="ignore"):
        for operator, function in (("sin", np.sin), ("cos", np.cos)):
            got = run(operator, x)
            np.testing.assert_allclose(got, function(x.astype(np.longdouble)).astype(dtype), rtol=3e-7, atol=0)
            np.testing.assert_array_equal(got[::7], run(operator, np.ascontiguousarray(x[::7])))
            np.testing.assert_array_equal(got[::7], run(operator, x[::7]))
        for operator, function in (("fmod", np.fmod), ("remainder", np.remainder)):
            got = run(operator, x, y)
            np.testing.assert_array_equal(got, function(x, y).astype(dtype))
            np.testing.assert_array_equal(got[::7], run(operator, x[::7], y[::7]))
            np.testing.assert_array_equal(run(operator, x, y[:1]), function(x, y[:1]))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gradients_of_activations(dtype, level):
    """Compare with g times the derivative, from its formula in extended precision, also at 0 and for large g."""
    x = np.concatenate([np.linspace(-9, 9, 4001), [np.inf, -np.inf, 300, -300]]).astype(dtype)
    g = np.random.default_rng(0).uniform(0.5, 2, x.size).astype(dtype)
    wide = np.clip(x.astype(np.longdouble), -100, 100)
    s = 1 / (1 + np.exp(-wide))
    inner = ROOT * wide * (1 + np.longdouble("0.044715") * wide**2)
    t, slope = 1 / (1 + np.exp(np.minimum(-2 * inner, 11000))), 2 * ROOT * (1 + 3 * np.longdouble("0.044715") * wide**2)
    below = np.vectorize(erfc, otypes=["f8"])(-wide.astype("f8") * float(ROOT_HALF)) / 2
    wanted = {
        "silu_grad": s * (1 + wide * (1 - s)),
        "gelu_grad": below + wide * np.exp(-wide * wide / 2) * ROOT / 2,
        "gelu_tanh_grad": t * (1 + wide * (1 - t) * slope),
    }
    tolerance = 2.0**-21 if dtype == "f4" else 2.0**-49
    for operator, derivative in wanted.items():
        for step in (1, 3):
            got = launch(operator, [g[::step], x[::step]], empty(x[::step].shape, x.dtype.name))
            np.testing.assert_allclose(got, (g * derivative)[::step].astype(dtype), rtol=tolerance, atol=tolerance)
    out = s.astype(dtype)
    np.testing.assert_array_equal(run("sigmoid_grad", g, out), g * (out * (1 - out)))


def test_levels_with_fused_multiply_add_give_the_same_bits(level):
    """Check AVX2 against AVX-512, and that an element's result does not depend on its position."""
    x = np.random.default_rng(0).standard_normal(1003).astype("f4") * 4
    for operator in [*FUNCTIONS, *ERRORS]:
        whole = run(operator, x)
        single = np.array([run(operator, x[i : i + 1])[0] for i in range(0, 1003, 50)])
        np.testing.assert_array_equal(whole[::50], single)
        if level == "baseline":
            continue
        before = _seen.setdefault(operator, whole.tobytes())
        assert whole.tobytes() == before


_seen: dict[str, bytes] = {}
