"""Parametrized parameters: registration, reading, assignment, removal, copies; weight norm and spectral norm."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn.utils import (
    parametrizations,
    parametrize,
    remove_spectral_norm,
    remove_weight_norm,
    spectral_norm,
    weight_norm,
)
from facula_nn.utils.parametrize import is_parametrized, register_parametrization, remove_parametrizations


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, value):
        return value.triu()


class Twice(nn.Module):
    calls = 0

    def forward(self, x):
        self.calls += 1
        return x * 2


def test_parametrized_weight():
    layer = nn.Linear(3, 3)
    weight, before = layer.weight, layer.weight.clone()
    assert register_parametrization(layer, "weight", Symmetric()) is layer
    assert isinstance(layer, nn.Linear) and type(layer).__name__ == "ParametrizedLinear"
    assert is_parametrized(layer) and is_parametrized(layer, "weight") and not is_parametrized(layer, "bias")
    assert parametrize.type_before_parametrizations(layer) is nn.Linear
    assert layer.parametrizations.weight.original is weight and ft.equal(weight, before.triu())
    assert sorted(name for name, _ in layer.named_parameters()) == ["bias", "parametrizations.weight.original"]
    assert "(weight): ParametrizationList(" in repr(layer)
    layer(ft.ones(1, 3)).sum().backward()
    assert weight.grad.tolist() == [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
    layer.weight = ft.ones(3, 3)
    assert layer.weight.tolist() == [[1] * 3] * 3 and weight.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear and layer.weight is weight and not is_parametrized(layer)
    assert weight.tolist() == [[1] * 3] * 3 and weight.is_leaf and list(layer._modules) == []


def test_several_parametrizations_and_parametrized_buffers():
    layer = nn.BatchNorm1d(2)
    register_parametrization(layer, "running_mean", Twice())
    register_parametrization(layer, "weight", Twice())
    register_parametrization(layer, "weight", Twice())
    assert layer.weight.tolist() == [4, 4] and layer.running_mean.tolist() == [0, 0]
    assert "parametrizations.running_mean.original" in dict(layer.named_buffers())
    other = deepcopy(layer)
    remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert layer.weight.tolist() == [1, 1] and is_parametrized(layer, "running_mean")
    assert other.weight.tolist() == [4, 4] and is_parametrized(other, "weight")
    other.parametrizations.weight.original.data.fill_(3.0)
    assert other.weight.tolist() == [12, 12]
    layer.double()
    assert layer.running_mean.dtype is ft.float64
    state = other.state_dict()
    fresh = nn.BatchNorm1d(2)
    for name in ("running_mean", "weight", "weight"):
        register_parametrization(fresh, name, Twice())
    fresh.load_state_dict(state)
    assert fresh.weight.tolist() == [12, 12]


def test_cached_values_are_computed_once():
    layer, twice = nn.Linear(2, 2), Twice()
    register_parametrization(layer, "weight", twice)
    before = twice.calls
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert twice.calls == before + 1
    assert layer.weight is not layer.weight and twice.calls == before + 3


class Flat(nn.Module):
    def forward(self, x):
        return x.reshape(-1)


REFUSED = [
    (lambda one: register_parametrization(one, "width", Twice()), ValueError,
     "register_parametrization: of Linear; got 'width'"),
    (lambda one: register_parametrization(one, "weight", abs), TypeError,
     "register_parametrization: to be a Module; got builtin_function_or_method"),
    (lambda one: register_parametrization(one, "weight", Flat()), ValueError, "parametrization: got float32 (6,)"),
    (lambda one: remove_parametrizations(one, "weight"), ValueError, "remove_parametrizations: got 'weight'"),
    (lambda one: setattr(register_parametrization(one, "weight", Twice()), "weight", one.weight.detach()), RuntimeError,
     "parametrize: Twice has no right_inverse"),
    (lambda one: pickle.dumps(register_parametrization(one, "weight", Twice())), NotImplementedError,
     "ParametrizedLinear: save their state_dict()"),
    (lambda one: parametrizations.spectral_norm(one, "width"), ValueError, "spectral_norm: of Linear; got 'width'"),
    (lambda one: parametrizations.spectral_norm(one, n_power_iterations=0), ValueError, "spectral_norm: at ... got 0"),
    (lambda one: parametrizations.orthogonal(one, "width"), ValueError, "orthogonal: of Linear; got 'width'"),
    (lambda one: parametrizations.orthogonal(one, "bias"), ValueError, "orthogonal: a matrix ... got shape (3,)"),
    (lambda one: parametrizations.orthogonal(one, orthogonal_map="x"), ValueError, "orthogonal: one ... got 'x'"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_invalid_arguments_raise(case):
    action, kind, text = REFUSED[case]
    layer = nn.Linear(2, 3)
    with raises(kind, text):
        action(layer)


def test_unsafe_allows_a_change_of_shape():
    layer = register_parametrization(nn.Linear(2, 3), "weight", Flat(), unsafe=True)
    assert layer.weight.shape == (6,)


@pytest.mark.parametrize("dim", [0, 1, None, -1])
def test_weight_norm(dim):
    layer = nn.Linear(3, 2).double()
    before = layer.weight.detach().numpy().copy()
    axis = {0: 1, 1: 0}.get(dim)
    lengths = np.linalg.norm(before, axis=axis, keepdims=True) if axis is not None else np.linalg.norm(before)
    parametrizations.weight_norm(layer, dim=dim)
    g, v = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
    np.testing.assert_allclose(g.detach().numpy(), lengths)
    np.testing.assert_allclose(layer.weight.detach().numpy(), before)
    with ft.no_grad():
        g.mul_(3)
        v.mul_(5)
    np.testing.assert_allclose(layer.weight.detach().numpy(), 3 * before)
    layer(ft.ones(1, 3, dtype=ft.float64)).sum().backward()
    assert g.grad.shape == g.shape and abs(float((v.grad * v.detach()).sum())) < 1e-12  # invariant to lengths of v
    remove_parametrizations(layer, "weight")
    np.testing.assert_allclose(layer.weight.detach().numpy(), 3 * before)
    assert isinstance(layer.weight, nn.Parameter)


def test_weight_norm_loads_legacy_state():
    layer = parametrizations.weight_norm(nn.Linear(2, 1))
    layer.load_state_dict({"weight_g": ft.tensor([[5.0]]), "weight_v": ft.tensor([[3.0, 4.0]]), "bias": ft.zeros(1)})
    assert layer.weight.tolist() == [pytest.approx([3, 4])]


def test_spectral_norm():
    ft.manual_seed(0)
    layer = nn.Linear(4, 3).double()
    before = layer.weight.detach().numpy().copy()
    parametrizations.spectral_norm(layer, n_power_iterations=20)
    for _ in range(5):
        value = layer.weight
    np.testing.assert_allclose(value.detach().numpy(), before / np.linalg.svd(before)[1][0], rtol=1e-6)
    layer.eval()
    assert ft.equal(layer.weight, layer.weight)
    u = layer.parametrizations.weight[0]._u
    assert u.shape == (3,) and float(u.square().sum()) == pytest.approx(1)
    layer.weight.sum().backward()
    original = layer.parametrizations.weight.original
    assert abs(float((original.grad * original.detach()).sum())) < 1e-8  # the value does not depend on the scale
    transposed = parametrizations.spectral_norm(nn.ConvTranspose2d(2, 5, 3))
    assert transposed.parametrizations.weight[0]._u.shape == (5,)


def test_weights_computed_by_hooks():
    ft.manual_seed(1)
    layer = nn.Linear(3, 2).double()
    before = layer.weight.detach().numpy().copy()
    assert weight_norm(layer) is layer and layer.weight_g.shape == (2, 1)
    assert sorted(name for name, _ in layer.named_parameters()) == ["bias", "weight_g", "weight_v"]
    with ft.no_grad():
        layer.weight_g.mul_(2)
        layer.weight_v.mul_(3)
    x = ft.ones(1, 3, dtype=ft.float64)
    result = layer(x)
    np.testing.assert_allclose(result.detach().numpy(), x.numpy() @ (2 * before).T + layer.bias.detach().numpy())
    result.sum().backward()
    assert layer.weight_g.grad is not None and layer.weight_v.grad is not None
    with raises(RuntimeError, "weight_norm", "Linear.weight has one already"):
        weight_norm(layer)
    remove_weight_norm(layer)
    np.testing.assert_allclose(layer.weight.detach().numpy(), 2 * before)
    assert list(layer.state_dict()) == ["bias", "weight"] and isinstance(layer.weight, nn.Parameter)
    np.testing.assert_allclose(layer(x).detach().numpy(), result.detach().numpy())
    with raises(ValueError, "remove_weight_norm", "Linear with weight_norm", value="'weight'"):
        remove_weight_norm(layer)
    spectral_norm(layer, n_power_iterations=50)
    layer(x).sum().backward()
    assert layer.weight_orig.grad is not None
    np.testing.assert_allclose(layer.weight.detach().numpy(), 2 * before / np.linalg.svd(2 * before)[1][0], rtol=1e-6)
    copy = nn.Linear(3, 2).double()
    spectral_norm(copy).load_state_dict(layer.state_dict())
    np.testing.assert_allclose(copy.eval()(x).tolist(), layer.eval()(x).tolist())
    remove_spectral_norm(layer)
    assert sorted(layer.state_dict()) == ["bias", "weight"] and not layer._forward_pre_hooks
    with raises(ValueError, "spectral_norm", "a parameter of Linear", value="'width'"):
        spectral_norm(layer, "width")


@pytest.mark.parametrize("kind", [None, "matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 3), (3, 5)])
def test_orthogonal_weights_stay_orthogonal(kind, base, rows, columns):
    layer = nn.Linear(columns, rows, dtype=ft.float64)
    parametrizations.orthogonal(layer, orthogonal_map=kind, use_trivialization=base)
    one = ft.eye(min(rows, columns), dtype=ft.float64)

    def product():
        w = layer.weight
        return w.mT @ w if rows >= columns else w @ w.mT

    assert ft.allclose(product(), one)
    before = layer.weight.detach()
    original = layer.parametrizations.weight.original
    (layer.weight * ft.randn(rows, columns, dtype=ft.float64)).sum().backward()
    with ft.no_grad():
        original -= 0.1 * original.grad
    assert ft.allclose(product(), one) and not ft.allclose(layer.weight, before)
    if base or kind == "householder":
        layer.weight = before
        assert ft.allclose(layer.weight, before)
    elif kind is not None:
        with raises(NotImplementedError, "orthogonal", "cannot be assigned through"):
            layer.weight = before
    assert ft.allclose(product(), one)


def test_orthogonal_preserves_an_orthogonal_weight():
    layer = nn.Linear(3, 5)
    nn.init.orthogonal_(layer.weight)
    before = layer.weight.detach().clone()
    assert ft.equal(parametrizations.orthogonal(layer).weight, before)
    again = parametrizations.orthogonal(nn.Linear(3, 5))
    again.load_state_dict(layer.state_dict())
    assert ft.equal(again.weight, layer.weight)


def test_complex_weights_are_unitary():
    layer = nn.Module()
    layer.weight = nn.Parameter(ft.complex(ft.randn(2, 3, 4), ft.randn(2, 3, 4)))
    weight = parametrizations.orthogonal(layer).weight
    assert ft.allclose(weight @ weight.mH, ft.eye(3, dtype=ft.complex64), atol=1e-5)
    with raises(ValueError, "orthogonal", "'householder' requires real matrices"):
        parametrizations.orthogonal(layer, orthogonal_map="householder")
