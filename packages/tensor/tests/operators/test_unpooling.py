"""Unpooling, power-average pooling, and bilinear products, by definition."""

import numpy as np
import pytest
from elements import check_slopes

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import gradcheck, gradgradcheck
from facula_errors.testing import raises

UNPOOL = {
    1: (F.max_unpool1d, F.max_pool1d),
    2: (F.max_unpool2d, F.max_pool2d),
    3: (F.max_unpool3d, F.max_pool3d),
}
POWERS = {1: F.lp_pool1d, 2: F.lp_pool2d, 3: F.lp_pool3d}


def drawn(*shape):
    return ft.tensor(np.random.default_rng(shape).standard_normal(shape))


@pytest.mark.parametrize("dims", UNPOOL)
@pytest.mark.parametrize("options", [(2, None, 0), (3, 2, 1), (2, 3, 0)], ids=str)
@pytest.mark.parametrize("dtype", [ft.float64, ft.float16])
def test_maxima_return_to_their_positions(dims, options, dtype):
    unpool, pool = UNPOOL[dims]
    x = drawn(2, 3, *(6, 7, 8)[:dims]).to(dtype)
    values, indices = pool(x, *options, return_indices=True)
    got = unpool(values, indices, *options, output_size=x.shape[2:])
    wanted = np.zeros((6, got[0, 0].numel()))
    np.put_along_axis(wanted, indices.numpy().reshape(6, -1), values.double().numpy().reshape(6, -1), 1)
    assert got.dtype is dtype
    np.testing.assert_array_equal(got.double().numpy().reshape(6, -1), wanted)
    assert unpool(values[0], indices[0], *options, output_size=x.shape).shape == x.shape[1:]


def test_default_size_and_gradients():
    x = drawn(1, 2, 2, 3).requires_grad_()
    indices = ft.tensor(
        np.random.default_rng(0).permuted(np.tile(np.arange(24), (2, 1)), axis=1)[:, :6].reshape(1, 2, 2, 3)
    )
    assert F.max_unpool2d(x, indices, 2).shape == (1, 2, 4, 6)
    check_slopes(lambda x: F.max_unpool2d(x, indices, 2) ** 2, (x,))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x, i: F.max_unpool2d(x, i, 2, output_size=(6, 4)), "max_unpool2d: less than stride (2, 2) from (4, 4)"),
        (lambda x, i: F.max_unpool2d(x, i, 2, output_size=(4,)), "max_unpool2d: output_size of 2 lengths"),
        (lambda x, i: F.max_unpool2d(x, i[..., :1], 2), "max_unpool2d: indices of the input's shape"),
        (lambda x, i: F.max_unpool2d(x, i + 100, 2), "max_unpool2d: expected indices from 0 to 15"),
        (lambda x, i: F.max_unpool1d(x, i, 2), "max_unpool1d: expected input of 2 or 3 dimensions"),
        (lambda x, i: F.max_unpool2d(x, i, 2, padding=3), "max_unpool2d: make padding smaller"),
        (lambda x, i: F.lp_pool2d(x, 0, 2), "lp_pool2d: norm_type other than 0"),
    ],
)
def test_errors(call, text):
    with raises(ValueError, text):
        call(ft.ones(1, 1, 2, 2), ft.arange(4).reshape(1, 1, 2, 2))


def test_indices_of_another_dtype():
    with raises(TypeError, "max_unpool2d", "expected indices to be int64"):
        F.max_unpool2d(ft.ones(1, 1, 2, 2), ft.ones(1, 1, 2, 2), 2)


@pytest.mark.parametrize("dims", POWERS)
@pytest.mark.parametrize("order", [1, 2, 3.5])
def test_power_average_pooling(dims, order):
    """For positive numbers these are the norms of windows."""
    x = drawn(2, 3, *(4, 6, 5)[:dims]).abs()
    seen = np.lib.stride_tricks.sliding_window_view(x.numpy(), (2,) * dims, tuple(range(2, 2 + dims)))
    seen = seen[(slice(None), slice(None), *[slice(None, None, 2)] * dims)]
    wanted = (seen**order).sum(tuple(range(-dims, 0))) ** (1 / order)
    np.testing.assert_allclose(POWERS[dims](x, order, 2).numpy(), wanted)
    small = (x[:1, :1] + 0.5).requires_grad_()
    assert gradcheck(lambda x: POWERS[dims](x, order, 2, ceil_mode=True), (small,))
    assert gradgradcheck(lambda x: POWERS[dims](x, order, 2), (small,))


@pytest.mark.parametrize("outer", [(), (2,), (2, 0), (2, 3)], ids=str)
def test_bilinear(outer):
    x, y, w, b = drawn(*outer, 4), drawn(*outer, 3), drawn(5, 4, 3), drawn(5)
    wanted = np.einsum("...i,oij,...j->...o", x.numpy(), w.numpy(), y.numpy())
    np.testing.assert_allclose(F.bilinear(x, y, w).numpy(), wanted)
    np.testing.assert_allclose(F.bilinear(x, y, w, b).numpy(), wanted + b.numpy())
    if outer == (2,):
        operands = [operand.requires_grad_() for operand in (x, y, w, b)]
        check_slopes(F.bilinear, operands)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x, w: F.bilinear(x, x, w), ValueError, "got (2, 4), (2, 4) and (5, 4, 3)"),
        (lambda x, w: F.bilinear(x, ft.ones(3, 3), w), ValueError, "expected input1"),
        (lambda x, w: F.bilinear(x, ft.ones(2, 3), w, ft.ones(4)), ValueError, "bias of shape (5,)"),
        (lambda x, w: F.bilinear(x, ft.ones(2, 3).double(), w), TypeError, "got float32, float64, float32"),
    ],
)
def test_bilinear_errors(call, kind, text):
    with raises(kind, "bilinear", text):
        call(ft.ones(2, 4), ft.ones(5, 4, 3))
