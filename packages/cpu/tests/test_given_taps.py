"""Sums of elements at given places and their derivatives, at each level and on any number of threads."""

import numpy as np
import pytest
from kernel_helpers import compute, empty

from facula_cpu import get_num_threads, set_num_threads
from facula_errors import FaculaError
from facula_errors.testing import raises

# Images, channels, length, taps, count: channels that are no multiple of four, and enough work for several threads.
CASES = [(2, 3, 10, 4, 7), (1, 4, 5, 1, 9), (3, 9, 40, 2, 700), (8, 16, 900, 4, 1100), (0, 2, 3, 4, 5), (2, 0, 3, 1, 2)]
CASES += [(1, 2, 3, 2, 0), (1, 5, 3, 0, 4)]
TOLERANCE = {"float32": 2e-4, "float64": 1e-11}


def on_threads(operator, inputs, shape, name, parameters=()):
    """Return the output, after checking that one thread and three give the same bits."""
    before, results = get_num_threads(), []
    for threads in (1, 3):
        set_num_threads(threads)
        results.append(compute(operator, inputs, (empty(shape, name),), parameters))
    set_num_threads(before)
    np.testing.assert_array_equal(*results)
    return results[0]


@pytest.mark.parametrize("name", TOLERANCE)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_sums_and_derivatives(case, name, level):
    images, channels, length, taps, count = case
    rng = np.random.default_rng(0)
    x, g = (rng.standard_normal((images, channels, n)).astype(name) for n in (length, count))
    weights = rng.standard_normal((images, taps, count)).astype(name)
    places = rng.integers(-2, length + 2, weights.shape)
    places.flat[:2] = -(1 << 62), 1 << 62
    matrix = np.zeros((images, length, count))  # of each image
    inside = (places >= 0) & (places < length)
    n, t, i = np.nonzero(inside)
    np.add.at(matrix, (n, places[n, t, i], i), weights[n, t, i])
    close = {"rtol": TOLERANCE[name], "atol": TOLERANCE[name]}
    got = on_threads("gather_taps", (x, weights, places), g.shape, name)
    np.testing.assert_allclose(got, x.astype("f8") @ matrix, **close)
    got = on_threads("scatter_taps", (g, weights, places), x.shape, name, (length,))
    np.testing.assert_allclose(got, g.astype("f8") @ matrix.transpose(0, 2, 1), **close)
    got = on_threads("weigh_taps", (g, x, places), weights.shape, name)
    wanted = np.zeros(weights.shape)
    wanted[n, t, i] = (g.astype("f8")[n, :, i] * x.astype("f8")[n, :, places[n, t, i]]).sum(1)
    np.testing.assert_allclose(got, wanted, **close)


def test_positions_outside_contribute_zero():
    x = np.full((1, 1, 2), np.inf)
    got = compute("gather_taps", (x, np.ones((1, 1, 2)), np.array([[[-1, 2]]])), (empty((1, 1, 2), "float64"),))
    assert got.tolist() == [[[0.0, 0.0]]]


def test_mismatched_shapes_are_refused():
    x, weights = np.ones((1, 1, 2)), np.ones((1, 2, 3))
    with raises(FaculaError, "gather_taps", "expected shapes that fit"):
        compute("gather_taps", (x, weights, np.zeros((1, 1, 3), np.int64)), (empty((1, 1, 3), "float64"),))
