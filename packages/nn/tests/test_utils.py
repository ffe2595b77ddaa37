"""Gradient clipping, and parameters as one vector."""

import gc
import math

import numpy as np
import pytest
from nn_toys import Net, refuse_reads, same

import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn import Linear, Parameter
from facula_nn.utils import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
    parameters_to_vector,
    vector_to_parameters,
)


def with_gradients():
    ft.manual_seed(0)
    net = Net()
    net(ft.randn(8, 4)).sum().backward()
    return net, np.concatenate([p.grad.numpy().ravel() for p in net.parameters()])


def gradients(net):
    return np.concatenate([p.grad.numpy().ravel() for p in net.parameters()])


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, math.inf, 2])
def test_total_norm_of_gradients(order):
    net, before = with_gradients()
    expected = np.linalg.norm(before, order)
    total = clip_grad_norm_(net.parameters(), expected / 2, order)
    assert total.shape == () and float(total) == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(gradients(net), before / 2, rtol=1e-4)


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
@pytest.mark.parametrize("order", [1.0, 2.0, math.inf, "inf"])
def test_squares_that_overflow_half_precision(dtype, order):
    """The norm is 600; its square overflows float16, but the scaled gradients must not become zeros."""
    one = Parameter(ft.zeros(4, dtype=dtype))
    one.grad = ft.full((4,), 300.0, dtype=dtype)
    expected = {1.0: 1200, 2.0: 600}.get(order, 300)
    total = clip_grad_norm_(one, 1.0, order)
    assert total.dtype is dtype and float(total) == pytest.approx(expected, rel=1e-2)
    assert one.grad.tolist() == pytest.approx([300 / expected] * 4, rel=1e-2)
    for wrong in ("2", "-inf", None):
        with raises(TypeError, "clip_grad_norm_", "expected norm_type to be a real number", wrong):
            clip_grad_norm_(one, 1.0, wrong)


@pytest.mark.parametrize(
    ("order", "norm", "scaled"),
    [(0.0, 2.0, [[0.5, 1.0, 0.0], [2.0]]), (-1.0, 0.0, None), (-2.0, 0.0, None), (-math.inf, 0.0, None),
     (math.nan, math.nan, [[math.nan] * 3, [math.nan]])],
)  # fmt: skip
def test_orders_that_are_not_norms(order, norm, scaled):
    """Compare with PyTorch's results."""
    one, two = Parameter(ft.zeros(3)), Parameter(ft.zeros(1))
    one.grad, two.grad = ft.tensor([1.0, 2.0, 0.0]), ft.tensor([4.0])
    np.testing.assert_equal(float(clip_grad_norm_([one, two], 1.0, order)), norm)
    for got, before, wanted in zip((one, two), ([1.0, 2.0, 0.0], [4.0]), scaled or (None, None), strict=True):
        np.testing.assert_allclose(got.grad.numpy(), wanted or before, rtol=1e-5)


def test_gradients_of_several_dtypes():
    one, two = Parameter(ft.zeros(1, dtype=ft.float16)), Parameter(ft.zeros(1))
    one.grad, two.grad = ft.tensor([3.0], dtype=ft.float16), ft.tensor([4.0])
    total = clip_grad_norm_([one, two], 1.0)
    assert (total.dtype, total.item()) == (ft.float32, 5.0)


def test_clipping_many_gradients_triggers_no_garbage_collections():
    """The norms of 2,000 gradients are joined in groups, so few objects are alive at the same time."""
    parameters = [ft.ones(2, requires_grad=True) for _ in range(2000)]
    for p in parameters:
        p.grad = ft.ones(2)
    assert clip_grad_norm_(parameters, 1.0).item() == pytest.approx(4000**0.5)
    gc.collect()
    collections = gc.get_stats()[1]["collections"]
    clip_grad_norm_(parameters, 1.0)
    assert gc.get_stats()[1]["collections"] == collections


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, 3.0, math.inf])
def test_clipping_reads_no_values(order, monkeypatch):
    net, before = with_gradients()
    with monkeypatch.context() as patched:
        refuse_reads(patched)
        clip_grad_norm_(net.parameters(), 0.5, order)
        clip_grad_value_(net.parameters(), 0.25)
        norm = get_total_norm([one.grad for one in net.parameters()], order)
        clip_grads_with_norm_(net.parameters(), 0.125, norm)
    # The norm of order 0 counts the parameters with nonzero gradients.
    parts = [one.grad.numpy().ravel() for one in net.parameters()]
    expected = len(parts) if order == 0 else np.linalg.norm(before, order)
    clipped = (before * min(1, 0.5 / expected)).clip(-0.25, 0.25)
    expected = len(parts) if order == 0 else np.linalg.norm(clipped, order)
    np.testing.assert_allclose(float(norm), expected, rtol=1e-4)
    np.testing.assert_allclose(gradients(net), clipped * min(1, 0.125 / expected), rtol=1e-4)


def test_numbers_and_complex_gradients():
    one, two = Parameter(ft.tensor(0.0)), Parameter(ft.zeros(1, dtype=ft.complex64))
    one.grad, two.grad = ft.tensor(2.0), ft.tensor([3 + 6j])
    total = clip_grad_norm_([one, two], 3.5)
    assert (total.dtype, total.item()) == (ft.float32, 7.0)
    assert one.grad.item() == pytest.approx(1) and two.grad.item() == pytest.approx(1.5 + 3j)


def test_small_gradients_are_unchanged():
    """They are multiplied by 1."""
    net, before = with_gradients()
    versions = [one.grad._version for one in net.parameters()]
    clip_grad_norm_(net.parameters(), 1e6)
    assert (gradients(net) == before).all()
    assert all(one.grad._version > was for one, was in zip(net.parameters(), versions, strict=True))
    clip_grads_with_norm_(net.parameters(), 1.0, ft.tensor(0.5, dtype=ft.float16))
    assert (gradients(net) == before).all()


def test_gradients_are_scaled_in_place():
    net, _ = with_gradients()
    grad = net.scale.weight.grad
    address, version = grad.data_ptr(), grad._version
    clip_grad_norm_(iter(net.parameters()), 0.1)
    assert net.scale.weight.grad is grad and grad.data_ptr() == address and grad._version > version


def test_parameters_without_gradients_are_ignored():
    one = Parameter(ft.ones(2))
    assert float(clip_grad_norm_(one, 1.0)) == 0
    one.grad = ft.tensor([3.0, 4.0])
    assert float(clip_grad_norm_([one, Parameter(ft.ones(3))], 1.0)) == 5
    assert one.grad.tolist() == pytest.approx([0.6, 0.8], rel=1e-5)


def test_non_finite_norms():
    one = Parameter(ft.ones(2))
    one.grad = ft.tensor([math.inf, 1.0])
    with raises(RuntimeError, "clip_grad_norm_", "the gradients' norm of order 2.0 is inf", "nothing was"):
        clip_grad_norm_(one, 1.0, error_if_nonfinite=True)
    assert one.grad.tolist() == [math.inf, 1.0]
    clip_grad_norm_(one, 1.0)
    assert math.isnan(one.grad.tolist()[0]) and one.grad.tolist()[1] == 0
    one.grad = ft.tensor([math.nan, 1.0])
    clip_grad_norm_(one, 1.0)
    assert all(map(math.isnan, one.grad.tolist()))


def test_values():
    net, before = with_gradients()
    clip_grad_value_(net.parameters(), 0.5)
    assert (gradients(net) == before.clip(-0.5, 0.5)).all() and abs(before).max() > 0.5


@pytest.mark.parametrize(
    "call",
    [
        lambda p: clip_grad_norm_(p, -1.0),
        lambda p: clip_grad_norm_(p, math.nan),
        lambda p: clip_grad_value_(p, -1.0),
    ],
)
def test_invalid_arguments_are_rejected(call):
    one = Parameter(ft.ones(2))
    one.grad = ft.ones(2)
    with raises(ValueError, "clip_grad_...", "expected"):
        call(one)
    assert one.grad.tolist() == [1.0, 1.0]


def test_parameters_to_vector_and_back():
    net, other = Net(), Net()
    vector = parameters_to_vector(net.parameters())
    assert vector.shape == (25,) and vector.requires_grad
    kept = list(other.parameters())
    vector_to_parameters(vector, other.parameters())
    assert all(same(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))
    assert [a is b for a, b in zip(kept, other.parameters(), strict=True)] == [True] * 5
    assert all(p.is_leaf and p.requires_grad for p in kept)
    for wrong in (ft.ones(24), ft.ones(5, 5)):
        with raises(ValueError, "vector_to_parameters", "expected a vector of 25 elements"):
            vector_to_parameters(wrong, other.parameters())
    with raises(TypeError, "vector_to_parameters", "expected vec to be a Tensor", value="list"):
        vector_to_parameters([1.0], Linear(1, 1).parameters())
    with raises(ValueError, "parameters_to_vector", "expected at least one parameter"):
        parameters_to_vector([])
