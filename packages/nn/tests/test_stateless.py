"""Modules called with other tensors, batch norms fused into layers, uninitialized modules, norms of gradients."""

import math

import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn.extend import replace_all_batch_norm_modules_
from facula_nn.utils import (
    clip_grads_with_norm_,
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
    get_total_norm,
    skip_init,
)
from facula_nn.utils.stateless import functional_call, stack_module_state


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(ft.ones(()))
        self.second = self.first
        self.register_buffer("count", ft.zeros(()))

    def forward(self, x):
        self.count = self.count + 1
        return x * self.first * self.second


def test_call_with_other_tensors():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1, bias=False))
    before = {name: one for name, one in net.named_parameters()}
    given = {name: ft.full(tuple(one.shape), 2.0, requires_grad=True) for name, one in before.items()}
    x = ft.ones(1, 2)
    result = functional_call(net, given, x)
    assert result.item() == 3 * 2 * (2 * 2 + 2)
    result.sum().backward()
    assert given["2.weight"].grad.tolist() == [[6, 6, 6]] and before["2.weight"].grad is None
    assert all(one is before[name] for name, one in net.named_parameters())
    assert functional_call(net, ({"0.bias": given["0.bias"]}, {"2.weight": given["2.weight"]}), (x,)).shape == (1, 1)
    assert functional_call(net, given, kwargs={"input": x}).item() == result.item()


def test_tied_tensors_and_buffers():
    module, two = Tied(), ft.tensor(2.0)
    given = {"first": two, "count": ft.tensor(5.0)}
    assert functional_call(module, given, ft.tensor(1.0)).item() == 4
    assert given["count"].item() == 6 and module.count.item() == 0
    assert functional_call(module, {"second": two}, ft.tensor(1.0), tie_weights=False).item() == 2
    assert functional_call(module, {"second": two, "first": two}, ft.tensor(1.0)).item() == 4
    assert module.first is module.second
    with raises(ValueError, "functional_call", "one tensor for ['first', 'second'], which are tied"):
        functional_call(module, {"first": two, "second": two + 1}, ft.tensor(1.0))


def test_module_is_restored_after_an_error():
    layer = nn.Linear(2, 1)
    weight = layer.weight
    with raises(ValueError, "functional_call", "weight"):
        functional_call(layer, {"weight": ft.ones(1, 3)}, ft.ones(1, 2))
    assert layer.weight is weight


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: functional_call(3, {}), TypeError, "functional_call: expected a Module; got int 3"),
        (
            lambda: functional_call(Tied(), None),
            ValueError,
            "functional_call: a dict from names to tensors, or several in a list; got NoneType",
        ),
        (lambda: functional_call(Tied(), {}, (), 3), TypeError, "functional_call: kwargs ... got int"),
        (lambda: stack_module_state(None), TypeError, "stack_module_state: expected a list of modules; got NoneType"),
        (lambda: stack_module_state([]), RuntimeError, "stack_module_state: at least one module"),
        (lambda: stack_module_state([Tied(), 4]), TypeError, "stack_module_state: a Module for number 1; got int 4"),
        (
            lambda: replace_all_batch_norm_modules_(None),
            TypeError,
            "replace_all_batch_norm_modules_: expected a Module",
        ),
    ],
)
def test_non_modules_are_rejected(call, kind, text):
    with raises(kind, text):
        call()


def test_batch_norms_without_running_statistics():
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Sequential(nn.BatchNorm2d(1)))
    assert replace_all_batch_norm_modules_(model) is model
    assert list(model.buffers()) == []
    x = ft.tensor([[1.0, 2.0], [3.0, 8.0]])
    for mode in (True, False):  # both use the batch's statistics
        assert ft.allclose(model[0].train(mode)(x), ft.tensor([[-1.0, -1.0], [1.0, 1.0]]), atol=1e-4)


@pytest.mark.parametrize(
    ("given", "options", "kind", "text"),
    [
        ({"weight": ft.ones(1, 2)}, {"strict": True}, RuntimeError, "missing: ['bias']; unexpected: []"),
        ({"width": ft.ones(1)}, {"strict": True}, RuntimeError, "unexpected: ['width']"),
        (({"bias": ft.ones(1)}, {"bias": ft.ones(1)}), {}, ValueError, "once; got 'bias' in several"),
        ({"bias": 3}, {}, TypeError, "'bias' to be a Tensor; got int"),
        ([("bias", 3)], {}, TypeError, "dicts from names to tensors; got tuple"),
        ({"": ft.ones(1)}, {}, KeyError, "not empty"),
    ],
)
def test_functional_call_rejects_invalid_arguments(given, options, kind, text):
    with raises(kind, "functional_call", text):
        functional_call(nn.Linear(2, 1), given, ft.ones(1, 2), **options)


def trained(norm):
    """A batch norm with non-default statistics and weights."""
    for number, one in enumerate((norm.weight, norm.bias, norm.running_mean, norm.running_var)):
        if one is not None:
            one.data.copy_(ft.linspace(0.5, 1.5, len(one), dtype=one.dtype) + number)
    return norm.eval()


@pytest.mark.parametrize(
    ("layer", "norm", "shape"),
    [
        (nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), (4, 2, 6)),
        (nn.Conv2d(2, 4, 3, bias=False, groups=2), nn.BatchNorm2d(4), (4, 2, 6, 6)),
        (nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3, affine=False), (4, 2, 6, 6)),
        (nn.ConvTranspose2d(2, 3, 3), nn.BatchNorm2d(3), (4, 2, 6, 6)),
        (nn.Linear(2, 3), nn.BatchNorm1d(3), (4, 2)),
        (nn.Linear(2, 3, bias=False), nn.BatchNorm1d(3), (4, 2)),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, nn.Module) else None,
)
def test_batch_norms_fused_into_layers(layer, norm, shape):
    layer, norm, x = layer.double().eval(), trained(norm.double()), ft.randn(*shape, dtype=ft.float64)
    if isinstance(layer, nn.Linear):
        fused = fuse_linear_bn_eval(layer, norm)
    else:
        fused = fuse_conv_bn_eval(layer, norm, isinstance(layer, nn.ConvTranspose2d))
    assert (fused(x) - norm(layer(x))).abs().amax().item() < 1e-12
    assert type(fused) is type(layer) and fused is not layer and isinstance(fused.bias, nn.Parameter)
    assert fused.weight.requires_grad


def test_weights_of_fused_layers():
    weight, bias = fuse_linear_bn_weights(
        ft.ones(1, 2), None, ft.ones(1), ft.tensor([3.0]), 1.0, ft.tensor([4.0]), None
    )
    assert weight.tolist() == [[2, 2]] and bias.tolist() == [-2]
    weight, bias = fuse_conv_bn_weights(ft.ones(2, 1, 1), ft.ones(1), ft.zeros(1), ft.zeros(1), 4.0, None, None, True)
    assert weight.shape == (2, 1, 1) and bias.tolist() == [0.5]
    with raises(RuntimeError, "fuse_conv_bn_eval", "evaluation mode"):
        fuse_conv_bn_eval(nn.Conv1d(1, 1, 1), nn.BatchNorm1d(1).eval())
    with raises(RuntimeError, "fuse_conv_bn_eval", "tracks its statistics"):
        fuse_conv_bn_eval(nn.Conv1d(1, 1, 1).eval(), nn.BatchNorm1d(1, track_running_stats=False).eval())
    with raises(ValueError, "fuse_linear_bn_eval", "bn of 3 features, as linear gives, or of 1", value=2):
        fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(2).eval())


def test_skip_init():
    layer = skip_init(nn.Linear, 3, 2, dtype=ft.float64)
    assert layer.weight.dtype is ft.float64 and layer.weight.device.type == "cpu"
    assert layer.weight.is_leaf and layer.weight.requires_grad
    with raises(TypeError, "skip_init", "takes device=", "ReLU does not"):
        skip_init(nn.ReLU)
    with raises(TypeError, "skip_init", "class of modules", value=3):
        skip_init(3)


def test_get_total_norm_and_clip_grads_with_norm():
    weight = nn.Parameter(ft.zeros(2))
    weight.grad = ft.tensor([3.0, 4.0])
    total = get_total_norm([weight.grad])
    assert total.item() == 5 and weight.grad.tolist() == [3, 4]
    assert get_total_norm(weight.grad, math.inf).item() == 4 and get_total_norm([]).item() == 0
    clip_grads_with_norm_(weight, 10.0, total)
    assert weight.grad.tolist() == [3, 4]
    clip_grads_with_norm_([weight], 2.5, total)
    assert weight.grad.tolist() == pytest.approx([1.5, 2.0])
    with raises(RuntimeError, "get_total_norm", "the gradients' norm of order 2.0 is inf"):
        get_total_norm([ft.tensor([math.inf])], error_if_nonfinite=True)
    with raises(ValueError, "clip_grads_with_norm_", "expected max_norm of at least 0", value=-1.0):
        clip_grads_with_norm_(weight, -1.0, total)
