"""Reductions and rows by their kernels, against the CPU's and NumPy's."""

import numpy as np
import pytest
from compared import COMPLEX, FLOATS, INTEGERS, UNSIGNED, Array, dtype_of, floats_of, run_both

from facula_cuda._planners import planners
from facula_cuda._planners.arrays import reductions
from facula_cuda._planners.launches import headers
from facula_cuda._planners.layers import rows
from facula_cuda.testing import build
from facula_storage import Device, float32, layout_of

SHAPES = [  # and the reduced dimensions
    ((7,), (0,)),
    ((300,), (0,)),
    ((40_000,), (0,)),  # in pieces
    ((5, 70), (1,)),
    ((70, 5), (0,)),
    ((3000, 4), (0,)),  # columns in pieces
    ((3, 4, 5), (0, 2)),
    ((2, 3, 4, 5), (1,)),
    ((0, 3), (0,)),
    ((3, 0), (0,)),
    ((), ()),
]
VIEWS = {
    "contiguous": lambda array: array,
    "transposed": lambda array: array.T,
    "every other": lambda array: array[..., ::2] if array.ndim else array,
    "broadcast": lambda array: np.broadcast_to(array[:1], array.shape) if array.ndim and len(array) else array,
}


@pytest.fixture(scope="module", autouse=True)
def prebuilt():
    """Compile the kernels together, which takes less time than one by one."""
    forms = [
        (operator, code, output)
        for operator in reductions.STATES
        for code in reductions.CODES
        for output in reductions.CODES
        if reductions.has_kernel(operator, code, output)
    ]
    sources = [reductions.source_of(*form)[0] for form in forms]
    sources += [rows.source_of(operator, code)[0] for operator in rows.KERNELS for code in reductions.FLOATS]
    build.prebuild(sources, headers(), together=40)


def values_of(dtype, shape, seed=0):
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.random(shape) > 0.3
    if dtype in (*INTEGERS, *UNSIGNED):
        return random.integers(0 if dtype.startswith("u") else -100, 100, shape)
    numbers = np.asarray(random.normal(size=shape))
    return numbers + 1j * numbers[::-1] if dtype in COMPLEX and shape else numbers


def output_of(array, dims, keepdim, dtype):
    kept = [1 if d in dims else size for d, size in enumerate(array.shape) if keepdim or d not in dims]
    return Array(np.full(kept, 7), dtype)


def result_dtype(operator, dtype):
    if operator in ("sum", "prod"):
        return dtype if dtype in (*FLOATS, *COMPLEX) else "int64"
    return "bool" if operator in ("any", "all") else real_of(dtype)


def real_of(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, *UNSIGNED, *COMPLEX, "bool"])
@pytest.mark.parametrize("operator", ["sum", "prod", "amax", "amin", "any", "all"])
def test_reductions_are_the_cpus(backend, operator, dtype, view):
    if not reductions.has_kernel(operator, dtype_of(dtype).code, dtype_of(result_dtype(operator, dtype)).code):
        return
    for number, (shape, dims) in enumerate(SHAPES):
        values = values_of(dtype, shape, number)
        if operator == "prod" and dtype in (*FLOATS, *COMPLEX):
            values = 1 + values / (1e6 if values.size > 10_000 else 100)
        array = Array(values, dtype, VIEWS[view])
        if operator in ("amax", "amin") and (dtype == "bool" or not array.view.size):
            continue
        dims = tuple(d for d in dims if d < len(array.shape))
        output = output_of(array, dims, number % 2 == 1, result_dtype(operator, dtype))
        (expected,), (found,) = run_both(operator, [array], [output], (dims, number % 2 == 1))
        if dtype not in (*FLOATS, *COMPLEX) or operator not in ("sum", "prod"):
            np.testing.assert_array_equal(found, expected)
            continue
        # As accurate as the CPU's: one rounding of a result that is computed in a wider type.
        scale = np.abs(floats_of(array.view, dtype)).sum(dims, keepdims=number % 2 == 1) if operator == "sum" else 1
        eps = {"float64": 2.0**-51, "float32": 2.0**-22, "float16": 2.0**-9, "bfloat16": 2.0**-6}[real_of(dtype)]
        if operator == "prod" and real_of(dtype) == "float64":
            eps = 2.0**-36
        apart = np.abs(floats_of(found, output.dtype) - floats_of(expected, output.dtype))
        assert (apart <= eps * (scale + np.abs(floats_of(expected, output.dtype)))).all(), (shape, dims)


@pytest.mark.parametrize("dtype", [*FLOATS, "uint8", "int64"])
@pytest.mark.parametrize("operator", ["max_dim", "min_dim", "argmax", "argmin"])
def test_extremes_and_their_places_are_the_cpus(backend, operator, dtype):
    for number, (shape, dims) in enumerate(SHAPES):
        if len(dims) > 1 or 0 in shape:
            continue
        values = np.asarray(np.round(values_of(dtype, shape, number) * 2))  # many equal ones: the first counts
        if dtype in FLOATS and values.size > 20:
            values.reshape(-1)[[11, 19]] = np.nan
        array = Array(values, dtype, VIEWS["transposed" if number % 2 else "contiguous"])
        dim = dims[0] if dims else (None if operator.startswith("arg") else 0)
        if dim is None or array.shape:
            places = output_of(array, tuple(range(len(array.shape))) if dim is None else (dim,), False, "int64")
            outputs = [places]
            if operator.endswith("_dim"):
                outputs = [output_of(array, (dim,), False, dtype), places]
            expected, found = run_both(operator, [array], outputs, (dim, False))
            for one, other in zip(expected, found):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_variances_and_norms(backend, dtype):
    for number, (shape, dims) in enumerate(SHAPES):
        array = Array(values_of(dtype, shape, number) + 3, dtype)
        exact, keep = floats_of(array.view, dtype), {"axis": dims, "keepdims": False}
        real = real_of(dtype)
        output = output_of(array, dims, False, real)
        eps = {"float64": 2.0**-50, "float32": 2.0**-22, "float16": 2.0**-9, "bfloat16": 2.0**-6}[real]
        expected, found = run_both("norm2", [array], [output], (dims, False))
        np.testing.assert_allclose(floats_of(found[0], real), np.sqrt((abs(exact) ** 2).sum(**keep)), 8 * eps)
        np.testing.assert_allclose(floats_of(found[0], real), floats_of(expected[0], real), 8 * eps)
        for correction, root in ((1, False), (0, True), (2.5, False)):
            expected, found = run_both("var", [array], [output], (dims, False, correction, root))
            np.testing.assert_allclose(floats_of(found[0], real), floats_of(expected[0], real), 16 * eps)


@pytest.mark.parametrize("p", [1, 3, 0.5, 0, -1, 1.7, -2.5, 40, 3000, 0.01, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", FLOATS)
def test_norms_of_any_power(backend, dtype, p):
    eps = {"float64": 2.0**-49, "float32": 2.0**-22, "float16": 2.0**-9, "bfloat16": 2.0**-6}[dtype]
    scales = [1.0] if dtype.endswith("16") else [1.0, 1e30, 1e-30] if dtype == "float32" else [1.0, 1e300, 1e-300]
    for number, (shape, dims) in enumerate(SHAPES):
        values = values_of(dtype, shape, number)
        if values.size > 20:
            values.reshape(-1)[::7] = 0
            values.reshape(-1)[13] = [1, np.nan, np.inf][number % 3]
        for scale in scales:
            array = Array(values * scale, dtype)
            expected, found = run_both("norm_p", [array], [output_of(array, dims, False, dtype)], (dims, False, p))
            one, other = floats_of(expected[0], dtype), floats_of(found[0], dtype)
            np.testing.assert_allclose(other, one, eps * max(1, 1 / abs(p or 1)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_logarithms_of_sums_of_exponentials(backend, dtype):
    eps = {"float64": 2.0**-49, "float32": 2.0**-22, "float16": 2.0**-9, "bfloat16": 2.0**-6}[dtype]
    for number, (shape, dims) in enumerate(SHAPES):
        values = values_of(dtype, shape, number) * 20
        if values.size > 20:
            values.reshape(-1)[::7] = -np.inf
            values.reshape(-1)[13] = [1, np.nan, np.inf][number % 3]
        array = Array(values, dtype)
        expected, found = run_both("log_sum_exp", [array], [output_of(array, dims, False, dtype)], (dims, False))
        np.testing.assert_allclose(floats_of(found[0], dtype), floats_of(expected[0], dtype), eps, eps)


def test_a_sum_of_doubles_keeps_its_rounding_errors(backend):
    values = np.concatenate([[1e16], np.ones(10_000), [-1e16]])
    _, found = run_both("sum", [Array(values, "float64")], [Array(np.zeros(()), "float64")], ((0,), False))
    assert found[0] == 10_000


@pytest.mark.parametrize("extreme", [np.inf, -np.inf, np.nan])
def test_sums_with_infinite_elements(backend, extreme):
    for dtype in ("float32", "float64"):
        values = np.ones(1000)
        values[500] = extreme
        expected, found = run_both("sum", [Array(values, dtype)], [Array(np.zeros(()), dtype)], ((0,), False))
        np.testing.assert_array_equal(found[0], extreme)
        np.testing.assert_array_equal(expected[0], extreme)


@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_results_do_not_depend_on_the_order_of_threads(backend, order, monkeypatch):
    array, output = Array(values_of("float32", (400, 300)), "float32"), Array(np.zeros(400), "float32")
    _, first = run_both("sum", [array], [output], ((1,), False))
    monkeypatch.setenv("FACULA_SHIM_ORDER", order)
    _, second = run_both("sum", [array], [output], ((1,), False))
    np.testing.assert_array_equal(first[0], second[0])


def test_strided_results(backend):
    array = Array(values_of("float32", (6, 40)), "float32")
    output = Array(np.full((6, 3), 9.0), "float32", lambda memory: memory[:, 1])
    expected, found = run_both("amax", [array], [output], ((1,), False))
    np.testing.assert_array_equal(found[0], expected[0])
    assert (found[0][:, [0, 2]] == 9).all()


@pytest.mark.parametrize("dims", [tuple(range(9)), (8,), (0, 2, 4, 6, 8)])
def test_many_dimensions(backend, dims):
    a = Array(values_of("float32", (3,) * 9), "float32", lambda array: array[(slice(None, 2),) * 9])
    expected, found = run_both("amax", [a], [output_of(a, dims, False, "float32")], (dims, False))
    np.testing.assert_array_equal(found[0], expected[0])
    expected, found = run_both("softmax", [a], [Array(np.zeros(a.shape), "float32")], (dims[0],))
    np.testing.assert_allclose(found[0], expected[0], 1e-6)


def test_what_has_no_kernel_is_declined(backend):
    wide = layout_of((2,) * 34, tuple(3**k for k in range(34)), float32, Device("cuda:0"))
    total = Array(np.zeros(()), "float32").layout("cuda:0")
    assert planners["sum"]("sum", (wide,), (total,), (tuple(range(34)), False)) is None
    assert planners["softmax"]("softmax", (wide,), (wide,), (0,)) is None
    short = Array(np.zeros(3), "float32").layout("cuda:0"), Array(np.zeros(()), "float64").layout("cuda:0")
    assert planners["sum"]("sum", short[:1], short[1:], ((0,), False)) is None


# Rows

ROWS = [((7,), 0), ((40, 300), 1), ((300, 40), 0), ((3, 5, 7), 1), ((), 0), ((0, 3), 1), ((3, 0), 1), ((4, 3000), -1)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operator", ["softmax", "log_softmax", "softmax_grad", "log_softmax_grad"])
def test_rows_are_the_cpus(backend, operator, dtype):
    eps = {"float64": 2.0**-50, "float32": 2.0**-21, "float16": 2.0**-9, "bfloat16": 2.0**-6}[dtype]
    for number, (shape, dim) in enumerate(ROWS):
        view = VIEWS["every other" if number % 2 else "contiguous"]
        operands = [Array(4 * values_of(dtype, shape, number), dtype, view)]
        if operator.endswith("grad"):
            result = values_of(dtype, shape, number + 100)
            operands.append(Array(np.exp(result - 3) if operator == "softmax_grad" else result - 3, dtype, view))
        output = Array(np.zeros(operands[0].shape), dtype)
        expected, found = run_both(operator, operands, [output], (dim,))
        one, other = floats_of(expected[0], dtype), floats_of(found[0], dtype)
        scale = np.abs(floats_of(operands[0].view, dtype)).sum(dim, keepdims=True) if shape and one.size else 1
        np.testing.assert_array_less(np.abs(one - other), eps * (1 + np.abs(one) + scale) + 1e-300)


@pytest.mark.parametrize("operator", ["softmax", "log_softmax"])
def test_rows_without_a_result_are_nan(backend, operator):
    values = np.zeros((5, 40))
    values[1, 3], values[2, 4], values[3], values[4, 7] = np.nan, np.inf, -np.inf, -np.inf
    array, output = Array(values, "float32"), Array(values, "float32")
    expected, found = run_both(operator, [array], [output], (1,))
    np.testing.assert_array_equal(np.isnan(found[0]), np.isnan(expected[0]))
    np.testing.assert_allclose(found[0], expected[0], 1e-6)
