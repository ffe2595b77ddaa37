"""Modules: calls, modes, conversion, gradients, copies, repr."""

import copy
import pickle

import pytest
from nn_toys import Net, Scale, same

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises


def test_missing_forward_raises():
    class Without(nn.Module):
        def forwrad(self, x):
            return x

    with raises(NotImplementedError, "Without", "expected the class to define forward(self, ...)"):
        Without()(1)


def test_call_passes_all_arguments():
    class Echo(nn.Module):
        def forward(self, *args, **kwargs):
            return args, kwargs

    assert Echo()(1, 2, three=3) == ((1, 2), {"three": 3})


def test_apply_visits_children_first():
    net, seen = Net(), []
    assert net.apply(lambda module: seen.append(type(module).__name__)) is net
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Scale", "Net"]


def test_modes():
    net = Net()
    assert all(module.training for module in net.modules())
    assert net.eval() is net
    assert not any(module.training for module in net.modules())
    net.body.train()
    assert net.body[0].training and not net.training
    with raises(ValueError, "train", "expected a bool", value="'no'"):
        net.train("no")


def test_requires_grad_and_zero_grad():
    net = Net()
    net(ft.ones(1, 4)).sum().backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    before = [parameter.grad for parameter in net.parameters()]
    net.zero_grad(set_to_none=False)
    assert all(parameter.grad is grad for parameter, grad in zip(net.parameters(), before, strict=True))
    assert all(float(parameter.grad.abs().sum()) == 0 for parameter in net.parameters())
    net.zero_grad()
    assert all(parameter.grad is None for parameter in net.parameters())
    net.requires_grad_(False)
    assert not net(ft.ones(1, 4)).requires_grad


def test_conversion_preserves_parameter_identity():
    net = Net()
    net(ft.ones(1, 4)).sum().backward()
    before = list(net.parameters())
    assert net.double() is net
    assert [a is b for a, b in zip(before, net.parameters(), strict=True)] == [True] * 5
    assert {p.dtype for p in net.parameters()} == {p.grad.dtype for p in net.parameters()} == {ft.float64}
    assert net.scale.cache.dtype is ft.float64 and net.scale.count.dtype is ft.int64
    net(ft.ones(1, 4, dtype=ft.float64)).sum().backward()
    for method, dtype in (("float", ft.float32), ("half", ft.float16), ("bfloat16", ft.bfloat16)):
        assert getattr(net, method)().scale.weight.dtype is dtype
    assert net.to("cpu", ft.float32).to(ft.ones(1, dtype=ft.float64)).scale.weight.dtype is ft.float64


def test_conversion_of_a_shared_parameter():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    net.double()
    assert net[1].weight is net[0].weight and net[0].weight.dtype is ft.float64


def test_devices():
    net = Net().to("meta")
    assert {p.device.type for p in net.parameters()} == {"meta"}
    empty = net.to_empty(device="cpu")
    assert empty is net and net(ft.ones(1, 4)).shape == (1, 2)
    assert nn.Linear(3, 2, device="meta").weight.is_meta
    with raises(RuntimeError, "cuda"):
        net.cuda()
    assert net.cpu().body[0].weight.device.type == "cpu"


def test_model_larger_than_memory():
    with ft.device("meta"):
        net = nn.Sequential(nn.Linear(200_000, 200_000), nn.ReLU(), nn.BatchNorm1d(200_000))
        made = net(ft.ones(3, 200_000))
    assert made.is_meta and made.shape == (3, 200_000)
    assert {one.device.type for one in net.state_dict().values()} == {"meta"}
    assert sum(one.numel() for one in net.parameters()) == 200_000 * 200_003
    with raises(RuntimeError, "linear", "expected all tensors on one device", value="'cpu' and 'meta'"):
        net(ft.ones(3, 200_000))
    with raises(RuntimeError, "to", "meta"):
        nn.Linear(2, 2, device="meta").to("cpu")


def test_meta_module_loads_with_assign():
    with ft.device("meta"):
        net = Net()
    source = Net()
    net.load_state_dict(source.state_dict(), assign=True)
    assert ft.equal(net(x := ft.randn(2, 4)), source(x))
    assert all(isinstance(one, nn.Parameter) and one.requires_grad for one in net.parameters())


def test_channels_last():
    x = ft.randn(2, 3, 5, 5)
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
    expected = net(x)
    weight = net[0].weight
    net.to(memory_format=ft.channels_last)
    assert net[0].weight is weight and weight.stride() == (27, 1, 9, 3)
    assert abs((net(x) - expected).detach().numpy()).max() < 1e-5


@pytest.mark.parametrize("argument", [ft.int64, 3.0, [1]])
def test_conversion_rejects_invalid_arguments(argument):
    net = Net()
    with raises(TypeError, "to"):
        net.to(argument)
    assert net.scale.weight.dtype is ft.float32


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_deep_copies_and_pickles(duplicate):
    net = Net()
    net.body[2].bias = net.scale.weight  # a shared parameter stays shared
    other = duplicate(net)
    assert repr(other) == repr(net)
    assert all(same(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))
    assert other.body[2].bias is other.scale.weight
    other.scale.weight.data.fill_(7.0)
    assert not same(net.scale.weight, other.scale.weight)
    x = ft.ones(1, 4)
    other(x).sum().backward()
    assert net.scale.weight.grad is None


def test_shallow_copy_has_separate_names():
    net = Scale()
    net.register_forward_hook(lambda module, args, output: output + 1)
    other = copy.copy(net)
    other.more = nn.Parameter(ft.ones(1))
    other._forward_hooks.clear()
    assert other.weight is net.weight
    assert [name for name, _ in net.named_parameters()] == ["weight"]
    assert float(net(ft.zeros(2)).sum()) == 2


def test_repr():
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.gone = Net(), nn.ReLU()
            self.gone = None

        def extra_repr(self):
            return "width=3"

    assert repr(nn.ReLU()) == "ReLU()"
    assert repr(nn.Module()) == "Module()"
    assert (
        repr(Deep())
        == """\
Deep(
  width=3
  (net): Net(
    (body): Sequential(
      (0): Linear(in_features=4, out_features=3, bias=True)
      (1): ReLU()
      (2): Linear(in_features=3, out_features=2, bias=True)
    )
    (scale): Scale()
  )
  (gone): None
)"""
    )


def test_unused_arguments_are_rejected():
    with pytest.raises(TypeError):
        nn.Module(3)


def test_html_repr():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.ReLU())
            self.named = nn.ModuleDict({"<a>": nn.Linear(2, 1, bias=False)})
            self.named["<a>"].requires_grad_(False)

    shown = Net()._repr_html_()
    assert shown.count("<details") == shown.count("</details>") == 6
    assert shown.count("<details open>") == 1
    assert "script" not in shown
    for part in (
        "<b>Net</b>()</code> <small>14 parameters, 12 trained, 56 B</small>",
        "(0): <b>Linear</b>(in_features=3, out_features=2, bias=True)</code> <small>8 parameters, 32 B</small>",
        "weight: parameter (2, 3) float32</code> <small>6, 24 B</small>",
        "running_mean: buffer (2,) float32",
        "(&lt;a&gt;): <b>Linear</b>",
        "weight: parameter (1, 2) float32, frozen",
    ):
        assert part in shown
    shared = nn.Linear(2, 2)
    shown = nn.Sequential(shared, shared)._repr_html_()
    assert "<b>Sequential</b>()</code> <small>6 parameters" in shown
    assert shown.count("weight: parameter") == 1
    assert shown.count("<small>6 parameters, 24 B</small> <small>(shared: shown above)</small>") == 1
    assert nn.ReLU()._repr_html_() == "<div><div><code><b>ReLU</b>()</code> <small>0 parameters</small></div></div>"


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        (nn.LazyLinear(3), "weight: parameter float32</code> <small>uninitialized</small>"),
        (nn.LazyLinear(3).requires_grad_(False), "bias: parameter float32, frozen</code> <small>uninitialized</small>"),
        (nn.LazyBatchNorm2d(), "running_mean: buffer float32</code> <small>uninitialized</small>"),
        (nn.Sequential(nn.LazyConv2d(3, 3)), "<b>Sequential</b>()</code> <small>uninitialized</small>"),
        (nn.Sequential(nn.Linear(1, 1), nn.LazyLinear(3)), "<small>2 parameters, 8 B, 2 uninitialized</small>"),
    ],
    ids=lambda value: value._get_name() if isinstance(value, nn.Module) else "",
)
def test_html_repr_of_uninitialized_tensors(module, expected):
    assert expected in module._repr_html_()


def test_assignment_calls_overridden_registration_methods():
    called = []

    class Noting(nn.Module):
        def register_parameter(self, name, param):
            called.append(name)
            super().register_parameter(name, param)

        def register_buffer(self, name, tensor, persistent=True):
            called.append((name, persistent))
            super().register_buffer(name, tensor, persistent)

    module = Noting()
    module.weight = nn.Parameter(ft.zeros(2))
    module.weight = nn.Parameter(ft.ones(2))
    module.mean = nn.Buffer(ft.zeros(2), persistent=False)
    module.number = 3
    assert called == ["weight", "weight", ("mean", False)]
    assert list(module.state_dict()) == ["weight"] and module.weight.tolist() == [1.0, 1.0]


def test_to_passes_non_blocking_on(monkeypatch):
    heard, move = [], ft.Tensor.to

    def to(self, *arguments, **options):
        heard.append(options["non_blocking"])
        return move(self, *arguments, **options)

    monkeypatch.setattr(ft.Tensor, "to", to)
    model = nn.Linear(2, 2)
    model.to("cpu", non_blocking=True).to("cpu", None, True).to("cpu")
    assert heard == [True] * 4 + [False] * 2
