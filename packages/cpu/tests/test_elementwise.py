"""Binary, ternary and comparison operators against NumPy: every dtype, strides, broadcasting, scalars, aliases."""

from itertools import permutations

import numpy as np
import pytest
from arrays import make, operands, same
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_helpers import COMPLEX, FLOATS, INTEGERS, NAMES, Bits, empty, launch, layout, narrow, plan, run, widen

from facula_errors.testing import raises

HALF = ("float16", "bfloat16")
ARITHMETIC = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def covered(operator, name):
    """Return whether the operator is defined for the dtype."""
    if name == "bool":
        return operator not in ("sub", "div")
    if name in INTEGERS:
        return operator != "div"
    return not (name in COMPLEX and operator in ("maximum", "minimum", "lt", "le", "gt", "ge"))


def complex_product(x, y):
    """Multiply by parts, as documented: NumPy handles special values likewise, but may fuse."""
    return (x.real * y.real - x.imag * y.imag) + 1j * (x.real * y.imag + x.imag * y.real)


def expect(operator, name, *arrays):
    """Return NumPy's result in the dtype of this name."""
    wide = [widen(one) for one in arrays]
    with np.errstate(all="ignore"):
        result = {**ARITHMETIC, **COMPARISONS}[operator](*wide)
    return result if result.dtype == bool and name != "bool" else narrow(result, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operator", list(ARITHMETIC))
@given(case=operands(2), strided=st.booleans())
def test_arithmetic(operator, name, case, strided):
    """Check that arithmetic of two arrays gives NumPy's bits in every dtype, half precision through float32."""
    if not covered(operator, name):
        with raises(NotImplementedError, operator):
            run(operator, empty((2,), name), empty((2,), name))
        return
    shape, shapes, rng, special = case
    special = special and name not in COMPLEX
    a, b = (make(rng, one, name, strided, special) for one in shapes)
    out = make(rng, shape, name, strided)
    got = launch(operator, [a, b], out)
    if name in COMPLEX and operator in ("mul", "div"):
        with np.errstate(all="ignore"):
            wanted = np.broadcast_to(ARITHMETIC[operator](a, b), shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-4 if name == "complex64" else 1e-12, equal_nan=True)
    else:
        same(got, np.broadcast_to(expect(operator, name, a, b), shape))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operator", list(COMPARISONS))
@given(case=operands(2), strided=st.booleans())
@settings(max_examples=10)
def test_comparisons(operator, name, case, strided):
    """Check that comparisons return bool."""
    if not covered(operator, name):
        with raises(NotImplementedError, operator):
            run(operator, empty((2,), name), empty((2,), name), to="bool")
        return
    shape, shapes, rng, special = case
    a, b = (make(rng, one, name, strided, special) for one in shapes)
    got = launch(operator, [a, b], make(rng, shape, "bool", strided))
    same(got, np.broadcast_to(COMPARISONS[operator](widen(a), widen(b)), shape))


def test_all_operators_at_each_level(level):
    """Check sizes near the vector lengths, dense and with a broadcast scalar, at each instruction set."""
    rng = np.random.default_rng(0)
    for name in NAMES:
        for operator in [*ARITHMETIC, *COMPARISONS]:
            if not covered(operator, name) or (name in COMPLEX and operator in ("mul", "div")):
                continue
            for size in (1, 3, 15, 16, 17, 63, 65, 130):
                a, b = make(rng, (size,), name, False), make(rng, (size,), name, False)
                to = "bool" if operator in COMPARISONS else name
                same(run(operator, a, b, to=to), expect(operator, name, a, b))
                same(run(operator, a, b[:1], to=to), expect(operator, name, a, b[:1]))
                same(run(operator, a[:1], b, to=to), expect(operator, name, a[:1], b))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operator", ["add", "sub", "mul"])
def test_scalars_use_the_accumulation_type(operator, name):
    """Check Python scalars: they wrap in int64, and half precision computes with them in float32.

    Sums round the scalar to the half type first; products do not.
    """
    if not covered(operator, name):
        return
    a = make(np.random.default_rng(1), (3, 37), name, False, special=False)
    kind = {"bool": True, "complex64": 2.5 - 1j, "complex128": 0.25 + 3j}.get(name, 3 if name in INTEGERS else 0.1)
    with np.errstate(over="ignore"):
        scalar = np.asarray(kind).astype("f4" if name in HALF else a.dtype)
        if name in HALF and operator != "mul":
            scalar = widen(narrow(scalar, name))
        forward = ARITHMETIC[operator](widen(a), scalar)
        backward = ARITHMETIC[operator](scalar, widen(a))
    check = same if name not in COMPLEX else np.testing.assert_allclose
    tolerance = {} if name not in COMPLEX else {"rtol": 1e-5}
    check(run(operator, a, kind), narrow(forward, name), **tolerance)
    check(run(operator, kind, a), narrow(backward, name), **tolerance)


@pytest.mark.parametrize("name", HALF)
@pytest.mark.parametrize("operator", ["pow", "remainder", "fmod", "add", "sub", "maximum", *COMPARISONS])
def test_scalars_are_rounded_to_half_precision(operator, name):
    """Check that 0.1 equals the half-precision number nearest to 0.1, as an array of it would."""
    a = narrow(np.array([0.1, 0.3, -0.7, 2.0, 100.0], "f4"), name)
    scalar = narrow(np.asarray(0.1, "f4"), name)
    to = "bool" if operator in COMPARISONS else name
    same(run(operator, a, 0.1, to=to), run(operator, a, np.repeat(scalar, 5), to=to))
    same(run(operator, 0.1, a, to=to), run(operator, np.repeat(scalar, 5), a, to=to))


def test_complex_arrays_take_real_scalars():
    """Check that an int or a float is one number, not two, for a complex array."""
    a = np.array([1 + 2j, -3j], "complex64")
    np.testing.assert_array_equal(run("mul", a, 2.0), a * 2)
    np.testing.assert_array_equal(run("add", 3, a), a + 3)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("operator", list(COMPARISONS))
@pytest.mark.parametrize("scalar", [0, -1, 255, 300, -(2**40), 2**63 - 1])
def test_comparisons_with_any_int_are_exact(operator, name, scalar):
    """Check that the scalar, on either side, is not truncated to the dtype: every int8 is less than 300."""
    a = make(np.random.default_rng(2), (50,), name, False)
    relation = COMPARISONS[operator]
    as_objects = a.astype(object)
    same(run(operator, a, scalar, to="bool"), relation(as_objects, scalar).astype(bool))
    same(run(operator, scalar, a, to="bool"), relation(scalar, as_objects).astype(bool))


@pytest.mark.parametrize("name", ["int32", "float32", "bfloat16", "complex128"])
@given(case=operands(1), strided=st.booleans())
@settings(max_examples=15)
def test_the_output_may_be_an_input(name, case, strided):
    """Check exact aliases of the inputs."""
    _, _, rng, _ = case
    a, b = (make(rng, case[0], name, strided, special=False) for _ in range(2))
    wanted = expect("add", name, a, b)
    same(launch("add", [a, b], a), wanted)
    c = make(rng, case[0], name, strided, special=False)
    same(launch("sub", [c, c], c), expect("sub", name, c, c) * 0)


@pytest.mark.parametrize("name", FLOATS)
@given(case=operands(2), strided=st.booleans())
@settings(max_examples=20)
def test_gradients_computed_from_the_output(name, case, strided):
    """Check relu_grad and tanh_grad; a NaN output of relu passes the gradient on."""
    shape, shapes, rng, special = case
    g, out = (make(rng, one, name, strided, special) for one in shapes)
    x, y = widen(g), widen(out)
    with np.errstate(all="ignore"):
        relu = np.where(y <= 0, np.zeros_like(x), x)
        tanh = x * (1 - y * y)
    same(run("relu_grad", g, out, shape=shape), np.broadcast_to(narrow(relu, name), shape))
    same(run("tanh_grad", g, out, shape=shape), np.broadcast_to(narrow(tanh, name), shape))


@pytest.mark.parametrize("name", NAMES)
@given(case=operands(2), strided=st.booleans())
@settings(max_examples=15)
def test_add_scaled(name, case, strided):
    """Check a + b * scalar, rounded twice in floating point."""
    shape, shapes, rng, _ = case
    a, b = (make(rng, one, name, strided, special=False) for one in shapes)
    scale = {"bool": True, "complex64": 0.5j, "complex128": 0.5j}.get(name, 3 if name in INTEGERS else -0.3)
    with np.errstate(all="ignore"):
        wanted = widen(a) + widen(b) * np.asarray(scale).astype("f4" if name in HALF else a.dtype)
    got = run("add_scaled", a, b, scale, shape=shape, to=name)
    check = np.testing.assert_allclose if name in COMPLEX else same
    check(got, np.broadcast_to(narrow(wanted, name), shape), **({"rtol": 1e-5} if name in COMPLEX else {}))


@pytest.mark.parametrize("name", NAMES)
@given(case=operands(3), strided=st.booleans())
@settings(max_examples=15)
def test_where_copies_bits(name, case, strided):
    """Check that payloads of NaNs survive, with scalars on either side."""
    shape, shapes, rng, special = case
    condition = make(rng, shapes[0], "bool", strided)
    a, b = (make(rng, one, name, strided, special) for one in shapes[1:])
    plain_a, plain_b = np.asarray(a), np.asarray(b)
    got = run("where", condition, a, b, shape=shape)
    wanted = np.broadcast_to(np.where(condition, plain_a, plain_b), shape)
    assert np.asarray(got).tobytes() == np.ascontiguousarray(wanted).tobytes()
    zero = {"bool": False, "complex64": 0j, "complex128": 0j}.get(name, 0 if name in INTEGERS else 0.0)
    shape = np.broadcast_shapes(condition.shape, a.shape)
    got = run("where", condition, a, zero, shape=shape)
    same(got, np.broadcast_to(np.where(condition, plain_a, plain_a.dtype.type(0)), shape))
    got = run("where", condition, zero, a, shape=shape, to=name)
    same(got, np.broadcast_to(np.where(condition, plain_a.dtype.type(0), plain_a), shape))


@pytest.mark.parametrize("name", NAMES)
@given(case=operands(0), strided=st.booleans())
@settings(max_examples=10)
def test_fill_writes_every_element_of_the_output(name, case, strided):
    """Check also that fill writes no other memory."""
    shape, _, rng, _ = case
    scalar = {"bool": True, "complex64": 1.5 - 2j, "complex128": 1.5 - 2j}.get(name, 77 if name in INTEGERS else 0.1)
    out = make(rng, shape, name, strided)
    around = out.base if strided and out.base is not None else out
    counts = not isinstance(out, Bits) and name in INTEGERS

    def elsewhere():  # exact: Python's integers
        return sum(np.array(around).ravel().tolist()) - sum(np.array(out).ravel().tolist())

    before = elsewhere() if counts else None
    launch("fill", [scalar], out)
    same(out, narrow(np.full(shape, scalar), name) if name == "bfloat16" else np.full(shape, scalar).astype(out.dtype))
    assert (elsewhere() if counts else None) == before


def test_fill_converts_scalars_of_other_types():
    """Check that fill(int) into floats is exact, fill(float) into integers truncates, and int64 keeps low bits."""
    assert run("fill", 7, shape=(3,), to="float32").tolist() == [7.0] * 3
    assert run("fill", 2.9, shape=(3,), to="int16").tolist() == [2] * 3
    assert run("fill", 257, shape=(1,), to="uint8").tolist() == [1]
    assert run("fill", 1e300, shape=(1,), to="int64").tolist() == [-(2**63)]


@pytest.mark.parametrize("name", [*INTEGERS, "float32", "float64", "complex128"])
def test_pow(name):
    """Check powers, including exponents with a special case."""
    rng = np.random.default_rng(3)
    if name in INTEGERS:
        a, b = rng.integers(0, 5, 60).astype(name), rng.integers(0, 4, 60).astype(name)
        same(run("pow", a, b), a**b)
        same(run("pow", a, 3), a ** np.asarray(3, name))
    else:
        a, b = (rng.random(60) * 3 + 0.1).astype(name), rng.standard_normal(60).astype(name)
        tolerance = 1e-6 if name == "float32" else 1e-14
        np.testing.assert_allclose(run("pow", a, b), a**b, rtol=tolerance)
        for exponent in (2.0, 3.0, -1.0, 0.5, -0.5, 0.0):
            np.testing.assert_allclose(run("pow", a, exponent), a**exponent, rtol=tolerance)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_a_scalar_exponent_of_a_half_is_the_square_root(name):
    """Check -0 and -inf, where they differ; an array exponent gives the results of C's pow."""
    a = np.array([-0.0, -np.inf, np.inf, 4.0], name)
    with np.errstate(all="ignore"):
        same(run("pow", a, 0.5), np.sqrt(a))
        same(run("pow", a, -0.5), 1 / np.sqrt(a))
    for half in (np.asarray(0.5, name), np.array([0.5], name)):
        same(run("pow", a, half), np.array([0, np.inf, np.inf, 2], name))


def test_dense_plans_fit_any_size():
    """Check that contiguous operands of one shape share a plan for all sizes, and that other plans are not shared."""
    a = np.arange(6, dtype="f4")
    shared = plan("add", [a, a], np.empty_like(a))
    assert shared.any_size
    for size in (0, 1, 5, 1000, 300_000):
        b = np.arange(size, dtype="f4")
        out = np.empty_like(b)
        shared.launch(size, b.ctypes.data, b.ctypes.data, out.ctypes.data)
        same(out, b + b)
    half = empty((8,), "float16")
    assert plan("mul", [half, 2.0], half).any_size
    assert not plan("add", [a[::2], a[:3]], np.empty(3, "f4")).any_size
    assert not plan("add", [a.reshape(2, 3), a[:3]], np.empty((2, 3), "f4")).any_size


def test_large_arrays_are_split_among_threads():
    """Check strided and broadcast operands larger than the threshold for threads."""
    rng = np.random.default_rng(4)
    a, b = rng.random((700, 900)).astype("f4"), rng.random((900, 700)).astype("f4")
    same(run("mul", a, b.T), a * b.T)
    same(run("add", a, b[:, 0]), a + b[:, 0])
    half = narrow(a, "bfloat16")
    same(run("add", half, half.T.reshape(700, 900)), narrow(widen(half) + widen(half.T.reshape(700, 900)), "bfloat16"))


@pytest.mark.parametrize("name", NAMES)
def test_transposed_operands(name):
    """Check operands whose dimensions have another order in memory than the result's."""
    rng = np.random.default_rng(5)
    for order in permutations(range(3)):
        a = make(rng, (9, 40, 70), name, False, False).transpose(order)
        b = make(rng, a.shape, name, False, False)
        same(run("add", a, b), expect("add", name, a, b))
        same(run("add", a, a[:1]), expect("add", name, a, a[:1]))


def test_errors_name_operator_and_dtypes():
    """Check the message for a missing kernel."""
    flag = empty((2,), "bool")
    with raises(NotImplementedError, "sub", "the CPU has no kernel for (bool, bool) -> bool"):
        plan("sub", [flag, flag], flag)
    with raises(NotImplementedError, "frobnicate"):
        plan("frobnicate", [flag], flag)
    with raises(NotImplementedError, "lt", "complex64, complex"):
        plan("lt", [empty((2,), "complex64"), 1j], flag)


def test_the_layout_helper_counts_elements():
    """Check the helper of these tests: strides count elements."""
    assert layout(np.empty((4, 6), "f8")[::2, ::3]).strides == (12, 3)
