"""NaN as a bound, factors of integer operands, numbers that a dtype cannot represent, and chunks of empty tensors."""

import math

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import grad, gradcheck, gradgradcheck
from facula_errors.testing import raises


@pytest.mark.parametrize("bounds", [(math.nan, 2), (0, math.nan), (None, math.nan), (math.nan, None)])
def test_clamp_to_nan_is_nan(bounds):
    x = ft.tensor([1.0, math.nan, 3.0])
    assert x.clamp(*bounds).isnan().all().item()
    as_tensors = [bound if bound is None else ft.tensor(float(bound)) for bound in bounds]
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


ALPHAS = {  # in the result's dtype: factors that PyTorch 2.13 accepts, and those that it rejects
    ft.int64: ([2, -1], [1.5, 2.0, 1.0, 2j, True]),
    ft.uint8: ([2], [2.0, False]),
    ft.float32: ([2, 1.5, 1.0], [2j, True]),
    ft.complex64: ([2, 1.5, 2j], [False]),
}


@pytest.mark.parametrize("dtype", ALPHAS)
def test_alpha_must_fit_the_results_dtype(dtype):
    x, y = ft.tensor([1, 2]), ft.tensor([3, 4], dtype=dtype)
    for function, sign in ((ft.add, 1), (ft.sub, -1)):
        for alpha in ALPHAS[dtype][0]:
            expected = [1 + sign * alpha * 3, 2 + sign * alpha * 4]
            if dtype is not ft.uint8:
                assert function(x, y, alpha=alpha).tolist() == expected
                assert function(y, y, alpha=alpha).tolist() == [3 + sign * alpha * 3, 4 + sign * alpha * 4]
        for alpha in ALPHAS[dtype][1]:
            name = function.__name__
            with raises(RuntimeError, name, f"expected an alpha of the kind of the result, {dtype.name}"):
                function(y, y, alpha=alpha)
            with raises(TypeError, name, "alpha"):
                function(y, 3, alpha=alpha)
            kept = y.clone()
            for _ in range(2):  # the first successful call initializes the fast path
                for other in (y, 3):
                    with raises(TypeError, f"{name}_", "alpha"):
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
    with raises(TypeError, "sub", "not defined for bool"):
        ft.sub(ft.tensor([1, 2]), yes, alpha=2)
    with raises(TypeError, "add_", "alpha"):
        ft.tensor([1, 2]).add_(ft.tensor([1, 2]), alpha=0.5)


MIXED = [  # dtypes and elements of both operands, alpha, sum, difference
    ((ft.int32, 8), (ft.uint8, 6), 128, 776, -760),
    ((ft.int32, 8), (ft.uint8, 6), 300, 1808, -1792),
    ((ft.int64, 0), (ft.int8, 100), 100, 10000, -10000),
    ((ft.float32, 0), (ft.float16, 2), 1e5, 2e5, -2e5),
    ((ft.float64, 1), (ft.float16, 60000), 2, 120001, -119999),
    ((ft.uint8, 8), (ft.uint8, 6), 50, 52, 220),
    ((ft.uint8, 8), (ft.uint8, 6), -1, 2, 14),
    ((ft.complex64, 1j), (ft.float32, 2), 3j, 7j, -5j),
]


@pytest.mark.parametrize(("first", "second", "alpha", "total", "rest"), MIXED)
def test_alpha_is_a_factor_in_the_dtype_of_the_result(first, second, alpha, total, rest):
    (one, x), (other, y) = first, second
    a, b = ft.tensor([x], dtype=one), ft.tensor([y], dtype=other)
    for form, expected in ((ft.add, total), (ft.sub, rest)):
        wanted = ft.result_type(a, b)
        assert form(a, b, alpha=alpha).tolist() == [expected] and form(a, b, alpha=alpha).dtype is wanted
        assert getattr(a.clone(), form.__name__ + "_")(b, alpha=alpha).tolist() == [expected]
        assert form(a, b.expand(3, 1), alpha=alpha).tolist() == [[expected]] * 3
        assert form(a, b[0], alpha=alpha).dtype is ft.result_type(a, b[0])
        out = ft.empty(1, dtype=wanted)
        assert form(a, b, alpha=alpha, out=out) is out and out.tolist() == [expected]


def test_alpha_may_be_any_number():
    x, whole = ft.tensor([8.0]), ft.tensor([8])
    for two in (2, 2.0, np.float32(2), np.int64(2), np.array(2.0), ft.tensor(2), ft.tensor(2.0, dtype=ft.float64)):
        assert ft.add(x, x, alpha=two).tolist() == [24] == x.clone().add_(x, alpha=two).tolist()
        assert ft.add(x, 3, alpha=two).tolist() == [14] and x.sub(np.array([3.0]), alpha=two).tolist() == [2]
    for refused in (ft.tensor([2.0]), ft.tensor(2.0, requires_grad=True), np.array([2.0]), None, "2"):
        with raises(TypeError, "add", "expected alpha to be a number"):
            ft.add(x, x, alpha=refused)
        with raises(TypeError, "sub_", "expected alpha to be a number"):
            x.clone().sub_(x, alpha=refused)
    for refused in (ft.tensor(2.0), ft.tensor(True)):
        with raises(TypeError, "add", "expected an alpha of the kind of the result, int64"):
            ft.add(whole, whole, alpha=refused)


@pytest.mark.parametrize(
    ("dtype", "alpha"),
    [("uint8", 300), ("uint8", -256), ("int8", 200), ("int64", 2**63), ("float16", 1e5), ("float32", -1e300)],
)
def test_alphas_beyond_the_results_range_are_rejected(dtype, alpha):
    x = ft.ones(2, dtype=getattr(ft, dtype))
    x.add_(x, alpha=1.0 if x.is_floating_point() else 2)  # this call initializes the fast path
    with raises(OverflowError, "add", "alpha ... does not fit", dtype):
        ft.add(x, x, alpha=alpha)
    with raises(OverflowError, "sub_", "alpha ... does not fit", dtype):
        x.sub_(x, alpha=alpha)


@pytest.mark.parametrize("dtypes", [("float64",) * 2, ("float64", "float32"), ("complex128", "float64")], ids=str)
def test_gradients_with_alpha(dtypes):
    """By both operands, to order two, with broadcasting, mixed dtypes and in-place changes."""
    x, y = (ft.tensor([[0.5, -2.0], [1.5, 3.0]], dtype=getattr(ft, name)).requires_grad_() for name in dtypes)
    alpha = 2.5 - 1j if x.is_complex() else -2.5
    factor = np.array(alpha).conj()
    for form, sign in ((ft.add, 1), (ft.sub, -1)):
        for row in (y, y[0], y[0, 1]):
            for result in (form(x, row, alpha=alpha), getattr(x * 1, form.__name__ + "_")(row, alpha=alpha)):
                of_x, of_y = grad(result, (x, y), ft.ones_like(result), retain_graph=True)
                assert of_x.dtype is x.dtype and of_y.dtype is y.dtype
                assert (of_x == 1).all()
                total = 4 * sign * factor
                assert of_y.sum().item() == (total if y.is_complex() else total.real)
    assert gradcheck(lambda a, b: ft.add(a * b, b * b, alpha=2), (ft.ones(2, dtype=ft.float64).requires_grad_(),) * 2)
    a, b = (ft.tensor(numbers, dtype=ft.float64, requires_grad=True) for numbers in ([1.0, 2.0], [[3.0], [4.0]]))
    assert gradgradcheck(lambda a, b: ft.sub(a * b, b * b, alpha=2), (a, b))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ft.linspace(0, 300, 4, dtype=ft.uint8), "linspace: 300 does not fit uint8"),
        (lambda: ft.linspace(-1, 3, 4, dtype=ft.uint8), "linspace: -1 does not fit uint8"),
        (lambda: ft.arange(2**63, 2**63 + 3), f"arange: {2**63} does not fit int64"),
        (lambda: ft.arange(300, 302, dtype=ft.uint8), "arange: 300 does not fit uint8"),
    ],
)
def test_numbers_beyond_the_range_are_rejected(make, message):
    with raises(OverflowError, message):
        make()


def test_integers_beyond_int64_can_be_floats():
    assert ft.arange(2**63, 2**63 + 1, dtype=ft.float64).tolist() == [2.0**63]


@pytest.mark.parametrize(("shape", "dim"), [((0, 3), 0), ((3, 0), 1)])
def test_empty_tensors_split_into_the_requested_number_of_chunks(shape, dim):
    assert [tuple(chunk.shape) for chunk in ft.zeros(*shape).chunk(3, dim)] == [shape] * 3


QUICK = {
    "clamp": lambda x: x.clamp(0, 1),
    "clamp from below": lambda x: ft.clamp(x, min=0.5),
    "where and a number": lambda x: ft.where(x > 1, x, 0),
    "where and an integer": lambda x: ft.where(x > 1, x.long(), 7),
    "add with alpha": lambda x: ft.add(x, x, alpha=2.5),
    "sub_ with alpha": lambda x: x.detach().sub_(x.detach(), alpha=0.0),
    "half times a scale": lambda x: x.half() * SCALE,
    "square": lambda x: x.square(),
    "root": lambda x: x**0.5,
}
SCALE = ft.tensor(2.0)


@pytest.mark.parametrize("name", QUICK)
def test_a_second_call_takes_the_fast_path(name, monkeypatch):
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    first = QUICK[name](x).tolist()

    def slow(op, *_):
        raise AssertionError(f"{op.name} went the slow path")

    monkeypatch.setattr("facula_tensor._forms._dispatch.fast.unary.slow_call", slow)
    monkeypatch.setattr("facula_tensor._forms._dispatch.fast.ternary.slow_call", slow)
    monkeypatch.setattr("facula_tensor._forms._dispatch.fast.many.slow_call", slow)
    assert QUICK[name](x).tolist() == first


def test_overrides_are_called_once_with_alpha():
    seen = []

    class Asked(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func.__name__, kwargs))
            return super().__torch_function__(func, types, args, kwargs)

    x = ft.ones(2).as_subclass(Asked)
    for total in (ft.add(x, ft.ones(2), alpha=2), ft.ones(2).sub(x, alpha=-2.0), x.add_(ft.ones(2), alpha=2)):
        assert type(total) is Asked and total.tolist() == [3, 3]
    assert seen[0] == ("add", {"alpha": 2}) and ("sub", {"alpha": -2.0}) in seen
    assert ("add_", {"alpha": 2}) in seen and not any(name in ("mul", "add_scaled") for name, _ in seen)
