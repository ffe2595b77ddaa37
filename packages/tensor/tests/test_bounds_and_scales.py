"""Bounds of NaN, factors of integer operands, numbers a dtype cannot hold, and chunks of nothing."""

import math

import pytest

import facula_tensor as ft


@pytest.mark.parametrize("bounds", [(math.nan, 2), (0, math.nan), (None, math.nan), (math.nan, None)])
def test_clamp_to_nan_is_nan(bounds):
    x = ft.tensor([1.0, math.nan, 3.0])
    assert x.clamp(*bounds).isnan().all().item()
    as_tensors = [one if one is None else ft.tensor(float(one)) for one in bounds]
    assert x.clamp(*as_tensors).isnan().all().item()
    assert ft.tensor([1, 2]).clamp(*bounds).isnan().all().item()


def test_clamp_to_nan_is_elementwise():
    low, high = ft.tensor([math.nan, 0.0, 0.0]), ft.tensor([2.0, math.nan, 2.0])
    result = ft.tensor([1.0, 1.0, 3.0]).clamp(low, high).tolist()
    assert math.isnan(result[0]) and math.isnan(result[1]) and result[2] == 2


def test_an_integer_operand_is_scaled_in_the_dtype_of_the_result():
    half, whole = ft.ones(3, dtype=ft.float16), ft.tensor([1, 2, 3])
    assert ft.add(half, whole, alpha=0.1).dtype is ft.float16
    assert ft.sub(half, whole, alpha=0.5).tolist() == [0.5, 0.0, -0.5]
    wide = ft.ones(1, dtype=ft.float64)
    large = ft.tensor([16777219])
    assert ft.add(wide, large, alpha=0.5).item() == 1 + 16777219 * 0.5
    assert wide.add_(large, alpha=0.5).item() == 1 + 16777219 * 0.5


ALPHAS = {  # of the result's dtype: the factors that PyTorch 2.13 takes, and those that it refuses
    ft.int64: ([2, -1], [1.5, 2.0, 1.0, 2j, True]),
    ft.uint8: ([2], [2.0, False]),
    ft.float32: ([2, 1.5, 1.0], [2j, True]),
    ft.complex64: ([2, 1.5, 2j], [False]),
}


@pytest.mark.parametrize("dtype", ALPHAS)
def test_alpha_is_of_the_kind_of_the_result(dtype):
    x, y = ft.tensor([1, 2]), ft.tensor([3, 4], dtype=dtype)
    for function, sign in ((ft.add, 1), (ft.sub, -1)):
        for alpha in ALPHAS[dtype][0]:
            expected = [1 + sign * alpha * 3, 2 + sign * alpha * 4]
            if dtype is not ft.uint8:
                assert function(x, y, alpha=alpha).tolist() == expected
                assert function(y, y, alpha=alpha).tolist() == [3 + sign * alpha * 3, 4 + sign * alpha * 4]
        for alpha in ALPHAS[dtype][1]:
            name = function.__name__
            with pytest.raises(
                RuntimeError, match=f"{name}: expected an alpha of the kind of the result, {dtype.name}; got"
            ):
                function(y, y, alpha=alpha)
            with pytest.raises(TypeError, match="alpha"):
                function(y, 3, alpha=alpha)
            kept = y.clone()
            for _ in range(2):  # the quick path is learnt at the first call that succeeds
                for other in (y, 3):
                    with pytest.raises(TypeError, match=f"{name}.*alpha"):
                        getattr(kept, name + "_")(other, alpha=alpha)
                getattr(kept, name + "_")(y, alpha=2)
                getattr(kept, name + "_")(y, alpha=-2 if dtype is not ft.uint8 else 254)
            assert kept.tolist() == y.tolist()


def test_alpha_of_bools():
    yes, no = ft.tensor([True, False]), ft.tensor([False, False])
    assert ft.add(no, yes, alpha=2).tolist() == [True, False]
    assert ft.add(no, yes, alpha=False).tolist() == [False, False]
    assert ft.add(no, True, alpha=True).tolist() == [True, True]
    assert no.clone().add_(yes, alpha=2).tolist() == [True, False]
    with pytest.raises(TypeError, match="not defined for bool"):
        ft.sub(ft.tensor([1, 2]), yes, alpha=2)
    with pytest.raises(TypeError, match="alpha"):
        ft.tensor([1, 2]).add_(ft.tensor([1, 2]), alpha=0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ft.linspace(0, 300, 4, dtype=ft.uint8),
        lambda: ft.linspace(-1, 3, 4, dtype=ft.uint8),
        lambda: ft.arange(2**63, 2**63 + 3),
        lambda: ft.arange(300, 302, dtype=ft.uint8),
    ],
)
def test_numbers_that_the_dtype_cannot_hold_are_refused(make):
    with pytest.raises(OverflowError, match="does not fit"):
        make()


def test_integers_beyond_int64_can_be_floats():
    assert ft.arange(2**63, 2**63 + 1, dtype=ft.float64).tolist() == [2.0**63]


@pytest.mark.parametrize(("shape", "dim"), [((0, 3), 0), ((3, 0), 1)])
def test_chunks_of_nothing_are_as_many_as_asked_for(shape, dim):
    assert [tuple(one.shape) for one in ft.zeros(*shape).chunk(3, dim)] == [shape] * 3
