"""softmax, log_softmax and their gradients against NumPy in double precision."""

import numpy as np
import pytest
from arrays import laid_out, shapes
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import FLOATS, compute, empty, narrow, widen

from facula_cpu import get_num_threads, set_num_threads

OPERATORS = ["softmax", "log_softmax", "softmax_grad", "log_softmax_grad"]
EPSILON = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-6, "float64": 2e-15}


def expect(operator, arrays, dim):
    """Return the result, and the magnitude of its terms, in double precision."""
    x = arrays[0]
    if operator in ("softmax", "log_softmax"):
        shifted = x - x.max(axis=dim, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))
        # x - max is rounded before it is exponentiated
        return (np.exp(logs), np.exp(logs) * (1 - shifted)) if operator == "softmax" else (logs, 1 - logs - shifted)
    y = arrays[1]
    if operator == "softmax_grad":
        sums, sizes = ((x * y).sum(axis=dim, keepdims=True), np.abs(x * y).sum(axis=dim, keepdims=True))
        return y * (x - sums), np.abs(y) * (np.abs(x) + sizes)
    sums, sizes = x.sum(axis=dim, keepdims=True), np.abs(x).sum(axis=dim, keepdims=True)
    return x - np.exp(y) * sums, np.abs(x) + np.exp(y) * sizes


def check(operator, arrays, dim, output, name):
    """Compute `output` and check that it is correct to a few units in the last place."""
    got = compute(operator, arrays, (output,), (dim,))
    if output.size:
        wanted, size = expect(operator, [widen(one).astype("f8") for one in arrays], dim)
        assert (np.abs(widen(got).astype("f8") - wanted) <= EPSILON[name] * size + 1e-7 * (name == "float16")).all()
    return got


def operands(rng, operator, shape, dim, name):
    """Return an input, or a gradient with the operator's previous result."""
    x = rng.standard_normal(shape) * 2
    if operator in ("softmax", "log_softmax") or not x.size:
        return [narrow(one, name) for one in (x, x)[: 1 + operator.endswith("grad")]]
    result = expect(operator.removesuffix("_grad"), [rng.standard_normal(shape) * 2], dim)[0]
    return [narrow(x, name), narrow(result, name)]


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("operator", OPERATORS)
@given(shape=shapes.filter(lambda shape: len(shape) > 0), data=st.data())
def test_any_dim_and_strides(operator, name, shape, data):
    """Check any dimension and arbitrary strides."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    arrays = [laid_out(rng, array) for array in operands(rng, operator, shape, dim, name)]
    check(operator, arrays, dim, laid_out(rng, empty(shape, name)), name)


# Rows shorter than a vector, of complete vectors and with a remainder, in complete and partial batches; columns so
# few that several elements of each are processed together, with a remainder; enough columns for vectors, and for tasks.
SHAPES = [
    (200, 2), (200, 10), (192, 4), (400, 8), (37, 15), (35, 16), (37, 33), (100, 64), (100, 65), (9, 512), (9, 513),
    (50, 1000), (3, 40_000), (2000, 3), (20, 4, 8), (5, 33, 3), (7, 50, 17), (3, 16, 196), (4, 30, 500), (60, 264),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["float32", "float64", "float16"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_contiguous_rows(operator, name, shape, level):
    """Check each path through the kernels at each level; one thread and three give the same bits."""
    rng = np.random.default_rng(5)
    before = get_num_threads()
    for dim in range(len(shape)):
        arrays = operands(rng, operator, shape, dim, name)
        results = []
        for threads in (1, 3):
            set_num_threads(threads)
            results.append(check(operator, arrays, dim, empty(shape, name), name))
        np.testing.assert_array_equal(results[0], results[1])
    set_num_threads(before)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("n", [10, 16, 33, 300])
@pytest.mark.parametrize("operator", OPERATORS)
def test_rows_with_gaps(operator, n, name):
    """Check that the elements between the rows do not change."""
    rng = np.random.default_rng(7)
    arrays = operands(rng, operator, (21, n), 1, name)
    apart = [np.full_like(empty((21, n + 20), name), 7) for _ in range(len(arrays) + 1)]
    for array, wide in zip(arrays, apart, strict=False):
        wide[:, 9 : 9 + n] = array
    wanted = apart[-1].copy()
    wanted[:, 9 : 9 + n] = compute(operator, arrays, (empty((21, n), name),), (1,))
    *inputs, output = [wide[:, 9 : 9 + n] for wide in apart]
    compute(operator, inputs, (output,), (1,))
    np.testing.assert_array_equal(apart[-1], wanted)


@pytest.mark.parametrize("n", [1, 9, 16, 33, 64, 65, 300, 600])
@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("operator", ["softmax", "log_softmax"])
def test_special_values(operator, dim, rows, n):
    """Check that -inf has no weight, and that rows of only -inf, or with NaN or +inf, give NaN."""
    for special, position in ((np.nan, n // 2), (np.inf, n - 1), (-np.inf, 0), (-np.inf, slice(None))):
        array = np.linspace(-1, 1, rows * n, dtype="f4").reshape(rows, n)
        array[0, position] = special
        if dim:
            got = compute(operator, (array,), (np.empty_like(array),), (1,))
        else:
            got = compute(operator, (array.T.copy(),), (np.empty_like(array.T, order="C"),), (0,)).T
        if special == -np.inf and position == 0 and n > 1:
            assert got[0, 0] == (0 if operator == "softmax" else -np.inf)
            total = got[0, 1:].astype("f8") if operator == "softmax" else np.exp(got[0, 1:].astype("f8"))
            assert abs(total.sum() - 1) < 1e-5
        elif special == np.inf and operator == "log_softmax":
            assert np.isnan(got[0, -1])
        else:
            assert np.isnan(got[0]).all() or (special == np.inf and np.isnan(got[0, -1]))
        assert np.isfinite(got[1:]).all()


def test_an_output_may_be_its_input():
    """Check exact aliases in every operator."""
    rng = np.random.default_rng(6)
    for operator in OPERATORS:
        for shape in ((30, 10), (20, 33), (5, 64), (5, 300), (5, 600), (100, 3), (100, 19), (160, 8)):
            for dim in (0, 1):
                arrays = operands(rng, operator, shape, dim, "float32")
                wanted = compute(operator, arrays, (np.empty(shape, "f4"),), (dim,))
                for position in range(len(arrays)):
                    copies = [array.copy() for array in arrays]
                    compute(operator, copies, (copies[position],), (dim,))
                    np.testing.assert_array_equal(copies[position], wanted)
