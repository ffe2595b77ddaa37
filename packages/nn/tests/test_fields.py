"""Layers declared by fields: their constructors and reprs equal handwritten ones."""

import dataclasses
import inspect
import typing

import pytest

import facula_nn as nn
import facula_tensor as ft


def test_signatures_and_attributes():
    assert str(inspect.signature(nn.LeakyReLU)) == "(negative_slope: 'float' = 0.01, inplace: 'bool' = False) -> 'None'"
    assert list(inspect.signature(nn.NLLLoss).parameters) == [
        "weight", "size_average", "ignore_index", "reduce", "reduction",
    ]  # fmt: skip
    assert not hasattr(nn.LeakyReLU, "negative_slope") and nn.LeakyReLU(0.5).negative_slope == 0.5
    loss = nn.NLLLoss(ft.ones(2), size_average=False)
    assert loss.reduction == "sum" and list(loss.state_dict()) == ["weight"] and not hasattr(loss, "size_average")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.LeakyReLU(1, True, 3), r"LeakyReLU: takes from 1 to 3 positional arguments but 4 were"),
        (lambda: nn.Threshold(1.0), r"Threshold: missing 1 required positional argument: 'value'"),
        (lambda: nn.ELU(1.0, alpha=2.0), r"ELU: got multiple values for argument 'alpha'"),
        (lambda: nn.LazyLinear(), r"LazyLinear: missing 1 required positional argument: 'out_features'"),
        (lambda: nn.ELU(slope=2.0), r"ELU: got an unexpected keyword argument 'slope'"),
    ],
)
def test_invalid_arguments(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_repr_omits_defaults():
    assert repr(nn.ReLU(1)) == "ReLU(inplace=True)" and repr(nn.ReLU()) == "ReLU()"
    assert repr(nn.RReLU(0.1, 0.2, True)) == "RReLU(lower=0.1, upper=0.2, inplace=True)"
    assert repr(nn.Conv1d(1, 1, 2, padding=(0,), dilation=2)).endswith("kernel_size=(2,), stride=(1,), dilation=(2,))")
    assert repr(nn.Conv1d(1, 1, 2, padding="same", bias=False)).endswith("padding=same, bias=False)")
    assert repr(nn.Embedding(2, 3, norm_type=2)) == "Embedding(2, 3)"
    layer = nn.Conv2d(1, 1, 2)
    layer.dilation = ft.ones(2)  # neither equal to 1 nor different
    assert repr(layer) == f"Conv2d(1, 1, kernel_size=(2, 2), stride=(1, 1), dilation={ft.ones(2)})"
    relu = nn.ReLU()
    relu.inplace = ft.ones(2)
    assert repr(relu) == f"ReLU(inplace={ft.ones(2)})"


@pytest.mark.parametrize("layer", [nn.CrossEntropyLoss, nn.MultiMarginLoss, nn.NLLLoss, nn.NLLLoss2d])
def test_annotations_resolve_in_the_defining_module(layer):
    assert typing.get_type_hints(layer.__init__)["weight"] == ft.Tensor | None


@pytest.mark.parametrize("layer", [nn.LPPool1d, nn.LPPool2d, nn.LPPool3d])
def test_annotations_with_sequences(layer):
    hints = typing.get_type_hints(layer.__init__)
    assert hints["norm_type"] is float and "collections.abc.Sequence" in str(hints["kernel_size"])


@pytest.mark.parametrize("layer", [nn.LeakyReLU, nn.CrossEntropyLoss, nn.LazyLinear, nn.LazyConv2d])
def test_constructor_code_is_hashable_and_has_a_location(layer):
    made = inspect.unwrap(layer.__init__)
    assert hash(made.__code__) == hash(made.__code__.replace())
    source = inspect.getsource(layer.__init__)
    assert source.startswith(("    @unsized(", f"@layer\nclass {layer.__name__}(")) and "_template" not in source


def test_derived_classes():
    class Scaled(nn.LeakyReLU):
        def __init__(self, scale):
            super().__init__(0.5)
            self.scale = scale

        def forward(self, input):
            return super().forward(input) * self.scale

    assert Scaled(2.0)(ft.tensor([-1.0])).item() == -1 and repr(Scaled(2.0)) == "Scaled(negative_slope=0.5)"

    @dataclasses.dataclass(eq=False)
    class Data(nn.Dropout):
        share: float

        def __post_init__(self):
            super().__init__(self.share)

    assert Data(0.25).p == 0.25
