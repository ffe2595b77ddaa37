"""Reductions use the requested dtype, and half precision does not overflow in intermediate results."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck
from facula_errors.testing import raises


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_mean_of_half_is_finite_if_the_sum_is_not(dtype):
    x = ft.full((7, 10000), 16.0, dtype=dtype, requires_grad=True)
    assert x.mean().item() == 16 and x.mean().dtype is dtype
    assert x.mean(1).tolist() == [16.0] * 7
    x.mean(0).sum().backward()
    assert x.grad.dtype is dtype and abs(x.grad[0, 0].item() - 1 / 7) < 1e-3


def test_sum_uses_a_narrow_dtype():
    x = ft.ones(2, 100, dtype=ft.int8)
    assert x.sum(dtype=ft.int8).item() == -56 and x.sum(dtype=ft.int8).dtype is ft.int8
    assert x.sum(0, dtype=ft.bool).dtype is ft.bool
    out = ft.empty((), dtype=ft.int8)
    assert x.sum(dtype=ft.int8, out=out) is out and out.item() == -56


def test_an_empty_list_of_dims_selects_all():
    x = ft.ones(2, 3)
    assert x.sum(dim=[]).item() == 6 and x.mean(dim=[]).item() == 1 and x.amax(dim=[]).item() == 1


def test_errors_of_mean_into_integers_name_the_argument():
    with raises(TypeError, "mean", "expected dtype to be floating or complex", value="int64"):
        ft.ones(3).mean(dtype=ft.int64)


@pytest.mark.parametrize(("name", "values", "indices"), [("max", [2.0, 3.0], [1, 0]), ("min", [1.0, 0.0], [0, 1])])
def test_extremes_with_out(name, values, indices):
    x = ft.tensor([[1.0, 2.0], [3.0, 0.0]])
    out = ft.empty(2), ft.empty(2, dtype=ft.int64)
    result = getattr(ft, name)(x, 1, out=out)
    assert result.values is out[0] and result.indices is out[1]
    assert out[0].tolist() == values and out[1].tolist() == indices
    whole = ft.empty(())
    assert getattr(ft, name)(x, out=whole) is whole and whole.item() in values
    with raises(TypeError, name, "two tensors"):
        getattr(ft, name)(x, 1, out=whole)


@pytest.mark.parametrize("zeros", [0, 1, 2, 5])
@pytest.mark.parametrize(
    ("shape", "dim"), [((5,), None), ((3, 4), 0), ((4, 3), 1), ((2, 3, 3), (0, 2)), ((1,), 0), ((), None)]
)
def test_products_with_zeros_have_gradients(shape, dim, zeros):
    """To order two, where division of the product by an element is not possible."""
    x = np.random.default_rng(1).uniform(0.5, 1.5, shape)
    np.ravel(x)[:zeros] = 0
    leaf = ft.tensor(x, requires_grad=True)
    assert gradcheck(lambda a: ft.prod(a, dim), (leaf,))
    assert gradgradcheck(lambda a: ft.prod(a, dim), (leaf,))
    np.testing.assert_allclose(ft.prod(leaf, dim).detach().numpy(), x.prod(dim), rtol=1e-14)


def test_gradients_of_empty_products():
    for shape, dim in (((0,), None), ((3, 0), 1), ((0, 2, 3), 0), ((0, 2, 3), 2)):
        x = ft.ones(shape, requires_grad=True)
        x.prod(dim).sum().backward()
        assert x.grad.shape == x.shape


def test_dtypes_of_products():
    assert ft.tensor([100, 100]).prod(dtype=ft.int8).item() == 16
    assert ft.tensor([True, False]).prod().dtype is ft.int64
    assert ft.tensor([1.5, 2.0]).prod(dtype=ft.int64).item() == 2
    assert ft.tensor([[2, 3]], dtype=ft.int32).prod(axis=1, keepdims=True).tolist() == [[6]]
