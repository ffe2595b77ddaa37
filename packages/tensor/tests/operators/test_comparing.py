"""isclose, allclose, equal and isin against NumPy, and their errors."""

import numpy as np
import pytest
from case import ALL, INTEGERS, REALS
from elements import DTYPES

import facula_tensor as ft
from facula_errors.testing import raises

NAN, INF = float("nan"), float("inf")
LEFT = [0.0, 1.0, 1.0, 100.0, INF, INF, -INF, NAN, 1.0]
RIGHT = [1e-9, 1.001, 1.2, 101.0, INF, -INF, 1.0, NAN, INF]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize(("rtol", "atol"), [(1e-5, 1e-8), (0, 0), (0.1, 0), (0, 0.01), (1.0, 1.0)])
def test_isclose(dtype, equal_nan, rtol, atol):
    left, right = np.array(LEFT, dtype), np.array(RIGHT, dtype)
    got = ft.isclose(ft.tensor(left)[:, None], ft.tensor(right), rtol, atol, equal_nan)
    with np.errstate(all="ignore"):
        expected = np.isclose(left[:, None], right, rtol, atol, equal_nan)
    assert got.dtype is ft.bool and np.array_equal(got.numpy(), expected)
    row = ft.tensor(left).isclose(ft.tensor(right), rtol=rtol, atol=atol, equal_nan=equal_nan)
    assert np.array_equal(row.numpy(), expected.diagonal())


@pytest.mark.parametrize("dtype", ALL)
def test_isclose_in_every_dtype(dtype):
    left, right = ft.tensor([0, 1, 1], dtype=DTYPES[dtype]), ft.tensor([0, 1, 0], dtype=DTYPES[dtype])
    assert left.isclose(right).tolist() == [True, True, False]
    assert left.isclose(right, rtol=0, atol=1).all() and not left.allclose(right) and left.allclose(left)


def test_isclose_of_integers_does_not_wrap():
    assert not ft.isclose(ft.tensor([255], dtype=ft.uint8), ft.tensor([0], dtype=ft.uint8), 0, 1).item()


def test_allclose():
    x = ft.tensor([[1.0, 2.0]], requires_grad=True)
    assert ft.allclose(x, x + 1e-7) and not ft.allclose(x, x + 1e-3) and ft.allclose(x, x + 1e-3, rtol=0.1)
    assert ft.allclose(ft.ones(0), ft.ones(0)) and ft.allclose(ft.ones(1), ft.ones(2, 3))
    assert ft.allclose(ft.tensor(NAN), ft.tensor(NAN), equal_nan=True)


def test_close_errors():
    with raises(RuntimeError, "isclose", "int64", "float32"):
        ft.isclose(ft.tensor([1]), ft.tensor([1.0]))
    with raises(ValueError, "allclose", "expected rtol >= 0", value=-1):
        ft.allclose(ft.ones(1), ft.ones(1), rtol=-1)
    with raises(ValueError, "isclose", "atol"):
        ft.isclose(ft.ones(1), ft.ones(1), atol=NAN)
    with raises(TypeError, "isclose", "expected a Tensor", value="float"):
        ft.isclose(ft.ones(1), 1.0)


@pytest.mark.parametrize("dtype", ALL)
def test_equal(dtype):
    x = ft.tensor([[1, 0], [1, 1]], dtype=DTYPES[dtype])
    assert x.equal(x) and ft.equal(x.t(), x.t().contiguous()) and not ft.equal(x, x.t())
    assert not ft.equal(x, x[0]) and ft.equal(ft.tensor([1, 0]), x[0])
    assert not ft.equal(ft.tensor(NAN), ft.tensor(NAN)) and ft.equal(ft.ones(0, 2), ft.ones(0, 2))


@pytest.mark.parametrize("count", [0, 3, 40])
@pytest.mark.parametrize("dtype", REALS)
def test_isin(dtype, count):
    rng = np.random.default_rng(count)
    elements = rng.integers(0, 60, (7, 5)) / (1 if dtype in INTEGERS else 4)
    tests = rng.integers(0, 60, count) / (1 if dtype in INTEGERS else 4)
    x, y = ft.tensor(elements, dtype=DTYPES[dtype]), ft.tensor(tests, dtype=DTYPES[dtype])
    expected = np.isin(elements, tests)
    assert np.array_equal(ft.isin(x.t(), y).numpy(), expected.T)
    assert np.array_equal(ft.isin(x, y, assume_unique=True, invert=True).numpy(), ~expected)


def test_isin_of_numbers_and_of_two_dtypes():
    x = ft.tensor([1, 2, 3])
    assert ft.isin(x, 2).tolist() == [False, True, False] and ft.isin(2, x).item() is True
    assert ft.isin(x, ft.tensor([1.5, 3.0])).tolist() == [False, False, True]
    out = ft.empty(3, dtype=ft.bool)
    assert ft.isin(x, 2, out=out) is out and out.tolist() == [False, True, False]
    assert not ft.isin(ft.tensor([NAN]), ft.tensor([NAN] * 20)).any()


def test_isin_errors():
    with raises(TypeError, "isin"):
        ft.isin(1, 2)
    with raises(RuntimeError, "isin", "complex64"):
        ft.isin(ft.ones(1, dtype=ft.complex64), ft.ones(1))
    with raises(RuntimeError, "isin", "bool"):
        ft.isin(ft.tensor([True]), ft.ones(1))
