"""Filling, selecting and replacing by a mask: behaviour that the matrix does not cover."""

import pytest

import facula_tensor as ft
from facula_errors.testing import raises

X = [1.0, 2.0, 3.0]
MASK = [True, False, True]


@pytest.mark.parametrize("value", [5.0, 5, float("inf"), float("-inf"), True])
@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16, ft.float32, ft.float64, ft.complex64])
def test_masked_fill_with_numbers(dtype, value):
    x = ft.tensor(X, dtype=dtype)
    wanted = [complex(value), 2, complex(value)] if dtype is ft.complex64 else [float(value), 2, float(value)]
    for _ in range(2):  # the first call caches the layouts
        assert x.masked_fill(ft.tensor(MASK), value).tolist() == wanted
        assert x.clone().masked_fill_(ft.tensor(MASK), value).tolist() == wanted


def test_masked_fill_keeps_the_dtype():
    assert ft.tensor([1, 2, 3]).masked_fill(ft.tensor(MASK), 1.5).tolist() == [1, 2, 1]
    assert ft.tensor([1, 2, 3]).masked_fill(ft.tensor(MASK), ft.tensor(7.5)).dtype is ft.int64
    assert ft.tensor(MASK).masked_fill(ft.tensor(MASK), 0).tolist() == [False] * 3


def test_masked_fill_counts_its_changes():
    x, mask = ft.tensor(X), ft.tensor(MASK)
    for version in range(1, 4):
        assert x.masked_fill_(mask, 0.0) is x
        assert x._version == version
    result = x.requires_grad_().exp()
    result.detach().masked_fill_(mask, 0.0)
    with raises(RuntimeError, "backward of exp", "test_masked_fill_counts_its_changes"):
        result.sum().backward()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x, m: x.masked_fill(m.long(), 1.0), TypeError, "masked_fill: bool"),
        (lambda x, m: x.masked_fill(m[:2], 1.0), ValueError, "masked_fill: (2,)"),
        (lambda x, m: x.masked_fill(m, 1j), TypeError, "masked_fill: complex"),
        (lambda x, m: x.masked_fill(m, ft.tensor([1.0])), ValueError, "masked_fill: without dimensions"),
        (lambda x, m: x.half().masked_fill(m, 1e6), OverflowError, "masked_fill: float16"),
        (lambda x, m: x.masked_fill(m, 1e300), OverflowError, "masked_fill: float32"),
        (lambda x, m: x.masked_fill(m, "1"), TypeError, "masked_fill: number"),
        (lambda x, m: x[0].masked_fill_(m, 1.0), ValueError, "masked_fill_: broadcasts to ()"),
        (lambda x, m: x[:1].expand(3).masked_fill_(m, 1.0), RuntimeError, "masked_fill_: share one place"),
        (lambda x, m: x.clone().requires_grad_().masked_fill_(m, 1.0), RuntimeError, "masked_fill_: leaf"),
        (lambda x, m: x.masked_select(x), TypeError, "masked_select: bool"),
        (lambda x, m: x.masked_scatter(m, x.double()), TypeError, "masked_scatter: float32"),
        (lambda x, m: x.masked_scatter(m, x[:1]), ValueError, "masked_scatter: 2 places"),
        (lambda x, m: x[0].masked_scatter_(m, x), ValueError, "masked_scatter_: broadcasts"),
    ],
)
def test_errors_change_nothing(call, error, text):
    x = ft.tensor(X)
    with raises(error, text):
        call(x, ft.tensor(MASK))
    assert x.tolist() == X and x._version == 0
