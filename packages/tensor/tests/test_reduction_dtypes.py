"""Reductions obey the dtype they are given, and half precisions do not overflow on the way."""

import pytest

import facula_tensor as ft


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_mean_of_half_is_finite_where_the_sum_is_not(dtype):
    x = ft.full((7, 10000), 16.0, dtype=dtype, requires_grad=True)
    assert x.mean().item() == 16 and x.mean().dtype is dtype
    assert x.mean(1).tolist() == [16.0] * 7
    x.mean(0).sum().backward()
    assert x.grad.dtype is dtype and abs(x.grad[0, 0].item() - 1 / 7) < 1e-3


def test_sum_obeys_a_narrow_dtype():
    x = ft.ones(2, 100, dtype=ft.int8)
    assert x.sum(dtype=ft.int8).item() == -56 and x.sum(dtype=ft.int8).dtype is ft.int8
    assert x.sum(0, dtype=ft.bool).dtype is ft.bool
    out = ft.empty((), dtype=ft.int8)
    assert x.sum(dtype=ft.int8, out=out) is out and out.item() == -56


def test_an_empty_list_of_dims_is_all_of_them():
    x = ft.ones(2, 3)
    assert x.sum(dim=[]).item() == 6 and x.mean(dim=[]).item() == 1 and x.amax(dim=[]).item() == 1


def test_mean_into_integers_is_refused_by_argument():
    with pytest.raises(TypeError, match="expected dtype to be floating or complex; got int64"):
        ft.ones(3).mean(dtype=ft.int64)
