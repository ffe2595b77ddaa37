"""Activations and dropout: their functions, modes and derivatives."""

import math

import numpy as np
import pytest
from nn_toys import same

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises


def test_dropout_modes():
    ft.manual_seed(0)
    x = ft.ones(10000)
    layer = nn.Dropout(0.25)
    kept = layer(x)
    assert set(np.unique(kept.numpy())) == {0.0, np.float32(1 / 0.75)}
    assert abs((kept.numpy() == 0).mean() - 0.25) < 0.02
    assert layer.eval()(x) is x
    assert nn.Dropout(0.0)(x) is x
    y = x.clone()
    assert nn.Dropout(0.5, inplace=True)(y) is y and not same(x, y)


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (nn.ReLU(), lambda x: np.maximum(x, 0)),
        (nn.ReLU6(), lambda x: np.clip(x, 0, 6)),
        (nn.LeakyReLU(0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
        (nn.ELU(2.0), lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0)))),
        (nn.GELU(), lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))),
        (nn.GELU("tanh"), lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
        (nn.SiLU(), lambda x: x / (1 + np.exp(-x))),
        (nn.Hardtanh(-1.5, 2), lambda x: np.clip(x, -1.5, 2)),
        (nn.Softplus(), lambda x: np.logaddexp(0, x)),
        (nn.Softplus(2.0, 6.0), lambda x: np.where(2 * x > 6, x, np.logaddexp(0, 2 * x) / 2)),
        (nn.Sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
        (nn.LogSigmoid(), lambda x: -np.logaddexp(0, -x)),
        (nn.Tanh(), np.tanh),
        (nn.Softmax(0), lambda x: np.exp(x) / np.exp(x).sum()),
        (nn.LogSoftmax(-1), lambda x: x - np.log(np.exp(x).sum())),
    ],
    ids=repr,
)
def test_activations(layer, function):
    x = np.concatenate([np.linspace(-8, 8, 33), [30.0]])
    before = ft.tensor(x)
    np.testing.assert_allclose(layer(before).numpy(), function(x), rtol=1e-12, atol=1e-14)
    if getattr(layer, "inplace", None) is False:
        layer.inplace = True
        assert layer(before) is before
        layer.inplace = False
        np.testing.assert_allclose(before.numpy(), function(x), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_softplus_is_the_identity_above_the_threshold(dtype):
    x = ft.tensor([19.5, 20.5, 40.0, 1000.0, float("inf")], dtype=getattr(ft, dtype), requires_grad=True)
    y = nn.functional.softplus(x)
    y.sum().backward()
    assert y[1:].tolist() == x[1:].tolist()
    assert x.grad[1:].tolist() == [1.0] * 4


def test_softplus_derivative_is_continuous():
    x = ft.tensor([-800.0, -1.0, 0.0, 1.0, 19.0, 21.0, 800.0], dtype=ft.float64, requires_grad=True)
    nn.functional.softplus(x).sum().backward()
    expected = np.where(x.detach().numpy() > 20, 1.0, 1 / (1 + np.exp(-x.detach().numpy().clip(-700))))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-12, atol=1e-300)
    with raises(ValueError, "softplus", "expected a beta other than 0"):
        nn.functional.softplus(x, beta=0)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_dropout_of_channels(dims):
    layer = getattr(nn, f"Dropout{dims}d")(0.5)
    x = ft.ones(50, 4, *(2,) * dims)
    ft.manual_seed(0)
    rows = layer(x).reshape(200, -1)
    assert (rows == rows[:, :1]).all()
    assert sorted(set(rows.flatten().tolist())) == [0.0, 2.0]
    assert layer.eval()(x) is x
    with raises(ValueError, f"Dropout{dims}d", "expected a probability"):
        getattr(nn, f"Dropout{dims}d")(2.0)


@pytest.mark.parametrize("layer", [nn.AlphaDropout, nn.FeatureAlphaDropout])
def test_alpha_dropout(layer):
    ft.manual_seed(0)
    x = ft.randn(100, 300)
    y = layer(0.2)(x)
    assert abs((y * y).mean().item() - 1) < 0.05
    assert layer(0.2).eval()(x) is x


WITH_FUNCTIONS = {
    "CELU": (),
    "GLU": (),
    "Hardshrink": (),
    "Hardsigmoid": (),
    "Hardswish": (),
    "Mish": (),
    "RReLU": (),
    "SELU": (),
    "Softmin": (1,),
    "Softshrink": (),
    "Softsign": (),
    "Tanhshrink": (),
    "Threshold": (0.1, 2.0),
}


@pytest.mark.parametrize("name", WITH_FUNCTIONS)
def test_activations_equal_their_functions(name):
    x = ft.randn(3, 4)
    layer = getattr(nn, name)(*WITH_FUNCTIONS[name]).eval()
    assert (layer(x) == getattr(nn.functional, name.lower())(x, *WITH_FUNCTIONS[name])).all()


def test_rrelu_is_random_only_in_training():
    ft.manual_seed(0)
    x = ft.full((100,), -1.0)
    assert nn.RReLU()(x).amax().item() != nn.RReLU()(x).amin().item()
    assert nn.RReLU().eval()(x).tolist() == pytest.approx([-11 / 48] * 100)


def test_softmax2d():
    assert nn.Softmax2d()(ft.zeros(2, 4, 3, 3)).tolist() == ft.full((2, 4, 3, 3), 0.25).tolist()
    with raises(ValueError, "Softmax2d", "expected 3 or 4 dimensions"):
        nn.Softmax2d()(ft.zeros(2, 4))


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_softplus_in_16_bits_does_not_round_its_threshold(dtype):
    x = ft.tensor([0.3, 0.25], dtype=dtype)  # 0.3 is less than its nearest number in 16 bits
    y = nn.functional.softplus(x, 1, 0.3)
    assert y.dtype is dtype and y[0] == x[0] and y[1].item() == pytest.approx(math.log(1 + math.exp(0.25)), rel=4e-3)
    with raises(TypeError, "softplus", "expected 'input' to be a Tensor", value="str"):
        nn.functional.softplus("x")
