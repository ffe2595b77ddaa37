"""Initializers: distributions, their parameters, and invalid arguments."""

import math

import numpy as np
import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn import init


@pytest.fixture(autouse=True)
def seeded():
    ft.manual_seed(0)


def even(tensor, bound):
    """Return whether the elements look uniformly distributed in ±bound."""
    values = tensor.detach().numpy().ravel()
    assert len(values) > 5000
    return (
        abs(values).max() <= bound
        and abs(values).max() > 0.99 * bound
        and abs(values.mean()) < 0.05 * bound
        and abs(values.std() / (bound / math.sqrt(3)) - 1) < 0.03
    )


def normal(tensor, mean, std):
    values = tensor.detach().numpy().ravel()
    assert len(values) > 5000
    within = (abs(values - mean) < std).mean()
    return abs(values.mean() - mean) < 0.05 * std and abs(values.std() / std - 1) < 0.03 and abs(within - 0.683) < 0.02


def test_initializers_work_in_place_without_recording():
    for name in init.__all__:
        if name.endswith("_"):
            parameter = nn.Parameter(ft.empty(4, 4, 3))
            arguments = (0.5,) if name in ("constant_", "sparse_") else ()
            if name in ("eye_", "sparse_"):
                parameter = nn.Parameter(ft.empty(4, 4))
            version = parameter._version
            assert getattr(init, name)(parameter, *arguments) is parameter, name
            assert parameter.is_leaf and parameter.requires_grad and parameter._version > version, name


@pytest.mark.parametrize("name", [name for name in init.__all__ if name.endswith("_")])
def test_tensors_without_elements(name):
    """The meta device accepts the same arguments, and generators do not advance."""
    state = ft.get_rng_state()
    with ft.device("meta"):
        parameter = nn.Parameter(ft.empty(4, 4) if name in ("eye_", "sparse_") else ft.empty(4, 4, 3))
    arguments = (0.5,) if name in ("constant_", "sparse_") else ()
    assert getattr(init, name)(parameter, *arguments) is parameter and parameter.is_meta
    assert ft.equal(ft.get_rng_state(), state)


def test_cpu_tensors_with_another_default_device():
    with ft.device("meta"):
        init.orthogonal_(square := ft.empty(3, 3, device="cpu"))
        init.sparse_(columns := ft.empty(4, 2, device="cpu"), 0.5)
        init.eye_(identity := ft.empty(2, 2, device="cpu"))
    assert ft.allclose(square @ square.T, ft.eye(3), atol=1e-5)
    assert (columns == 0).sum(0).tolist() == [2, 2] and ft.equal(identity, ft.eye(2))


def test_constant_uniform_and_normal():
    x = ft.empty(100, 100)
    assert even(init.uniform_(x, -3.0, 3.0), 3.0)
    assert normal(init.normal_(x, 2.0, 0.5), 2.0, 0.5)
    assert (init.constant_(x, 7.0).numpy() == 7).all()
    assert (init.ones_(x).numpy() == 1).all() and (init.zeros_(x).numpy() == 0).all()
    assert (init.eye_(ft.empty(3, 5)).numpy() == np.eye(3, 5)).all()


@pytest.mark.parametrize("gain", [1.0, 2.0])
def test_xavier(gain):
    x = ft.empty(60, 20, 3, 3)
    std = gain * math.sqrt(2 / (20 * 9 + 60 * 9))
    assert even(init.xavier_uniform_(x, gain), std * math.sqrt(3))
    assert normal(init.xavier_normal_(x, gain), 0, std)


@pytest.mark.parametrize(("mode", "fan"), [("fan_in", 20 * 9), ("fan_out", 60 * 9)])
@pytest.mark.parametrize(
    ("nonlinearity", "a", "gain"),
    [
        ("relu", 0, math.sqrt(2)),
        ("leaky_relu", 0.5, math.sqrt(1.6)),
        ("linear", 0, 1.0),
        ("tanh", 0, 5 / 3),
        ("selu", 0, 0.75),
    ],
)
def test_kaiming(mode, fan, nonlinearity, a, gain):
    x = ft.empty(60, 20, 3, 3)
    std = gain / math.sqrt(fan)
    assert even(init.kaiming_uniform_(x, a, mode, nonlinearity), std * math.sqrt(3))
    assert normal(init.kaiming_normal_(x, a, mode, nonlinearity), 0, std)


def test_truncated():
    values = init.trunc_normal_(ft.empty(20000), mean=1.0, std=2.0, a=-1.0, b=2.0).numpy()
    assert values.min() >= -1 and values.max() <= 2 and values.min() < -0.99 and values.max() > 1.99
    # The bins are centred on the mean and 0.875 standard deviations below it.
    low, high = ((values > -1) & (values < -0.5)).sum(), ((values > 0.75) & (values < 1.25)).sum()
    assert high / low == pytest.approx(math.exp(0.875**2 / 2), rel=0.1)


@pytest.mark.parametrize("shape", [(4, 4), (3, 7), (7, 3), (4, 2, 3)])
def test_orthogonal(shape):
    x = init.orthogonal_(ft.empty(shape, dtype=ft.float64), gain=3.0).numpy().reshape(shape[0], -1)
    small = x @ x.T if x.shape[0] <= x.shape[1] else x.T @ x
    np.testing.assert_allclose(small, 9 * np.eye(len(small)), atol=1e-12)


@pytest.mark.parametrize("groups", [1, 2])
def test_dirac_preserves_its_input(groups):
    weight = init.dirac_(ft.empty(4, 4 // groups, 3, 3), groups)
    x = ft.rand(2, 4, 5, 5)
    out = nn.functional.conv2d(x, weight, padding=1, groups=groups)
    assert bool((out == x).all())


def test_generators():
    x, y = ft.empty(50), ft.empty(50)
    for function in (init.uniform_, init.normal_, init.trunc_normal_):
        function(x, generator=ft.Generator().manual_seed(3))
        function(y, generator=ft.Generator().manual_seed(3))
        assert bool((x == y).all())


def test_gains():
    assert init.calculate_gain("conv2d") == init.calculate_gain("sigmoid") == 1
    assert init.calculate_gain("leaky_relu") == math.sqrt(2 / (1 + 0.01**2))
    with raises(ValueError, "calculate_gain", "expected nonlinearity among", value="'rleu'"):
        init.calculate_gain("rleu")
    with raises(ValueError, "calculate_gain", "slope as a number", value=True):
        init.calculate_gain("leaky_relu", True)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: init.eye_(ft.empty(3)), "eye_: expected a tensor of 2 dimensions; got shape"),
        (lambda: init.dirac_(ft.empty(3, 3)), "dirac_: expected a tensor of 3, 4 or 5 dimensions"),
        (lambda: init.dirac_(ft.empty(3, 3, 3), 2), "dirac_: expected groups to divide the 3 output channels; got 2"),
        (lambda: init.xavier_normal_(ft.empty(3)), "xavier_normal_: expected at least 2 dimensions"),
        (lambda: init.kaiming_normal_(ft.empty(3)), "kaiming_normal_: expected at least 2 dimensions"),
        (lambda: init.kaiming_uniform_(ft.empty(3, 3), mode="fan"), "kaiming_uniform_: mode ... got 'fan'"),
        (lambda: init.orthogonal_(ft.empty(3)), "orthogonal_: expected at least 2 dimensions"),
        (lambda: init.trunc_normal_(ft.empty(3), a=1.0, b=1.0), "trunc_normal_: expected a < b; got 1.0 and 1.0"),
        (lambda: init.trunc_normal_(ft.empty(3), mean=9.0), "trunc_normal_: bounds that are not far in one tail"),
    ],
)
def test_invalid_arguments_are_rejected(call, said):
    with raises(ValueError, said):
        call()


# ------------------------------------------------------------------------------------------- layers' own values
@pytest.mark.parametrize(
    ("layer", "fan"),
    [
        (lambda: nn.Linear(100, 6000), 100),
        (lambda: nn.Conv2d(16, 6400, 3, groups=2), 8 * 9),
        (lambda: nn.ConvTranspose2d(64, 128, (3, 5), groups=2), 64 * 15),
    ],
)
def test_layers_are_initialized_uniformly(layer, fan):
    module = layer()
    bound = 1 / math.sqrt(fan)
    assert even(module.weight, bound)
    assert abs(module.bias.detach().numpy()).max() <= bound
    assert module.bias.numel() < 5000 or even(module.bias, bound)
    assert abs(module.bias.detach().numpy()).max() > 0.9 * bound


def test_layers_without_inputs():
    assert nn.Linear(0, 3).bias.shape == (3,) and nn.Linear(3, 0)(ft.ones(2, 3)).shape == (2, 0)


def test_sparse():
    ft.manual_seed(2)
    weight = init.sparse_(ft.empty(40, 30), 0.33, std=2.0)
    assert (weight == 0).sum(0).tolist() == [14] * 30  # a third of 40, rounded up
    kept = weight[weight != 0]
    assert abs(float(kept.std()) - 2) < 0.2 and len({tuple(row) for row in (weight == 0).t().tolist()}) > 20
    assert int((init.sparse_(ft.empty(3, 2), 0.0) == 0).sum()) == 0
    with raises(ValueError, "sparse_", "expected a tensor of 2 dimensions", value="shape (3,)"):
        init.sparse_(ft.empty(3), 0.1)
    with raises(ValueError, "sparse_", "sparsity from 0 to 1", value=1.5):
        init.sparse_(ft.empty(3, 3), 1.5)
