"""Empty dimensions, dtypes and divisors for which PyTorch 2.13 decides the result."""

from contextlib import nullcontext

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import grad, gradcheck
from facula_errors.testing import raises
from facula_tensor import functional, linalg

NAN, INF = float("nan"), float("inf")


@pytest.mark.filterwarnings("ignore:.*is not below")
@pytest.mark.parametrize(
    ("name", "values", "dim", "correction", "expected"),
    [
        ("var", [1.0, 2.0, 4.0], None, 3, [INF, INF, INF]),
        ("var", [1.0, 1.0], None, 5, [NAN, NAN]),
        ("var", [1.0, 2.0, 4.0], 1, 3, [-INF, -INF, INF]),
        ("var", [1.0, 2.0, 4.0], 1, 5, [8 / 3, 2 / 3, -10 / 3]),
        ("std", [1.0, 2.0], None, 2, [NAN, NAN]),
        ("std", [1.0, 2.0], 1, 3, [0.0, 0.0]),
        ("std", [1.0, 1.0], 1, 3, [NAN, NAN]),
    ],
)
def test_gradients_of_deviations_without_degrees_of_freedom(name, values, dim, correction, expected):
    """As in PyTorch 2.13."""
    x = ft.tensor([values, values], requires_grad=True)
    if dim is None:
        x = x[0]
    deviation = getattr(ft, name)(x, dim, correction=correction)
    (gradient,) = grad((deviation * 2).sum(), x)
    np.testing.assert_allclose(gradient.numpy(), np.broadcast_to(expected, x.shape), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:var. correction")
def test_gradients_of_complex_deviations_are_complex():
    x = ft.tensor([1 + 2j], requires_grad=True)
    (gradient,) = grad(ft.var(x), x)
    assert gradient.dtype is ft.complex64 and gradient.isnan().all()


@pytest.mark.parametrize("order", [-1, -2, -0.5, INF, -INF])
def test_norms_without_a_least_element_refuse_empty_dimensions(order):
    for shape, dim in [((0,), None), ((0, 3), 0), ((2, 0), (0, 1))]:
        with raises(RuntimeError, "linalg.vector_norm", f"expected at least one element for the order {order:g}"):
            linalg.vector_norm(ft.zeros(shape), order, dim)
    assert linalg.vector_norm(ft.zeros(0, 3), order, 1).shape == (0,)
    assert linalg.vector_norm(ft.zeros(0), 0.5).item() == 0


@pytest.mark.parametrize("order", [1, 1.2, 2, 3, INF, -INF])
def test_norms_of_a_single_number(order):
    x = ft.tensor(-3.0, requires_grad=True)
    for norm in (linalg.vector_norm(x, order), linalg.vector_norm(x, order, 0)):
        assert norm.item() == pytest.approx(3) and grad(norm, x)[0].item() == pytest.approx(-1)
    assert ft.functional.normalize(x, order, 0).item() == pytest.approx(-1)


def test_ranges_at_the_ends_of_int64():
    most, least = 2**63 - 1, -(2**63)
    assert ft.arange(most - 2, most + 1).tolist() == [most - 2, most - 1, most]
    assert ft.arange(least, least + 2).tolist() == [least, least + 1]
    assert ft.arange(least, most, most).tolist() == [least, -1, most - 1]
    assert ft.arange(0, 5, 2**63).tolist() == [0]
    assert ft.linspace(2**63, 2**64, 1, dtype=ft.float64).tolist() == [2.0**63]


def test_strides_of_huge_views():
    assert ft.empty(8, 2**59, dtype=ft.uint8, device="meta")[::2].stride() == (2**60, 1)
    assert ft.empty(2**62, dtype=ft.uint8, device="meta")[:: 2**59].stride() == (2**59,)
    with raises(IndexError, "unsqueeze", "strides below 2 ** 57"):
        ft.zeros(0).as_strided((2**8, 0), (2**57, 1)).unsqueeze(0)


@pytest.mark.parametrize("ceil_mode", [False, True])
def test_infinite_powers_pool_extreme_magnitudes(ceil_mode):
    x = ft.tensor([[-3.0, 1, 2, -5, 4, 0.5]], requires_grad=True)
    for power, wanted, slopes in ((INF, [3, 5, 4], [-1, 0, 0, -1, 1, 0]), (-INF, [1, 2, 0.5], [0, 1, 1, 0, 0, 1])):
        pooled = ft.functional.lp_pool1d(x, power, 3, 2, ceil_mode)
        assert pooled.tolist() == [wanted[: 2 + ceil_mode]]
        if ceil_mode:
            assert grad(pooled.sum(), x)[0].tolist() == [slopes]


def test_infinities_at_the_border_are_interpolated():
    assert ft.functional.interpolate(ft.tensor([[[1.0, 1, INF]]]), 4, mode="linear").tolist() == [[[1, 1, INF, INF]]]


def test_ldexp_keeps_the_precision_of_a_complex_number():
    assert ft.ldexp(ft.tensor(1 + 2j, dtype=ft.complex128), ft.tensor([1, 2])).dtype is ft.complex128


def test_two_gradients_of_a_leaf_are_added_in_one_order():
    """The bits of a gradient do not depend on modes, and not on whether an earlier gradient exists under one."""
    found = []
    for free in (True, False):
        x = ft.tensor([3.3], requires_grad=True)
        x.grad = ft.tensor([0.7])
        with ft.enable_grad() if free else nullcontext():
            ft.cat([x, x]).backward(ft.tensor([1e-7, 5.0]))
        found.append(x.grad.item())
    assert found[0] == found[1]


def test_arguments_without_a_meaning_are_errors():
    with raises(RuntimeError, "linalg.norm", "a vector or a matrix"):
        linalg.norm(ft.ones(3, 3, 3), 2)
    with raises(ValueError, "cosine_similarity", "eps of at least 0"):
        functional.cosine_similarity(ft.ones(2), ft.ones(2), 0, -1.0)
    with raises(ValueError, "randperm", "use int64"):
        ft.randperm(2050, dtype=ft.float16)
    assert ft.randperm(2049, dtype=ft.float16).sort().values.tolist() == list(range(2049))


@pytest.mark.parametrize("name", ["dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"])
def test_integers_pass_where_nothing_is_dropped(name):
    x = ft.ones(1, 2, 3, 3, dtype=ft.int64)
    assert getattr(ft.functional, name)(x, 0.5, False) is x


@pytest.mark.parametrize("name", ["any", "all"])
def test_truth_in_out(name):
    x = ft.tensor([[1, 0], [2, 3]], dtype=ft.uint8)
    expected = getattr(np, name)(x.numpy(), 0)
    for dtype in (ft.bool, ft.uint8):
        for value in (x, x.bool(), x.float()):
            out = ft.zeros(2, dtype=dtype)
            assert getattr(ft, name)(value, 0, out=out) is out
            assert out.tolist() == expected.astype(str(dtype.name)).tolist()


def test_bool_has_no_greatest_element():
    for name in ("argmax", "argmin"):
        with raises(TypeError, name, "not defined for bool"):
            getattr(ft.tensor([True, False]), name)()


@pytest.mark.parametrize("dtype", [ft.uint16, ft.uint32, ft.uint64])
def test_first_powers_of_wide_unsigned_integers(dtype):
    x = ft.tensor([0, 1, 3], dtype=dtype)
    for got, expected in ((x**0, [1, 1, 1]), (x**1, [0, 1, 3]), (1**x, [1, 1, 1]), (ft.pow(x, 1), [0, 1, 3])):
        assert got.dtype is dtype and got.tolist() == expected
    with raises(NotImplementedError, "pow", "no kernel"):
        x**2


@pytest.mark.parametrize(("value", "dtype"), [(300, ft.uint8), (-1, ft.uint8), (1e9, ft.float16), (1j, ft.float32)])
def test_pad_refuses_values_that_the_dtype_cannot_represent(value, dtype):
    with pytest.raises((OverflowError, TypeError), match="pad: "):
        functional.pad(ft.zeros(2, dtype=dtype), (1, 0), value=value)


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16, ft.float32, ft.float64])
def test_pad_keeps_the_sign_of_zero(dtype):
    x = ft.tensor([-0.0, 0.0, NAN, 2.0], dtype=dtype, requires_grad=True)
    for value in (-0.0, 0.0):
        padded = functional.pad(x, (2, -1), value=value)
        expected = [value, value, -0.0, 0.0, NAN]
        assert str(padded.tolist()) == str(expected)
    functional.pad(x, (2, -1), value=-0.0).sum().backward()
    assert x.grad.tolist() == [1, 1, 1, 0]
    assert functional.pad(ft.tensor([1]), (1, 0), value=-0.0).tolist() == [0, 1]


def test_slope_of_acosh_outside_its_domain():
    x = ft.tensor([-2.0, -1.0, -INF, 0.5, 2.0], dtype=ft.float64, requires_grad=True)
    ft.acosh(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [3**-0.5, INF, 0, NAN, 3**-0.5], rtol=1e-15)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_complex_vectors_are_normalized(p):
    x = ft.tensor([[3 + 4j, 1j], [0j, 0j]], dtype=ft.complex128)
    array = x.numpy()
    lengths = (np.abs(array) ** p).sum(1, keepdims=True) ** (1 / p)
    np.testing.assert_allclose(functional.normalize(x, p).numpy(), array / np.maximum(lengths, 1e-12), rtol=1e-14)
    assert gradcheck(lambda x: functional.normalize(x, p), (x[:1].clone().requires_grad_(),))
    with raises(TypeError, "normalize", "floating or complex tensors"):
        functional.normalize(ft.ones(2, 2, dtype=ft.int64))


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_rms_norm_of_half_precisions_adds_the_epsilon_of_float32(dtype):
    x = ft.tensor([0.01, 0.02, 0.03], dtype=dtype)
    wide = x.double().numpy()
    expected = wide / np.sqrt((wide**2).mean() + 2.0**-23)
    np.testing.assert_allclose(functional.rms_norm(x, (3,)).double().numpy(), expected, rtol=8e-3)
