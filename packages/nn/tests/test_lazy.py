"""Lazy modules: shapes from the first call or a state dict, and errors before."""

import copy
import pickle
import subprocess
import sys

import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn.extend import LazyModuleMixin, is_lazy

CASES = [
    ("Linear", (3,), {}, (4, 5)),
    ("Linear", (3,), {"bias": False}, (5,)),
    ("Conv1d", (4, 3), {}, (2, 3, 6)),
    ("Conv2d", (4, 3), {"groups": 2, "padding": 1}, (2, 6, 5, 5)),
    ("Conv2d", (4, 3), {}, (2, 5, 5)),
    ("Conv3d", (4, 2), {"bias": False}, (1, 2, 3, 4, 5)),
    ("ConvTranspose1d", (4, 3), {}, (2, 3, 6)),
    ("ConvTranspose2d", (4, 3), {"stride": 2, "output_padding": 1}, (2, 3, 4, 4)),
    ("ConvTranspose3d", (4, 2), {"groups": 2}, (2, 2, 3, 3, 3)),
    ("BatchNorm1d", (), {}, (4, 3)),
    ("BatchNorm2d", (), {"affine": False}, (4, 3, 2, 2)),
    ("BatchNorm3d", (), {"track_running_stats": False}, (4, 3, 2, 2, 2)),
    ("InstanceNorm1d", (), {}, (2, 3, 4)),
    ("InstanceNorm2d", (), {"affine": False, "track_running_stats": False}, (2, 3, 4, 4)),
    ("InstanceNorm3d", (), {"bias": False}, (2, 3, 4, 4, 2)),
]


@pytest.mark.parametrize(("name", "given", "options", "shape"), CASES)
def test_lazy_layers_become_their_ordinary_class(name, given, options, shape):
    make = getattr(nn, f"Lazy{name}")
    layer, x = make(*given, **options), ft.randn(shape)
    others = [copy.deepcopy(layer), pickle.loads(pickle.dumps(layer)), make(*given, **options)]
    assert all(is_lazy(p) for p in layer.parameters()) and layer.has_uninitialized_params() == bool(layer.state_dict())
    assert type(layer).__name__ in repr(layer) and all(
        repr(p) == "<UninitializedParameter>" for p in layer.parameters()
    )
    parameters = list(layer.parameters())
    out = layer(x)
    assert type(layer) is getattr(nn, name) and layer._hooks is None
    assert [id(p) for p in layer.parameters()] == [id(p) for p in parameters]
    assert all(type(p) is nn.Parameter and p.requires_grad for p in parameters)
    assert all(type(b) is ft.Tensor for b in layer.buffers())
    channels = {"Linear": -1, "Instan": 1}.get(name[:6], 1 if len(shape) > 3 or name[-2:] == "1d" else 0)
    plain = getattr(nn, name)(shape[channels], *given, **{"affine": True, "track_running_stats": True, **options}
                              if "Instance" in name else options)  # fmt: skip
    assert repr(plain) == repr(layer) and list(plain.state_dict()) == list(layer.state_dict())
    for other in others:
        other.load_state_dict(layer.state_dict())
        assert not other.has_uninitialized_params()
        assert ft.equal(other.eval()(x), layer.eval()(x)) and type(other) is type(layer)
    assert out.shape == layer(x).shape
    doubled = make(*given, **options).double()
    assert doubled(x.double()).dtype is ft.float64
    assert all(p.device.type == "meta" for p in make(*given, **options).to("meta").parameters())


def test_optimizer_may_be_created_before_the_first_call():
    layer = nn.LazyLinear(2, bias=False)
    parameters = list(layer.parameters())
    layer(ft.ones(1, 3)).sum().backward()
    assert parameters[0].grad.shape == (2, 3)
    bound = 1 / 3**0.5
    assert parameters[0].abs().max().item() <= bound and parameters[0].std().item() > 0


class Scale(LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.UninitializedParameter(dtype=ft.float64)
        self.mean = nn.UninitializedBuffer(persistent=False)

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            self.weight.materialize(input.shape[1:])
            self.mean.materialize((2,), dtype=ft.float64)
            nn.init.ones_(self.weight)

    def forward(self, input):
        return input * self.weight


def test_user_defined_lazy_modules():
    net = nn.Sequential(Scale(), nn.ReLU())
    x = ft.ones(2, 3, dtype=ft.float64)
    assert ft.equal(net(x), x) and ft.equal(net(x), x) and type(net[0]) is Scale
    assert type(net[0].mean) is nn.Buffer and net[0].mean.dtype is ft.float64 and list(net.state_dict()) == ["0.weight"]


class Scaled:
    """A mixin."""


class Kept:
    """Another mixin."""


class LazyScaled(nn.LazyLinear, Scaled):
    cls_to_become = nn.Linear


class Conv2dX(nn.Conv2d):
    pass


class LazyConv2dX(nn.LazyConv2d, Conv2dX):
    pass


class LazyKept(nn.LazyLinear, Kept):
    cls_to_become = None


def test_class_names_do_not_determine_cls_to_become():
    for layer, shape, expected in [
        (LazyScaled(2), (1, 3), nn.Linear),
        (LazyConv2dX(2, 1), (1, 3, 4, 4), nn.Conv2d),
        (LazyKept(2), (1, 3), LazyKept),
    ]:
        layer(ft.ones(shape))
        assert type(layer) is expected


P = nn.UninitializedParameter()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: P + 1, ValueError, "add: an uninitialized parameter has no shape yet; call the lazy module once"),
        (lambda: nn.functional.linear(ft.ones(2, 3), P), ValueError, "linear: an uninitialized parameter"),
        (lambda: P.zero_(), ValueError, "zero_: an uninitialized parameter has no shape yet"),
        (lambda: P.numel(), ValueError, "numel: an uninitialized parameter"),
        (lambda: P.shape, RuntimeError, "shape: an uninitialized parameter has no shape yet"),
        (lambda: nn.init.normal_(nn.LazyLinear(3).weight), ValueError, "normal_: an uninitialized parameter"),
        (lambda: nn.LazyBatchNorm1d().running_mean * 2, ValueError, "mul: an uninitialized buffer"),
        (lambda: nn.LazyConv2d(3, 2, groups=2), ValueError, "LazyConv2d: expected groups to divide"),
        (
            lambda: nn.LazyConv2d(4, 2, groups=2)(ft.ones(3, 4, 4)),
            ValueError,
            "LazyConv2d: expected groups ... 2 and 3",
        ),
        (
            lambda: nn.LazyConv2d(3, 2)(ft.ones(4, 4)),
            ValueError,
            "LazyConv2d: expected 3 or 4 dimensions ... (4, 4)",
        ),
        (lambda: nn.LazyBatchNorm1d()(ft.ones(3)), ValueError, "LazyBatchNorm1d: expected 2 or 3 dimensions ... (3,)"),
        (lambda: nn.LazyLinear("a"), TypeError, "LazyLinear: expected out_features to be an integer; got str 'a'"),
        (lambda: nn.LazyLinear(3)([1.0]), TypeError, "LazyLinear: expected input to be a Tensor; got list"),
        (
            lambda: nn.Linear(2, 3).load_state_dict(nn.LazyLinear(3).state_dict()),
            RuntimeError,
            "load_state_dict: 'weight': it has no shape yet",
        ),
        (
            lambda: LazyModuleMixin().initialize_parameters(),
            NotImplementedError,
            "LazyModuleMixin: define initialize_parameters",
        ),
    ],
)
def test_invalid_arguments_are_rejected(call, error, said):
    with raises(error, said):
        call()


def test_import_registers_no_overriding_classes():
    """Functions check the classes of operands only if some class overrides them; lazy parameters do not count."""

    code = "import facula_nn; from facula_tensor._dispatch import overrides; assert not overrides._overriding"
    subprocess.run([sys.executable, "-c", code], check=True)
