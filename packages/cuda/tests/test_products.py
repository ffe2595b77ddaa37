"""Products of matrices by their kernel, against the CPU's."""

import numpy as np
import pytest
from backend_helpers import get, put
from compared import COMPLEX, FLOATS, INTEGERS, Array, floats_of, run_both

from facula_cuda._planners import products
from facula_cuda._planners.launches import headers
from facula_cuda.testing import build

SHAPES = [  # of a and b
    ((3, 4), (4, 5)),
    ((70, 35), (35, 67)),  # of several tiles and slices, none of them whole
    ((128, 16), (16, 64)),
    ((4,), (4,)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 1, 3, 4), (3, 4, 5)),
    ((2, 3, 4), (4,)),
    ((3, 0), (0, 5)),  # of zeros
    ((0, 4), (4, 5)),
    ((0, 3, 4), (4, 5)),
]
TOLERANCE = {
    "float32": 1e-5, "float64": 1e-12, "float16": 4e-3, "bfloat16": 4e-2, "complex64": 1e-5, "complex128": 1e-12,
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def prebuilt():
    """Compile the kernels together, which takes less time than one by one."""
    build.prebuild(
        [products.source_of(code, biased)[0] for code in products.DTYPES for biased in (False, True)], headers()
    )


def values_of(dtype, shape, seed):
    random = np.random.default_rng(seed)
    if dtype in INTEGERS:
        return random.integers(0 if dtype == "uint8" else -100, 100, shape)
    if dtype in COMPLEX:
        return random.normal(size=shape) + 1j * random.normal(size=shape)
    return random.random(shape) > 0.6 if dtype == "bool" else random.normal(size=shape)


def transposed(array):
    return array.swapaxes(-1, -2) if array.ndim > 1 else array


def operand(dtype, shape, seed, layout="contiguous"):
    if layout == "transposed":
        shape = transposed(np.empty(shape)).shape
        return Array(values_of(dtype, shape, seed), dtype, transposed)
    if layout == "gaps" and shape:
        wide = (*shape[:-1], shape[-1] * 2)
        return Array(values_of(dtype, wide, seed), dtype, lambda array: array[..., ::2])
    return Array(values_of(dtype, shape, seed), dtype)


def compare(operator, operands, output, dtype, parameters=()):
    (expected,), (found,) = run_both(operator, operands, [output], parameters)
    if dtype not in TOLERANCE:
        np.testing.assert_array_equal(found, expected)
        return
    wanted = floats_of(expected, dtype)
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(floats_of(found, dtype), wanted, rtol=0, atol=TOLERANCE[dtype] * scale)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "gaps"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(backend, shapes, layout):
    a, b = (operand("float32", shape, seed, layout) for seed, shape in enumerate(shapes))
    result = np.matmul(np.ones(shapes[0]), np.ones(shapes[1])).shape
    compare("matmul", [a, b], Array(np.full(result, 7), "float32"), "float32")


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, *COMPLEX, "bool"])
def test_dtypes(backend, dtype):
    a, b = operand(dtype, (5, 33), 0), operand(dtype, (33, 70), 1, "transposed")
    compare("matmul", [a, b], Array(np.zeros((5, 70)), dtype), dtype)


@pytest.mark.parametrize("shapes", [((3, 0), (0, 5)), ((2, 1, 3, 4), (3, 4, 5)), ((4,), (4,))], ids=str)
def test_products_of_complex_numbers(backend, shapes):
    a, b = (operand("complex128", shape, seed, "transposed") for seed, shape in enumerate(shapes))
    result = np.matmul(np.ones(shapes[0]), np.ones(shapes[1])).shape
    compare("matmul", [a, b], Array(np.full(result, 7), "complex128"), "complex128")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("shape", [(9, 33), (33,), (2, 5, 33), (0, 33)], ids=str)
def test_linear(backend, shape, biased, dtype):
    operands = [operand(dtype, one, seed) for seed, one in enumerate([shape, (70, 33), *[(70,)] * biased])]
    compare("linear", operands, Array(np.zeros((*shape[:-1], 70)), dtype), dtype)


def test_a_bias_that_is_none_has_an_address(backend):
    (x, lx), (w, lw), (o, lo) = put(np.ones((2, 3), "f4")), put(np.ones((4, 3), "f4")), put(np.zeros((2, 4), "f4"))
    backend.plan("linear", (lx, lw, None), (lo,), ()).launch(8, x.ptr, w.ptr, 0, o.ptr)
    assert get(o, lo).tolist() == [[3] * 4] * 2


def test_rows_that_do_not_merge(backend):
    """The rows of x have two steps, so that a part of them are batches."""
    x = Array(values_of("float32", (3, 4, 33), 0), "float32", lambda array: array[:, ::2])
    w = operand("float32", (5, 33), 1)
    compare("linear", [x, w], Array(np.zeros((3, 2, 5)), "float32"), "float32")


@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
def test_weight_gradient(backend, layout):
    g, x = operand("float32", (40, 7), 0, layout), operand("float32", (40, 9), 1, layout)
    compare("linear_weight_grad", [g, x], Array(np.zeros((7, 9)), "float32"), "float32")


def test_many_batch_dimensions(backend):
    a = Array(values_of("float32", (*(3,) * 7, 4, 5), 0), "float32", lambda array: array[(slice(None, 2),) * 7])
    b = operand("float32", (*(2, 1, 2, 1, 2, 1, 2), 5, 3), 1)
    compare("matmul", [a, b], Array(np.zeros((*(2,) * 7, 4, 3)), "float32"), "float32")


def test_results_with_gaps_keep_them(backend):
    a, b = operand("float32", (3, 4), 0), operand("float32", (4, 5), 1)
    output = Array(np.full((3, 10), 7), "float32", lambda array: array[:, ::2])
    (expected,), (found,) = run_both("matmul", [a, b], [output])
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (found[:, 1::2] == 7).all()
