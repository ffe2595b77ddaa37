"""Matrix products against NumPy in double precision: every dtype, strides, batches, threads, levels."""

import itertools

import numpy as np
import pytest
from arrays import laid_out, values
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import COMPLEX, FLOATS, NAMES, compute, empty, plan, to_bfloat16, widen

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises

EPSILON = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1.2e-7, "complex64": 1.2e-7}
WIDE = {"float64": "f8", "complex64": "c16", "complex128": "c16"}


@pytest.fixture(params=[1, 2])
def threads(request):
    """Run the test on one thread and on two."""
    before = get_num_threads()
    set_num_threads(request.param)
    yield request.param
    set_num_threads(before)


def check(got, a, b, bias=0.0):
    """Check that `got` is a @ b: exactly for integers, within the dtype's precision otherwise."""
    name = "bfloat16" if type(got).__name__ == "Bits" else got.dtype.name
    if name not in FLOATS + COMPLEX:
        np.testing.assert_array_equal(got, a @ b)
        return
    exact, large = WIDE.get(name, "f8"), np.abs
    a, b = widen(a).astype(exact), widen(b).astype(exact)
    wanted = a @ b + bias
    terms = a.shape[-1] + 1
    bound = (large(a) @ large(b) + large(bias)) * EPSILON.get(name, 2.3e-16) * (2 + terms**0.5)
    if name in ("float16", "bfloat16"):
        bound = large(wanted) * EPSILON[name] + (large(a) @ large(b)) * 1e-5 + 1e-7
    assert (large(widen(got).astype(exact) - wanted) <= bound + 1e-300).all()


def numbers(rng, shape, name):
    """Return numbers near 1, or any integers."""
    if name in FLOATS + COMPLEX:
        return values(rng, shape, name, special=False) if name in COMPLEX else near_one(rng, shape, name)
    return values(rng, shape, name)


def near_one(rng, shape, name):
    """Return numbers whose products do not overflow in half precision."""
    array = empty(shape, name)
    small = rng.integers(-8, 9, shape) / 8 if name != "float64" else rng.standard_normal(shape)
    if name == "bfloat16":
        array[...] = (np.asarray(small, "f4").view(np.uint32) >> 16).astype(np.uint16)
    else:
        array[...] = small
    return array


extents = st.sampled_from([0, 1, 2, 3, 5, 15, 16, 17, 33, 70])


@pytest.mark.parametrize("name", NAMES)
@given(
    m=extents, n=extents, k=extents, batch=st.sampled_from([(), (), (2,), (3, 2), (0,)]), shared=st.integers(0, 2),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_any_shape_and_strides(name, m, n, k, batch, shared, seed):
    """Check operands and outputs of arbitrary strides; one operand may be shared by all batches, with stride 0."""
    rng = np.random.default_rng(seed)
    a = laid_out(rng, numbers(rng, (m, k) if shared == 1 else (*batch, m, k), name))
    b = laid_out(rng, numbers(rng, (k, n) if shared == 2 else (*batch, k, n), name))
    o = laid_out(rng, empty((*batch, m, n), name))
    kind = type(o)
    a = np.broadcast_to(a, (*batch, m, k), subok=True).view(kind)
    b = np.broadcast_to(b, (*batch, k, n), subok=True).view(kind)
    check(compute("matmul", (a, b), (o,)), a, b)


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize(
    "shape", [(513, 700, 650), (64, 48, 5000), (1, 300, 700), (300, 1, 700), (700, 33, 350), (257, 65, 1)]
)
def test_large_products(name, shape, threads, level):
    """Check blocks, tiles and split sums: every order of rows and columns, each level, one thread and two."""
    m, n, k = shape
    rng = np.random.default_rng(m)
    for a_turned, b_turned in itertools.product((False, True), repeat=2):
        a = near_one(rng, (k, m), name).T if a_turned else near_one(rng, (m, k), name)
        b = near_one(rng, (n, k), name).T if b_turned else near_one(rng, (k, n), name)
        check(compute("matmul", (a, b), (empty((m, n), name),)), a, b)


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("stack", [(20, 35), (3, 300), (70, 40)])
def test_stacks_that_share_a_matrix(name, stack, threads, level):
    """Check stacks of products with one matrix, of which the rows cannot be merged, and results in both orders."""
    count, m = stack
    rng = np.random.default_rng(m)
    a, b = near_one(rng, (m, count, 70), name).swapaxes(0, 1), near_one(rng, (70, 300), name)
    for o in (empty((count, m, 300), name), empty((count, 300, m), name).swapaxes(1, 2)):
        check(compute("matmul", (a, b), (o,)), a, b)
        if name != "complex64":
            bias = near_one(rng, (300,), name)
            check(compute("linear", (a, b.T, bias), (o,)), a, b, widen(bias))


@pytest.mark.parametrize("shape", [(5, 7, 1), (14, 32, 2), (29, 33, 1027), (1, 50, 801), (51, 1, 799), (85, 40, 6001)])
def test_bfloat16_is_summed_in_float32(shape, threads, level):
    """Check sums of numbers of many magnitudes against float64, with the bound of docs/packages/cpu.md."""
    m, n, k = shape
    rng = np.random.default_rng(k)
    a = to_bfloat16(np.asarray(rng.standard_normal((k, m)) * 2.0 ** rng.integers(-20, 20, (k, m)), "f4")).T
    b, bias = (to_bfloat16(rng.standard_normal(size).astype("f4")) for size in ((n, k), (n,)))
    wide, other, more = (widen(one).astype("f8") for one in (a, b, bias))
    wanted, sizes = wide @ other.T + more, np.abs(wide) @ np.abs(other.T) + np.abs(more)
    got = compute("linear", (a, b, bias), (empty((m, n), "bfloat16"),))
    error = np.abs(widen(got).astype("f8") - wanted)
    assert (error <= np.abs(wanted) * 2.0**-8 + 2 * (k + 2) * 2.0**-24 * sizes).all()
    turned = compute("linear", (a, b, bias), (empty((n, m), "bfloat16").T,))
    np.testing.assert_array_equal(turned, got)


def test_bfloat16_at_its_limits(level):
    """Check infinities, NaN, overflow, and subnormal numbers, which a level may treat as 0."""
    a = to_bfloat16(np.array([[np.inf, 0], [np.nan, 1], [3e38, 3e38], [1e-39, 0], [1, -1]], "f4"))
    b = to_bfloat16(np.array([[1, 0], [1, 1]], "f4"))
    got = widen(compute("matmul", (a, b), (empty((5, 2), "bfloat16"),)))
    exact = widen(a)
    assert got[0, 0] == np.inf and np.isnan(got[1]).all()
    assert got[2, 0] == np.inf and got[2, 1] == exact[2, 1]
    assert got[3, 0] in (0, exact[3, 0])
    assert got[4, 0] == 0


@pytest.mark.parametrize("shape", [(300, 200, 400), (32, 20, 6000), (40, 1000, 30), (1, 2000, 300), (2000, 1, 300),
                                   (90, 1100, 1030)])  # fmt: skip
@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16", "complex64", "int32"])
def test_thread_counts_give_the_same_bits(name, shape):
    """Compare one thread with three bit for bit."""
    m, n, k = shape
    rng = np.random.default_rng(k)
    a, b = numbers(rng, (m, k), name), numbers(rng, (k, n), name)
    before, results = get_num_threads(), []
    for threads in (1, 3):
        set_num_threads(threads)
        results.append(compute("matmul", (a, b), (empty((m, n), name),)))
    set_num_threads(before)
    np.testing.assert_array_equal(results[0].view(np.uint8), results[1].view(np.uint8))


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("rows", [(), (1,), (7,), (3, 50), (300,)])
@pytest.mark.parametrize(("k", "n"), [(10, 4), (64, 10), (300, 200), (3000, 5), (0, 3), (5, 0)])
def test_linear(name, biased, rows, k, n):
    """Check x @ w.T + bias for any leading dimensions of x."""
    rng = np.random.default_rng(n)
    x, w, bias = near_one(rng, (*rows, k), name), near_one(rng, (n, k), name), near_one(rng, (n,), name)
    o = compute("linear", (x, w, bias) if biased else (x, w), (empty((*rows, n), name),))
    check(o, x, w.T, bias if biased else 0.0)


@pytest.mark.parametrize("k", [384, 512, 4096])
def test_rounding_errors_of_long_sums(k, level):
    """Check that long sums are divided: added in order, 4,096 products of normal numbers have an error of 1e-6."""
    rng = np.random.default_rng(k)
    a, b = rng.standard_normal((70, k), "f4"), rng.standard_normal((k, 70), "f4")
    wanted = a.astype("f8") @ b.astype("f8")
    error = compute("matmul", (a, b), (empty((70, 70), "float32"),)) - wanted
    assert np.sqrt((error**2).mean() / (wanted**2).mean()) < 3.6e-7


def test_special_values(level):
    """Check that NaN and infinities affect only the elements that depend on them."""
    a, b = np.ones((20, 30), "f4"), np.ones((30, 40), "f4")
    a[3, 4], b[7, 8] = np.nan, np.inf
    o = compute("matmul", (a, b), (empty((20, 40), "float32"),))
    assert np.isnan(o[3]).all()
    assert np.isinf(np.delete(o[:, 8], 3)).all()
    assert (np.delete(np.delete(o, 3, 0), 8, 1) == 30).all()


def test_tiny_products_need_no_workspace():
    """Check that small products use the stack."""
    for m, n, k in ((4, 4, 4), (32, 64, 64)):
        a, b, o = np.ones((m, k), "f4"), np.ones((k, n), "f4"), np.empty((m, n), "f4")
        assert plan("matmul", (a, b), o).workspace == 0


def test_unsupported_dtypes_are_refused():
    """Check mixed dtypes."""
    a, b = np.ones((2, 2), "f4"), np.ones((2, 2), "f8")
    with raises(NotImplementedError, "matmul", "the CPU has no kernel for (float32, float64)"):
        compute("matmul", (a, b), (a,))
