"""Statistics: edges of histograms, NaN, and errors."""

from __future__ import annotations

import pytest

import facula_tensor as ft
from facula_errors.testing import raises

NAN = float("nan")


def test_ranges_of_equal_elements_and_of_none():
    assert ft.histogram(ft.tensor([2.0, 2.0]), 2).bin_edges.tolist() == [1.5, 2.0, 2.5]
    assert ft.histogram(ft.empty(0), 1).bin_edges.tolist() == [0.0, 1.0]
    assert ft.histc(ft.tensor([1.0, 1.0]), 3).tolist() == [0.0, 2.0, 0.0]
    assert ft.histc(ft.empty(0), 2).tolist() == [0.0, 0.0]


def test_counted_elements():
    x = ft.tensor([0.0, 1.0, 2.0, 2.5, 9.0, -1.0, NAN])
    assert ft.histogram(x, ft.tensor([0.0, 1.0, 2.0, 2.5])).hist.tolist() == [1.0, 1.0, 2.0]
    assert ft.histc(x, 2, 0, 2).tolist() == [1.0, 2.0]
    weighted = ft.histogram(x[:3], 2, weight=ft.tensor([1.0, 2.0, 4.0]))
    assert weighted.hist.tolist() == [1.0, 6.0]
    assert weighted[1] is weighted.bin_edges


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: ft.histc(x.long()), TypeError, "histc: defined for floating dtypes; got int64"),
        (lambda x: ft.histc(x, 0), ValueError, "histc: bins to be at least 1; got 0"),
        (lambda x: ft.histc(x, 3, 2, 1), ValueError, "histc: in ascending order; got 2.0 to 1.0"),
        (lambda x: ft.histc(x * NAN, 3), ValueError, "histc: expected a finite range"),
        (lambda x: ft.histogram(x, 3, range=(0.0,)), ValueError, "histogram: expected range to be 2 numbers"),
        (lambda x: ft.histogram(x, ft.ones(2), range=(0.0, 1.0)), ValueError, "histogram: got edges and a range"),
        (lambda x: ft.histogram(x, 3, weight=ft.ones(1)), ValueError, "histogram: expected weight of shape (2,)"),
        (lambda x: ft.histogram(x, ft.ones(2, dtype=ft.float64)), TypeError, "histogram: edges in the dtype of input"),
        (lambda x: ft.histogramdd(x, 3), ValueError, "histogramdd: expected points (..., n)"),
        (lambda x: ft.quantile(x, 1.5), ValueError, "quantile: expected q from 0 to 1; got 1.5"),
        (lambda x: ft.quantile(x, 0.5, interpolation="cubic"), ValueError, "quantile: interpolation to be 'linear'"),
        (lambda x: ft.quantile(ft.empty(0), 0.5), ValueError, "quantile: expected at least one element"),
        (lambda x: ft.cov(ft.ones(1, 1, 1)), ValueError, "cov: expected at most 2 dimensions"),
        (lambda x: ft.cov(x, fweights=ft.ones(2)), TypeError, "cov: fweights to be integers; got float32"),
        (lambda x: ft.diff(x, -1), ValueError, "diff: expected n of at least 0"),
        (lambda x: ft.gradient(x, edge_order=2), ValueError, "gradient: at least 3 elements"),
        (lambda x: ft.renorm(x, 2, 0, 1), ValueError, "renorm: expected at least 2 dimensions"),
        (lambda x: x.sum_to_size(3), ValueError, "sum_to_size: expected a shape that broadcasts to (2,); got (3,)"),
        (lambda x: ft.unravel_index(ft.tensor(9), (2, 2)), ValueError, "unravel_index: expected indices from 0 to 3"),
    ],
)
def test_errors(call, kind, text):
    with raises(kind, text):
        call(ft.tensor([1.0, 2.0]))


def test_nan_in_quantiles():
    x = ft.tensor([[1.0, NAN], [3.0, NAN]])
    assert str(ft.quantile(x, 0.5, 0).tolist()) == "[2.0, nan]"
    assert str(ft.nanquantile(x, 0.5, 0).tolist()) == "[2.0, nan]"
    assert ft.nanquantile(x, 0.5).item() == 2.0
    assert ft.nansum(x).item() == 4.0
    assert str(ft.nanmean(x, 1).tolist()) == "[1.0, 3.0]"
    assert ft.fmax(x[0], ft.tensor([0.0, 7.0])).tolist() == [1.0, 7.0]


def test_infinite_samples_do_not_affect_their_own_slope():
    assert ft.gradient(ft.tensor([0.0, 1.0, float("inf"), 2.0, 3.0]))[0].tolist()[2] == 0.5


def test_results_have_the_dtype_of_weights():
    weights = ft.tensor([1.0, 2.0, 3.0], dtype=ft.float64)
    assert ft.cov(ft.tensor([1.0, 2.0, 4.0]), aweights=weights).dtype is ft.float64
    assert ft.cov(ft.tensor([1j, 2.0, 4.0]), aweights=weights).dtype is ft.complex128
