"""Layers and initializers name invalid constructor arguments and inputs."""

import numpy as np
import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "Conv2d: expected groups to divide ... got 2, 3 and 4"),
        (lambda: nn.Conv2d(3, 4, 3, groups=0), ValueError, "Conv2d: expected groups to divide"),
        (lambda: nn.Conv2d(3, 4, (3, 3, 3)), TypeError, "Conv2d: expected kernel_size to be an integer or two; got"),
        (lambda: nn.Conv2d(3, 4, 3, stride=1.5), TypeError, "Conv2d: expected stride to be an integer or two; got 1.5"),
        (lambda: nn.Conv2d(3, 4, (True, 3)), TypeError, "Conv2d: kernel_size to be an integer or two; got (True, 3)"),
        (lambda: nn.Conv2d(3, 4, np.ones(2, int)), TypeError, "Conv2d: kernel_size to be an integer or two; got array"),
        (lambda: nn.Conv2d(3, 4, 3, padding="some"), ValueError, "Conv2d: expected padding 'same', 'valid' or numbers"),
        (lambda: nn.Conv2d(3, 4, 3, padding="same", stride=2), ValueError, "Conv2d: padding 'same' needs a stride of"),
        (lambda: nn.Conv2d(3, 4, 3, padding_mode="mirror"), ValueError, "Conv2d: padding_mode to be one of zeros ..."),
        (lambda: nn.ConvTranspose1d(3, 4, 3, padding_mode="reflect"), ValueError, "ConvTranspose1d: got 'reflect'"),
        (lambda: nn.Conv3d(3, 4, (1, 2)), TypeError, "Conv3d: expected kernel_size to be an integer or three"),
        (lambda: nn.ConvTranspose2d(3, 4, 3, padding="same"), TypeError, "ConvTranspose2d: padding to be an integer"),
        (lambda: nn.Dropout(1.5), ValueError, "Dropout: expected a probability from 0 to 1; got p=1.5"),
        (lambda: nn.Hardtanh(1.0, 1.0), ValueError, "Hardtanh: expected min_val < max_val; got 1.0 and 1.0"),
        (lambda: nn.Unflatten(1.0, (2,)), TypeError, "Unflatten: expected dim to be an integer"),
        (
            lambda: nn.Unflatten(1, 2),
            TypeError,
            "Unflatten: expected unflattened_size to be a tuple of integers; got 2",
        ),
        (lambda: nn.Unflatten(1, (2, 2))(ft.ones(2, 3)), ValueError, "Unflatten: expected unflattened_size of 3"),
        (
            lambda: nn.MSELoss(reduction="avg"),
            ValueError,
            "MSELoss: expected reduction to be 'none', 'mean' or 'sum'; got 'avg'",
        ),
        (
            lambda: nn.CrossEntropyLoss([1.0]),
            TypeError,
            "CrossEntropyLoss: expected weight to be a Tensor or None; got list",
        ),
        (lambda: nn.BatchNorm3d(3)(ft.ones(2, 3)), ValueError, "BatchNorm3d: expected 5 dimensions ... (2, 3)"),
        (lambda: nn.LayerNorm(3)(ft.ones(2, 4)), ValueError, "layer_norm: expected input of shape (*, 3)"),
        (lambda: nn.GroupNorm(2, 4)(ft.ones(2, 6)), ValueError, "GroupNorm: expected input (N, 4, ...)"),
        (lambda: nn.GroupNorm(3, 4), ValueError, "GroupNorm: num_groups to divide num_channels"),
        (lambda: nn.LayerNorm("a"), TypeError, "LayerNorm: expected normalized_shape"),
        (lambda: nn.BatchNorm2d(3)(ft.ones(2, 3)), ValueError, "BatchNorm2d: expected 4 dimensions ... (2, 3)"),
        (lambda: nn.BatchNorm1d(2)(ft.ones(1, 3)), ValueError, "batch_norm: input of 2 channels ... got shape (1, 3)"),
        (lambda: nn.BatchNorm1d(3)(ft.ones(1, 3)), ValueError, "batch_norm: more than 1 value per channel ... (1, 3)"),
        (lambda: nn.BatchNorm1d(3)(ft.ones(3)), ValueError, "BatchNorm1d: expected 2 or 3 dimensions ... (3,)"),
    ],
)
def test_invalid_arguments_are_rejected(call, error, said):
    with raises(error, said):
        call()


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_sizes_may_be_numpy_integers(kind):
    one, two = kind(1), kind(2)
    image = ft.arange(32.0).reshape(1, 2, 4, 4)
    layer = nn.Conv2d(two, two, (two, two), stride=two, padding=one, dilation=one, groups=two)
    assert repr(layer) == repr(nn.Conv2d(2, 2, 2, stride=2, padding=1, groups=2))
    assert layer(image).shape == (1, 2, 3, 3)
    assert nn.ConvTranspose2d(two, one, two, two, output_padding=one)(image).shape == (1, 1, 9, 9)
    assert nn.MaxPool2d(two)(image).tolist() == nn.MaxPool2d(2)(image).tolist()
    assert nn.AvgPool2d(two, one)(image).tolist() == nn.AvgPool2d(2, 1)(image).tolist()


def test_wrong_channels_name_the_layer():
    net = nn.Sequential(nn.Sequential(nn.Conv2d(3, 4, 3)))
    with raises(ValueError, "conv2d") as caught:
        net(ft.ones(1, 2, 8, 8))
    assert caught.value.__notes__ == ["in Sequential.0.0 (Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1)))"]


X = ft.ones(2, 3)


LOSSES = [
    nn.BCELoss, nn.BCEWithLogitsLoss, nn.CrossEntropyLoss, nn.HuberLoss, nn.KLDivLoss, nn.L1Loss, nn.MSELoss,
    nn.NLLLoss, nn.SmoothL1Loss,
]  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_called_as_functions_are_rejected(loss):
    name = loss.__name__
    with raises(TypeError, name, "expected ... to be", f"as in {name}(", value="Tensor float32 (2, 3)"):
        loss(X, X)


@pytest.mark.parametrize(
    "layer",
    [nn.ReLU, nn.Sigmoid, nn.Tanh, nn.Softmax, nn.GELU, nn.Dropout, nn.Flatten, nn.MaxPool2d, nn.AvgPool2d, nn.ELU],
)
def test_layers_called_as_functions_are_rejected(layer):
    with raises(TypeError, layer.__name__, "make the module first and call it then"):
        layer(X)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: nn.Linear("a", 2), TypeError, "Linear: expected in_features to be an integer; got str 'a'"),
        (lambda: nn.Linear(2.0, 2), TypeError, "Linear: expected in_features to be an integer; got float 2.0"),
        (lambda: nn.Linear(2, 3, "cpu"), TypeError, "Linear: expected bias to be True or False; got str 'cpu'"),
        (lambda: nn.Linear(-1, 2), ValueError, "Linear: expected in_features of at least 0; got -1"),
        (lambda: nn.Linear(2, out_features=-3), ValueError, "Linear: expected out_features of at least 0; got -3"),
        (lambda: nn.BatchNorm2d(-1), ValueError, "BatchNorm2d: expected num_features of at least 0; got -1"),
        (lambda: nn.BatchNorm1d(3, eps="a"), TypeError, "BatchNorm1d: expected eps to be a number; got str 'a'"),
        (lambda: nn.Conv2d(1, -2, 3), ValueError, "Conv2d: expected out_channels of at least 0; got -2"),
        (lambda: nn.Conv2d(1, 2, -3), ValueError, "Conv2d: expected kernel_size of at least 0; got -3"),
        (lambda: nn.Conv2d(1, 2, 3, stride=0), ValueError, "Conv2d: expected stride of at least 1; got 0"),
        (lambda: nn.Conv2d(1, 2), TypeError, "^Conv2d: missing 1 required positional argument: 'kernel_size'"),
        (lambda: nn.BatchNorm1d(), TypeError, "^BatchNorm1d: missing 1 required positional argument: 'num_features'"),
        (lambda: nn.Dropout(None), TypeError, "Dropout: expected p to be a number; got NoneType None"),
        (lambda: nn.GELU(3), TypeError, "GELU: expected approximate to be a string; got int 3"),
        (lambda: nn.LeakyReLU("a"), TypeError, "LeakyReLU: expected negative_slope to be a number; got str 'a'"),
        (lambda: nn.Unflatten(1, (2, 3))(ft.ones(2, 5)), ValueError, "Unflatten: expected unflattened_size of 5"),
        (lambda: nn.Linear(1 << 70, 2), OverflowError, "Linear: shape "),
        (
            lambda: nn.Linear(1 << 40, 2),
            MemoryError,
            "out of memory: 8 TiB of host memory requested by Linear for float32",
        ),
        (lambda: nn.Conv2d(1, 2, 3, device="a"), RuntimeError, "Conv2d: device 'a'"),
        (lambda: nn.BatchNorm2d(3, dtype="a"), TypeError, "BatchNorm2d: unknown dtype 'a'"),
        (lambda: nn.Upsample(size="a"), TypeError, "Upsample: expected size to be an integer or several, or None; got"),
        (
            lambda: nn.Upsample(scale_factor=["a"]),
            TypeError,
            "Upsample: expected scale_factor to be a number or several",
        ),
        (lambda: nn.InstanceNorm2d(3, device="a"), RuntimeError, "InstanceNorm2d: device 'a'"),
        (lambda: nn.InstanceNorm1d(3, dtype=2.5), TypeError, "InstanceNorm1d: .*dtype"),
        (lambda: nn.LayerNorm(b"x"), TypeError, "LayerNorm: expected normalized_shape to be an integer or several"),
        (
            lambda: nn.TransformerEncoderLayer(4, 2, activation=2),
            TypeError,
            ".*activation to be a string or a function",
        ),
        (
            lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1, "a"),
            TypeError,
            ".*norm to be a Module or",
        ),
        (
            lambda: nn.Transformer(4, 2, custom_encoder=3),
            TypeError,
            "Transformer: expected custom_encoder to be a Module",
        ),
        (
            lambda: nn.TripletMarginWithDistanceLoss(distance_function="a"),
            TypeError,
            "TripletMarginWithDistanceLoss: expected distance_function to be a function or None; got str 'a'",
        ),
        (
            lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, "ab"),
            TypeError,
            "AdaptiveLogSoftmaxWithLoss: expected cutoffs to be a list of integers; got 'ab'",
        ),
        (lambda: nn.Flatten()("a"), TypeError, "Flatten: expected input to be a Tensor; got str 'a'"),
        (lambda: nn.Unflatten(1, (2, 2))(None), TypeError, "Unflatten: expected input to be a Tensor; got NoneType"),
        (lambda: nn.BatchNorm1d(2)([1]), TypeError, "BatchNorm1d: expected input to be a Tensor; got list"),
        (lambda: nn.ModuleDict("ab"), TypeError, "ModuleDict: expected a mapping, or pairs .* got str 'ab'"),
        (lambda: nn.ParameterDict([1, 2]), TypeError, "ParameterDict: expected a mapping, or pairs .* got list"),
        (lambda: nn.ModuleList(3), TypeError, "ModuleList: expected several values in a list; got int 3"),
        (lambda: nn.init.normal_("a"), TypeError, "normal_: expected tensor to be a Tensor; got str 'a'"),
        (lambda: nn.init.trunc_normal_(X, std="a"), TypeError, "trunc_normal_: expected std to be a number; got str"),
        (lambda: nn.init.constant_(X, X), TypeError, "constant_: expected val to be a number; got Tensor float32"),
        (lambda: nn.init.kaiming_uniform_(X, mode=None), TypeError, "kaiming_uniform_: expected mode to be a string"),
        (lambda: nn.utils.clip_grad_norm_([X], "a"), TypeError, "clip_grad_norm_: expected max_norm to be a number"),
        (lambda: nn.utils.clip_grad_norm_(["a"], 1), TypeError, "clip_grad_norm_: expected parameters to be tensors"),
        (lambda: nn.utils.clip_grad_norm_(nn.Linear(2, 2), 1), TypeError, r".*; pass model.parameters\(\)"),
        (lambda: nn.functional.softplus(X, "a"), TypeError, "softplus: expected beta to be a real number; got str 'a'"),
    ],
)
def test_wrong_arguments_are_named(call, error, said):
    with pytest.raises(error, match=f"^{said}"):
        call()


def test_other_numeric_types_are_accepted():
    import numpy as np

    assert nn.Linear(np.int64(2), np.int32(3), bias=np.bool_(False)).bias is None
    assert nn.Dropout(np.float32(0.5)).p == 0.5
    assert nn.Hardtanh(min_value=-2, max_value=3).max_val == 3
    assert nn.Unflatten(1, (2, -1))(ft.ones(2, 6)).shape == (2, 2, 3)
