"""Reductions against NumPy: every dtype, any dimensions and strides, accuracy, threads, levels."""

import numpy as np
import pytest
from arrays import laid_out, make, shapes, values
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import COMPLEX, FLOATS, INTEGERS, NAMES, Bits, compute, empty, narrow, widen

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises

OPERATORS = {"sum": np.sum, "prod": np.prod, "amax": np.max, "amin": np.min, "any": np.any, "all": np.all}
EPSILON = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1.2e-7, "complex64": 1.2e-7}


def result_name(operator, name):
    """Return the dtype of the result."""
    if operator in ("any", "all"):
        return "bool"
    return "int64" if operator in ("sum", "prod") and name in ["bool", *INTEGERS] else name


def reduced_shape(shape, dims, keepdim):
    """Return the shape of the result."""
    return tuple(1 if dim in dims else size for dim, size in enumerate(shape) if keepdim or dim not in dims)


def check(operator, array, dims, keepdim, output):
    """Compute `output` and compare it with NumPy's result."""
    name = "bfloat16" if isinstance(array, Bits) else array.dtype.name
    got = compute(operator, (array,), (output,), (dims, keepdim))
    x = widen(array)
    if operator in ("sum", "prod") and name in FLOATS + COMPLEX:
        x = x.astype("c16" if name in COMPLEX else "f8")
        with np.errstate(all="ignore"):
            wanted = np.asarray(OPERATORS[operator](x, axis=dims)).reshape(output.shape)
            scale = np.abs(x).sum(axis=dims) if operator == "sum" else np.abs(wanted) * (1 + x.size)
        bound = EPSILON.get(name, 2.3e-16) * 4 * np.asarray(scale).reshape(output.shape) + 1e-7 * (name == "float16")
        assert (np.abs(widen(got).astype(x.dtype) - wanted) <= bound + 1e-300).all()
        return
    kind = {"dtype": "i8"} if result_name(operator, name) == "int64" and operator in ("sum", "prod") else {}
    wanted = np.asarray(OPERATORS[operator](x, axis=dims, **kind)).reshape(output.shape)
    np.testing.assert_array_equal(widen(got), wanted)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operator", list(OPERATORS))
@given(shape=shapes, data=st.data())
def test_any_dimensions_and_strides(operator, name, shape, data):
    """Check any set of dimensions, kept or dropped, with arbitrary strides of input and output."""
    dims = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1))))) if shape else ()
    keepdim = data.draw(st.booleans())
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    out_shape = reduced_shape(shape, dims, keepdim)
    output = empty(out_shape, result_name(operator, name))
    if operator in ("amax", "amin"):
        if name in COMPLEX:
            with raises(NotImplementedError, operator):
                compute(operator, (empty(shape, name),), (output,), (dims, keepdim))
            return
        if 0 in shape:
            return  # the tensor level refuses it: an empty set has no extreme
    special = operator not in ("sum", "prod")
    array = values(rng, shape, name, special)
    if operator == "prod" and name in FLOATS + COMPLEX:
        array = narrow(1 + rng.integers(-1, 2, shape) / 64, name)
    elif operator == "sum" and name == "float16":
        array = narrow(rng.integers(-8, 9, shape) / 8, name)
    array, output = laid_out(rng, array), laid_out(rng, output)
    check(operator, array, dims, keepdim, output)


@pytest.mark.parametrize("shape", [(300_001,), (40_000, 7), (7, 40_000), (300, 1100), (9, 50, 700), (1000, 3, 90)])
@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16", "int16", "complex64", "bool"])
def test_large_reductions(name, shape, level):
    """Check full, row and column reductions in segments and chunks; one thread and three give the same bits."""
    rng = np.random.default_rng(1)
    array = values(rng, shape, name, special=False)
    before = get_num_threads()
    for dims in ((), (0,), (len(shape) - 1,), tuple(range(len(shape)))):
        results = []
        for threads in (1, 3):
            set_num_threads(threads)
            results.append(empty(reduced_shape(shape, dims, False), result_name("sum", name)))
            check("sum", array, dims, False, results[-1])
        np.testing.assert_array_equal(results[0].reshape(-1).view("u1"), results[1].reshape(-1).view("u1"))
    set_num_threads(before)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_every_length(name, level):
    """Check rows that are packed, interleaved or reduced one by one, rows followed by NaN, and strided rows."""
    rng = np.random.default_rng(4)
    for n in (*range(1, 20), 31, 32, 33, 63, 64, 65, 130, 260, 1100):
        whole = values(rng, (45, n + 3), name, special=False)
        if name in FLOATS + COMPLEX:
            whole = narrow(1 + rng.integers(-1, 2, whole.shape) / 256, name)
            whole[:, n:] = 0x7FC0 if isinstance(whole, Bits) else np.nan
        for rows in (whole[:, :n], whole[:, :n].copy(), whole[7:8, :n], whole[:40:3, :n]):
            for operator in ("sum", "prod"):
                check(operator, rows, (1,), False, empty(rows.shape[:1], result_name(operator, name)))


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32"])
@pytest.mark.parametrize("shape", [(5, 40_000), (40_000, 5), (300_000,), (50, 30, 70)])
def test_sums_of_narrow_integers_keep_every_bit(name, shape, level):
    """Sum many largest and least numbers: the accumulators are wide enough."""
    for extreme in (np.iinfo(name).min, np.iinfo(name).max):
        array = np.full(shape, extreme, name)
        for dims in {(0,), (len(shape) - 1,), (0, len(shape) - 1) if len(shape) > 1 else (0,)}:
            check("sum", array, dims, False, empty(reduced_shape(shape, dims, False), "int64"))


@pytest.mark.parametrize("dims", [(0,), (1,)])
def test_long_sums_are_accurate_to_the_last_digits(dims, level):
    """Check a case in which plain accumulation loses three more digits."""
    ones = np.full((1 << 20, 2) if dims == (0,) else (2, 1 << 20), 0.1, "f4")
    got = compute("sum", (ones,), (np.empty(2, "f4"),), (dims, False))
    np.testing.assert_allclose(got, float(np.float32(0.1)) * (1 << 20), rtol=5e-7)
    rng = np.random.default_rng(2)
    wild = rng.standard_normal((3000, 5)) * 10.0 ** rng.integers(-6, 9, (3000, 5))
    wild = wild if dims == (0,) else np.ascontiguousarray(wild.T)
    got = compute("sum", (wild,), (np.empty(5),), (dims, False))
    wanted = wild.astype(np.longdouble).sum(axis=dims[0])
    assert (np.abs(got - wanted) <= np.abs(wild).sum(axis=dims[0]) * 1e-15).all()


def p_norm(array, p):
    """Return the p-norm of rows, in NumPy's widest floats."""
    x = np.abs(array).astype(np.longdouble)
    with np.errstate(all="ignore"):
        if abs(p) == np.inf:
            return x.max(-1) if p > 0 else x.min(-1)
        return (x != 0).sum(-1) if p == 0 else (x**p).sum(-1) ** (1 / np.longdouble(p))


@pytest.mark.parametrize("p", [1, 3, 0.5, 0, -1, 2.5, -3, 7, 100, np.inf, -np.inf])
@pytest.mark.parametrize("name", FLOATS)
def test_norms_without_overflow(name, p, level):
    """Check very large and small elements, zeros, infinities and NaN; by row, by column, in chunks and strided."""
    rng = np.random.default_rng(6)
    scale = {"float16": 200, "float64": 1e110 if p < 10 else 1e40}.get(name, 1e25)
    rows = rng.standard_normal((10, 1030))
    rows[1], rows[2, :600], rows[3, 700], rows[4, 700] = 0, 0, np.inf, np.nan
    rows[5, 600:], rows[6, 600:] = rows[5, 600:] * scale, rows[6, 600:] / scale
    rows[7, 3], rows[8], rows[9, ::2] = 0, rows[8] * scale, rows[9, ::2] / scale
    array = narrow(rows, name)
    with np.errstate(over="ignore"):
        wanted, few = [narrow(p_norm(widen(one), p).astype("f8"), name) for one in (array, array[:, :9])]
    bound = 10 * EPSILON.get(name, 2.3e-16)
    for operand, dims, expected in (
        (array, (1,), wanted), (array.T, (0,), wanted), (array.T.copy(), (0,), wanted), (array[:, :9], (1,), few),
        (array.reshape(10, 103, 10), (1, 2), wanted), (np.repeat(array, 2, 1)[:, ::2], (1,), wanted),
    ):  # fmt: skip
        got = compute("norm_p", (operand,), (empty((10,), name),), (dims, False, p))
        np.testing.assert_allclose(widen(got), widen(expected), rtol=bound, atol=1e-7 * (name == "float16"))
    long = narrow(np.concatenate([rng.standard_normal(90_000), rng.standard_normal(90_000) * scale]), name)
    got = compute("norm_p", (long,), (empty((), name),), ((0,), False, p))
    np.testing.assert_allclose(widen(got), widen(narrow(np.asarray(p_norm(widen(long), p), "f8"), name)), rtol=bound)


@pytest.mark.parametrize("name", FLOATS)
def test_logarithms_of_sums_of_exponentials(name, level):
    """Check infinities, NaN, and rising maxima; by row, by column, in pieces and strided."""
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((8, 1030)) * 30
    rows[1], rows[2, :600], rows[3, 700], rows[4, 700] = -np.inf, -np.inf, np.inf, np.nan
    rows[5, 3], rows[6, 3:5], rows[7] = np.inf, (np.inf, np.nan), np.arange(1030) / 20
    array = narrow(rows, name)

    def wanted(x):
        greatest = np.nan_to_num(x.max(-1, keepdims=True), nan=0, posinf=0, neginf=0)
        with np.errstate(divide="ignore", over="ignore"):
            return np.log(np.exp(x - greatest).sum(-1)) + greatest[..., 0]

    bound = 2 * EPSILON.get(name, 2.3e-16)
    for operand, dims, like in (
        (array, (1,), array), (array.T, (0,), array), (array.T.copy(), (0,), array), (array[:, :9], (1,), array[:, :9]),
        (array.reshape(8, 103, 10), (1, 2), array), (np.repeat(array, 2, 1)[:, ::2], (1,), array),
    ):  # fmt: skip
        got = compute("log_sum_exp", (operand,), (empty((8,), name),), (dims, False))
        np.testing.assert_allclose(widen(got), wanted(widen(like).astype("f8")), rtol=bound, atol=bound)
    long = narrow(np.sort(rng.standard_normal(180_000)) * 30, name)
    got = compute("log_sum_exp", (long,), (empty((), name),), ((0,), False))
    np.testing.assert_allclose(widen(got), wanted(widen(long).astype("f8")), rtol=bound)
    assert widen(compute("log_sum_exp", (long[:0],), (empty((), name),), ((0,), False))) == -np.inf


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize(
    "shape", [(70, 3), (20, 15), (20, 16), (64, 40), (3, 65), (130, 515), (5, 1100), (3, 70_000), (90, 9_000)]
)
def test_logarithms_of_sums_of_exponentials_in_any_layout(shape, name, level):
    """Check that rows and columns, dense or strided, have the same bits, also of special values and in pieces."""
    rng = np.random.default_rng(shape)
    array = rng.standard_normal(shape) * rng.choice([1, 20], shape[1])
    array[0], array[1, -1], array[2, :2] = -np.inf, np.inf, (np.nan, np.inf)
    array = narrow(array, name)
    wanted = compute("log_sum_exp", (array,), (empty(shape[:1], name),), ((1,), False))
    columns = array.T.copy()
    for operand, dim in (
        (columns, 0), (columns.T, 1), (np.repeat(array, 2, 1)[:, ::2], 1), (np.repeat(columns, 2, 1)[:, ::2], 0),
    ):  # fmt: skip
        got = compute("log_sum_exp", (operand,), (empty(shape[:1], name),), ((dim,), False))
        np.testing.assert_array_equal(widen(got), widen(wanted))
    cube = np.repeat(array[:, None], 2, 1)
    got = compute("log_sum_exp", (cube.transpose(1, 0, 2).copy(),), (empty((2, shape[0]), name),), ((2,), False))
    np.testing.assert_array_equal(widen(got), np.repeat(widen(wanted)[None], 2, 0))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_special_values(name):
    """Check that NaN propagates, and that infinities add up to infinity or NaN."""
    for special, wanted in (([np.inf, 1], np.inf), ([np.inf, -np.inf], np.nan), ([np.nan, 1], np.nan)):
        array = narrow(np.array([0.0] * 700 + special), name)
        for operator in ("sum", "amax", "amin"):
            got = widen(compute(operator, (array,), (empty((), name),), ((0,), False)))
            expected = wanted if operator == "sum" else OPERATORS[operator](widen(array))
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS])
@given(shape=shapes.filter(lambda shape: 0 not in shape), data=st.data())
def test_positions_of_extremes(name, shape, data):
    """Check that the first of equal elements, or the first NaN, is found along a dimension and in all elements."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    array = make(rng, shape, name, strided=True)
    dim = data.draw(st.sampled_from([None, *range(len(shape))]))
    keepdim = data.draw(st.booleans())
    dims = tuple(range(len(shape))) if dim is None else (dim,)
    out_shape = reduced_shape(shape, dims, keepdim)
    for arg, both, find in (("argmax", "max_dim", np.argmax), ("argmin", "min_dim", np.argmin)):
        wanted = np.asarray(find(widen(array), axis=dim)).reshape(out_shape)
        got = compute(arg, (array,), (laid_out(rng, empty(out_shape, "int64")),), (dim, keepdim))
        np.testing.assert_array_equal(got, wanted)
        if dim is not None:
            outputs = (laid_out(rng, empty(out_shape, name)), laid_out(rng, empty(out_shape, "int64")))
            extreme, index = compute(both, (array,), outputs, (dim, keepdim))
            np.testing.assert_array_equal(index, wanted)
            np.testing.assert_array_equal(widen(extreme), (np.max if both == "max_dim" else np.min)(
                widen(array), axis=dim).reshape(out_shape))  # fmt: skip


@pytest.mark.parametrize("shape", [(200_000,), (4, 60_000), (60_000, 4)])
def test_positions_in_large_arrays(shape):
    """Check that merging chunks keeps the first of equal elements first."""
    array = np.random.default_rng(3).integers(0, 1000, shape).astype("f4")
    for dim in range(len(shape)):
        got = compute("argmax", (array,), (empty(reduced_shape(shape, (dim,), False), "int64"),), (dim, False))
        np.testing.assert_array_equal(got, np.argmax(array, axis=dim))
    got = compute("argmin", (array,), (empty((), "int64"),), (None, False))
    assert got == np.argmin(array)


def check_extremes(array, name, dim):
    """Check that extremes along `dim`, and their positions, are NumPy's."""
    x = widen(array)
    shape = reduced_shape(array.shape, (dim,), False)
    for alone, both, value, place in (("amax", "max_dim", np.max, np.argmax), ("amin", "min_dim", np.min, np.argmin)):
        wanted = value(x, axis=dim)
        np.testing.assert_array_equal(widen(compute(alone, (array,), (empty(shape, name),), ((dim,), False))), wanted)
        extremes, places = compute(both, (array,), (empty(shape, name), empty(shape, "int64")), (dim, False))
        np.testing.assert_array_equal(widen(extremes), wanted)
        np.testing.assert_array_equal(places, place(x, axis=dim))


@pytest.mark.parametrize("length", [1, 3, 8, 15, 16, 17, 33, 64, 65, 130, 300, 1030, 9000])
@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS])
def test_extremes_at_the_ends_of_vectors_and_blocks(name, length, level):
    """Check rows and columns, few and many, with equal elements; a NaN wins at any position."""
    rng = np.random.default_rng(length)
    for others in (1, 3, 40) if length < 9000 else (2,):
        for shape, dim in (((others, length), 1), ((length, others), 0)):
            array = values(rng, shape, name, special=False)
            check_extremes(array, name, dim)
            check_extremes(laid_out(rng, array), name, dim)
            if name in FLOATS:
                x = widen(array)
                at = rng.integers(0, length, others)
                x[(np.arange(others), at) if dim else (at, np.arange(others))] = np.nan
                x[..., :1] = -np.inf  # the minimum, unless a NaN is elsewhere
                check_extremes(narrow(x, name), name, dim)


@pytest.mark.parametrize("name", ["int8", "int64", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(("shape", "dim"), [((70_001,), 0), ((30_001, 3), 0), ((2, 40_000), 1), ((5, 900, 8), 1)])
def test_extremes_of_large_arrays(name, shape, dim, level):
    """Check chunks, and so few columns that a vector contains several rows."""
    rng = np.random.default_rng(4)
    array = values(rng, shape, name, special=False)
    check_extremes(array, name, dim)
    if name in FLOATS:
        x = widen(array)
        x.reshape(-1)[x.size // 2 :: x.size // 3] = np.nan
        check_extremes(narrow(x, name), name, dim)
