"""Layer, group and RMS normalization: values for any strides, gradients to order two, half precision, errors."""

import numpy as np
import pytest
from elements import check_slopes, lay, values_of

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import gradcheck, gradgradcheck
from facula_errors.testing import raises

TOLERANCE = {"float32": 3e-5, "float64": 1e-12, "float16": 4e-3, "bfloat16": 3e-2}
CALLS = {
    "layer_norm": lambda x, *rest: F.layer_norm(x, x.shape[-1:], *rest),
    "layer_norm of two": lambda x, *rest: F.layer_norm(x, x.shape[-2:], *rest),
    "rms_norm": lambda x, *rest: F.rms_norm(x, x.shape[-1], *rest, eps=1e-5),
    "group_norm": lambda x, *rest: F.group_norm(x, 2, *rest),
}


def shape_of_weight(name, shape):
    return shape[1:2] if name == "group_norm" else shape[-2:] if name == "layer_norm of two" else shape[-1:]


def definition(name, x):
    rows = x.reshape(len(x), 2, -1) if name == "group_norm" else x
    dims = (-2, -1) if name == "layer_norm of two" else -1
    centred = rows if name == "rms_norm" else rows - rows.mean(dims, keepdims=True)
    return (centred / np.sqrt((centred**2).mean(dims, keepdims=True) + 1e-5)).reshape(x.shape)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", CALLS)
def test_values(name, dtype):
    rng = np.random.default_rng(1)
    shape = (5, 4, 6)
    x = rng.standard_normal(shape).astype("f4")
    near = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype] * 3}
    count = 1 if name == "rms_norm" else 2
    affine = [ft.tensor(rng.random(shape_of_weight(name, shape)) + 0.5, dtype=getattr(ft, dtype)) for _ in range(count)]
    for layout in ("contiguous", "transposed", "sliced", "offset"):
        given = lay(x, dtype, layout)
        plain = definition(name, values_of(given).astype("f8"))
        got = CALLS[name](given)
        assert got.dtype is getattr(ft, dtype)
        np.testing.assert_allclose(values_of(got).astype("f8"), plain, **near)
        weights = [values_of(weight).astype("f8") for weight in affine]
        if name == "group_norm":
            weights = [weight[:, None] for weight in weights]
        wanted = plain * weights[0] + (weights[1] if count > 1 else 0)
        np.testing.assert_allclose(values_of(CALLS[name](given, *affine)).astype("f8"), wanted, **near)


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name):
    rng = np.random.default_rng(2)
    shape = (3, 4, 5)
    count = 2 if name == "rms_norm" else 3
    shapes = (shape, *[shape_of_weight(name, shape)] * (count - 1))
    operands = [ft.tensor(rng.standard_normal(size), dtype=ft.float64, requires_grad=True) for size in shapes]
    for given in (operands, operands[:2], operands[:1]):
        check_slopes(CALLS[name], given)
    if count == 3:
        assert gradcheck(lambda x, b: CALLS[name](x, None, b), [operands[0], operands[2]])


def test_a_single_row_has_gradients_of_its_weights():
    x, w = (ft.tensor([1.0, 2.0, 4.0], dtype=ft.float64, requires_grad=True) for _ in range(2))
    assert gradgradcheck(lambda x, w: F.layer_norm(x, (3,), w), (x, w))


def test_half_precision_with_float32_weights():
    x = ft.tensor([[1.0, 3.0]], dtype=ft.bfloat16, requires_grad=True)
    weight = ft.tensor([2.0, 4.0], requires_grad=True)
    out = F.layer_norm(x, 2, weight, ft.zeros(2))
    assert out.dtype is ft.bfloat16
    assert out.tolist() == [[-2.0, 4.0]]
    out.sum().backward()
    assert x.grad.dtype is ft.bfloat16
    assert weight.grad.dtype is ft.float32


def test_default_epsilon_of_rms_norm_depends_on_the_dtype():
    tiny = ft.tensor([2.0**-12, 2.0**-12])
    assert F.rms_norm(tiny, 2).tolist() == pytest.approx([2.0**-12 / (2.0**-24 + 2.0**-23) ** 0.5] * 2)


def test_empty():
    for shape in ((0, 3), (2, 0, 3)):
        x = ft.zeros(shape, requires_grad=True)
        weight = ft.ones(3, requires_grad=True)
        F.layer_norm(x, 3, weight).sum().backward()
        assert weight.grad.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: F.layer_norm(x, (5,)), ValueError, "layer_norm: expected input of shape (*, 5)"),
        (lambda x: F.layer_norm(x, ()), ValueError, "layer_norm: at least one length"),
        (lambda x: F.layer_norm(x, 4, ft.ones(3)), ValueError, "layer_norm: expected weight of shape (4,)"),
        (lambda x: F.layer_norm(x, 4, ft.ones(4).double()), TypeError, "layer_norm: float64"),
        (lambda x: F.layer_norm(x.long(), 4), TypeError, "layer_norm: int64"),
        (lambda x: F.rms_norm(x, 3), ValueError, "rms_norm"),
        (lambda x: F.group_norm(x, 3), ValueError, "group_norm: num_groups to divide the 4 channels"),
        (lambda x: F.group_norm(x[0], 2), ValueError, "group_norm: n, channels"),
        (lambda x: F.group_norm(x[:1], 4), ValueError, "group_norm: more than 1 value"),
        (lambda x: F.group_norm(x, 2, ft.ones(3)), ValueError, "group_norm: one number a channel"),
    ],
)
def test_errors(call, kind, text):
    with raises(kind, text):
        call(ft.ones(2, 4))
