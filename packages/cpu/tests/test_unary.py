"""Unary operators: every dtype and stride, and results for special values."""

import numpy as np
import pytest
from arrays import make, operands, same
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_helpers import COMPLEX, FLOATS, INTEGERS, NAMES, empty, launch, narrow, run, widen

EXACT = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": lambda x: np.where(np.isnan(x), 0, np.sign(x)) if x.dtype.kind == "f" else np.sign(x),
    "relu": lambda x: np.where(x <= 0, np.zeros_like(x), x),
    "sqrt": np.sqrt,
    "reciprocal": lambda x: 1 / x,
}
FUNCTIONS = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "cos": np.cos,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
STEP = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-22, "float64": 2.0**-51}


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("operator", list(EXACT))
@given(case=operands(1), strided=st.booleans())
@settings(max_examples=15)
def test_exact_operators(operator, name, case, strided):
    """Check that these results are exact and that integers wrap."""
    _, (shape,), rng, special = case
    a = make(rng, shape, name, strided, special)
    if name in INTEGERS and operator in ("sqrt", "reciprocal"):
        with pytest.raises(NotImplementedError):
            run(operator, a)
        return
    with np.errstate(all="ignore"):
        wanted = narrow(EXACT[operator](widen(a)), name)
    got = launch(operator, [a], make(rng, shape, name, strided))
    if operator in ("sign", "relu"):  # the sign of a zero is unspecified
        np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted))
    else:
        same(got, wanted)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("operator", list(FUNCTIONS))
@given(case=operands(1), strided=st.booleans())
@settings(max_examples=15)
def test_functions_within_two_units(operator, name, case, strided):
    """Check two units in the last place of the dtype, and the same infinities and NaNs."""
    _, (shape,), rng, special = case
    a = make(rng, shape, name, strided, special)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[operator](widen(a).astype("f8"))
        wanted = widen(narrow(exact, name)).astype("f8")
    got = widen(launch(operator, [a], make(rng, shape, name, strided))).astype("f8")
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    tiny = 2.0**-24 if name == "float16" else 1e-45
    np.testing.assert_allclose(got, wanted, rtol=2 * STEP[name], atol=tiny, equal_nan=True)


@pytest.mark.parametrize("name", COMPLEX)
@given(case=operands(1), strided=st.booleans())
@settings(max_examples=15)
def test_complex(name, case, strided):
    """Compare complex functions with NumPy's."""
    _, (shape,), rng, _ = case
    a = make(rng, shape, name, strided, special=False)
    real = "float32" if name == "complex64" else "float64"
    same(run("neg", a), -a)
    same(run("conj", a), np.conj(a))
    same(run("isnan", a, to="bool"), np.isnan(a))
    tolerance = 1e-5 if name == "complex64" else 1e-13
    np.testing.assert_allclose(run("abs", a, to=real), np.abs(a), rtol=tolerance)
    small = np.where(np.abs(a) < 5, a, 1).astype(name)
    for operator in ("reciprocal", "sqrt", "rsqrt", "exp", "expm1", "log", "log1p", "tanh", "sigmoid", "sin", "cos"):
        reference = EXACT.get(operator) or FUNCTIONS[operator]
        with np.errstate(all="ignore"):
            wanted = reference(small.astype("c16"))
        np.testing.assert_allclose(run(operator, small), wanted, rtol=tolerance * 10, atol=tolerance)


@pytest.mark.parametrize("name", [*FLOATS, *COMPLEX])
def test_isnan(name):
    """Check that a NaN in either part is found, in every floating dtype."""
    a = narrow(np.array([1, np.nan, np.inf, 0], "f4"), name)
    assert run("isnan", a, to="bool").tolist() == [False, True, False, False]


def test_special_values(level):
    """Check infinities, signed zeros and the ends of the range, at each instruction set."""
    inf, nan = np.inf, np.nan
    cases = {
        "exp": [(inf, inf), (-inf, 0), (0, 1), (88.72283, 3.4027987e38), (88.73, inf), (-103.9, 1e-45), (-104, 0)],
        "log": [(inf, inf), (0, -inf), (-0.0, -inf), (-1, nan), (1, 0), (1e-45, -103.27893)],
        "log1p": [(inf, inf), (-1, -inf), (-2, nan), (1e-45, 1e-45), (-0.0, -0.0), (3e38, 88.596848)],
        "expm1": [(inf, inf), (-inf, -1), (-0.0, -0.0), (1e-45, 1e-45), (-50, -1)],
        "tanh": [(inf, 1), (-inf, -1), (-0.0, -0.0), (1e-45, 1e-45), (20, 1)],
        "sigmoid": [(inf, 1), (-inf, 0), (0, 0.5), (-100, 3.783506e-44)],
        "sqrt": [(inf, inf), (-1, nan), (-0.0, -0.0)],
        "relu": [(-inf, 0), (inf, inf), (-3, 0)],
    }
    for operator, pairs in cases.items():
        given_, wanted = (np.array(column, "f4") for column in zip(*pairs, strict=True))
        got = run(operator, given_)
        np.testing.assert_allclose(got, wanted, rtol=2.5e-7, atol=0, err_msg=operator)
        zero = wanted == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]), err_msg=operator)
        assert np.isnan(run(operator, np.full(20, nan, "f4"))).all(), operator


def test_bitwise_not_of_bools():
    """Check the only operator that is defined for bools alone."""
    assert run("bitwise_not", np.array([True, False])).tolist() == [False, True]


@pytest.mark.parametrize("name", NAMES)
def test_empty_inputs(name):
    """Check that arrays without elements are accepted."""
    for operator in ("neg", "abs"):
        if name == "bool" or (name in COMPLEX and operator == "abs"):
            continue
        assert run(operator, empty((0, 3), name)).shape == (0, 3)
