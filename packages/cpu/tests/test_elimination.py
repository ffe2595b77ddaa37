"""Decompositions, inverses, determinants and solutions by elimination, against NumPy in double precision."""

import numpy as np
import pytest
from kernel_helpers import BACKEND, layout

from facula_cpu import get_num_threads, set_num_threads
from facula_storage import LaunchError

SHAPES = [
    (),
    (1, 1),
    (2, 2),
    (5, 5),
    (65, 65),
    (131, 131),
    (7, 3, 3),
    (300, 3, 3),
    (2, 3, 17, 17),
    (0, 3, 3),
    (3, 0, 0),
]
WIDE = {"float32": "float64", "float64": "float64", "complex64": "complex128", "complex128": "complex128"}


def random(shape, name, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if name.startswith("c") else 0)
    return values.astype(name)


def launch(operator, arrays, outputs, *parameters):
    plan = BACKEND.plan(operator, tuple(map(layout, arrays)), tuple(map(layout, outputs)), parameters)
    plan.launch(outputs[0].size, *[one.ctypes.data for one in (*arrays, *outputs)])
    return outputs


def statuses(a):
    return np.full(a.shape[:-2], 9, "i4")


def close(got, wanted):
    """Check that errors are below 1,000 units in the last place of the largest element."""
    eps = np.finfo(got.dtype).eps
    assert np.abs(got - wanted).max(initial=0) <= 1000 * eps * max(1, np.abs(wanted).max(initial=0))


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("shape", SHAPES[1:])
def test_every_operator(name, shape):
    n = shape[-1]
    a = (random(shape, name) / (2 * max(n, 1) ** 0.5) + np.eye(n)).astype(name)
    wide = a.astype(WIDE[name])
    definite = (wide @ np.swapaxes(wide.conj(), -1, -2)).astype(name)
    b = random((*shape[:-1], 3), name, 1)
    x, info = launch("solve_ex", (a, b), (np.full_like(b, 9), statuses(a)))
    close(x, np.linalg.solve(wide, b.astype(WIDE[name])))
    inverse, info = launch("inv_ex", (a,), (np.full_like(a, 9), statuses(a)))
    close(inverse, np.linalg.inv(wide))
    assert not info.any()
    for upper in (False, True):
        half = np.triu(definite) if upper else np.tril(definite)  # the other triangle is not read
        factor, info = launch("cholesky_ex", (half,), (np.full_like(a, 9), statuses(a)), upper)
        wanted = np.linalg.cholesky(definite.astype(WIDE[name]), upper=upper)
        close(factor, wanted)
        assert not info.any() and ((factor == 0) == (wanted == 0)).all()
    (det,) = launch("det", (a,), (np.full(shape[:-2], 9, name),))
    close(det, np.linalg.det(wide))
    logarithm, sign = launch("slogdet", (a,), (np.full(shape[:-2], 9, a.real.dtype), np.full(shape[:-2], 9, name)))
    close(logarithm, np.linalg.slogdet(wide)[1])
    close(sign, np.linalg.slogdet(wide)[0])


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("shape", [*SHAPES[1:], (5, 3), (3, 5), (150, 40), (40, 150), (2, 70, 100)])
def test_lu(name, shape):
    *batch, m, n = shape
    k = min(m, n)
    a = random(shape, name)
    lu, pivots, info = launch("lu_factor_ex", (a,), (np.full_like(a, 9), np.full((*batch, k), 9, "i4"), statuses(a)))
    lower = np.tril(lu[..., :k], -1) + np.eye(m, k)
    (moves,) = launch("permutation_of", (pivots,), (np.full((*batch, m, m), 9, "f4"),), m)
    close((moves @ lower @ np.triu(lu[..., :k, :])).astype(name), a.astype(WIDE[name]))
    assert not info.any() and (np.abs(lower) <= 1.5).all()  # parts of complex pivots are added


def test_one_matrix_for_many_systems():
    a, b = random((4, 4), "float32"), random((3, 4, 2), "float32", 1)
    x, _ = launch("solve_ex", (a, b), (np.empty_like(b), np.empty(3, "i4")))
    close(x, np.linalg.solve(a.astype("f8"), b.astype("f8")))


@pytest.mark.parametrize("n", [2, 70])
def test_singular_and_invalid_matrices(n):
    """A zero pivot yields its position and NaN; so does a minor that is not positive; NaNs spread."""
    a = np.stack([np.eye(n), np.eye(n), np.eye(n)])
    a[0, n - 1, n - 1] = 0
    a[1, 0, 0] = np.nan
    for operator, arrays in (("inv_ex", (a,)), ("solve_ex", (a, a))):
        x, info = launch(operator, arrays, (np.empty_like(a), np.empty(3, "i4")))
        assert info.tolist() == [n, 0, 0]
        assert np.isnan(x[:2]).all() and (x[2] == np.eye(n)).all()
    (det,) = launch("det", (a,), (np.empty(3),))
    np.testing.assert_array_equal(det, [0, np.nan, 1])
    logarithm, sign = launch("slogdet", (a,), (np.empty(3), np.empty(3)))
    np.testing.assert_array_equal(logarithm, [-np.inf, np.nan, 0])
    np.testing.assert_array_equal(sign, [0, np.nan, 1])
    factor, info = launch("cholesky_ex", (a,), (np.empty_like(a), np.empty(3, "i4")), False)
    assert info.tolist() == [n, 1, 0] and np.isnan(factor[:2]).all()
    a[0, 0, 0], a[0, 0, 1] = 0, np.nan  # beside a zero pivot
    (det,) = launch("det", (a,), (np.empty(3),))
    np.testing.assert_array_equal(det, [np.nan, np.nan, 1])


def test_determinants_beyond_the_range_of_their_factors():
    huge = np.diag([1e200, 1e200, 1e-200, 1e-201])
    assert launch("det", (huge,), (np.empty(()),))[0] == pytest.approx(0.1)
    near = np.diag([1 + 1e-12, 1.0])
    assert launch("slogdet", (near,), (np.empty(()), np.empty(())))[0] == pytest.approx(1e-12, rel=1e-3)


@pytest.mark.parametrize(("operator", "outputs"), [("inv_ex", 1), ("lu_factor_ex", 2), ("cholesky_ex", 1)])
@pytest.mark.parametrize("shape", [(200, 200), (500, 16, 16)])
def test_threads_do_not_change_bits(operator, outputs, shape):
    a = random(shape, "float32")
    a = a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1], dtype="f4")
    found, threads = [], get_num_threads()
    try:
        for count in (1, 3):
            set_num_threads(count)
            results = (np.empty_like(a), np.empty(shape[:-1], "i4"), np.empty(shape[:-2], "i4"))
            launch(operator, (a,), (*results[:outputs], results[2]), *[False] * (operator == "cholesky_ex"))
            found.append(results[0])
    finally:
        set_num_threads(threads)
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(37, 4, 4), (3, 11, 3, 5), (21, 8, 8), (19, 5, 2)])
def test_matrices_of_a_batch_do_not_affect_one_another(name, shape):
    """Small matrices are eliminated together: with the bits of each alone, also singular and invalid ones."""
    a, systems = random(shape, name), shape[-2] == shape[-1]
    some = a.reshape(-1, *shape[-2:])
    some[1], some[4, 0], some[5, -1, -1], some[6], some[7], some[8, :, -1] = 0, np.nan, np.inf, some[6, :1], -0.0, 0

    def results(a):
        made = [np.empty_like(a), np.empty((*a.shape[:-2], min(shape[-2:])), "i4"), statuses(a)]
        launch("lu_factor_ex", (a,), made)
        if systems:
            launch("inv_ex", (a,), (inverse := np.empty_like(a), status := statuses(a)))
            launch("solve_ex", (a, a[..., :1]), (solved := np.empty(a.shape[:-1], name)[..., None], statuses(a)))
            launch("det", (a,), (det := np.empty(a.shape[:-2], name),))
            made += [inverse, status, solved, det]
        return made

    for together, *alone in zip(results(a), *[results(one) for one in some], strict=True):
        np.testing.assert_array_equal(together.reshape(len(some), -1), np.reshape(alone, (len(some), -1)))


def test_pivots_out_of_range_are_refused():
    with pytest.raises(LaunchError):
        launch("permutation_of", (np.array([1, 4], "i4"),), (np.empty((3, 3), "f4"),), 3)
