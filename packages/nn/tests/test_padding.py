"""Layers that pad, resize and rearrange: reprs, results, and invalid arguments."""

import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises

LAYERS = [
    (lambda: nn.ZeroPad2d(2), "ZeroPad2d((2, 2, 2, 2))", (1, 2, 3, 4), (1, 2, 7, 8)),
    (lambda: nn.ZeroPad1d((1, 0)), "ZeroPad1d((1, 0))", (2, 3), (2, 4)),
    (lambda: nn.ConstantPad1d((1, 2), 3.5), "ConstantPad1d(padding=(1, 2), value=3.5)", (1, 2, 3), (1, 2, 6)),
    (lambda: nn.ConstantPad3d(1, 3.5), None, (1, 1, 2, 2, 2), (1, 1, 4, 4, 4)),
    (lambda: nn.ReflectionPad2d((1, 2, 0, 1)), "ReflectionPad2d((1, 2, 0, 1))", (2, 3, 4), (2, 4, 7)),
    (lambda: nn.ReplicationPad3d(1), "ReplicationPad3d((1, 1, 1, 1, 1, 1))", (1, 1, 2, 2, 2), (1, 1, 4, 4, 4)),
    (lambda: nn.CircularPad2d(1), "CircularPad2d((1, 1, 1, 1))", (1, 2, 3, 4), (1, 2, 5, 6)),
    (lambda: nn.Upsample(scale_factor=2), "Upsample(scale_factor=2.0, mode='nearest')", (1, 2, 3), (1, 2, 6)),
    (lambda: nn.Upsample((3, 4), mode="bicubic"), "Upsample(size=(3, 4), mode='bicubic')", (1, 2, 3, 3), (1, 2, 3, 4)),
    (
        lambda: nn.UpsamplingBilinear2d(scale_factor=2),
        "UpsamplingBilinear2d(scale_factor=2.0, mode='bilinear')",
        (1, 2, 3, 3),
        (1, 2, 6, 6),
    ),
    (lambda: nn.PixelShuffle(2), "PixelShuffle(upscale_factor=2)", (1, 8, 3, 3), (1, 2, 6, 6)),
    (lambda: nn.PixelUnshuffle(3), "PixelUnshuffle(downscale_factor=3)", (1, 2, 6, 3), (1, 18, 2, 1)),
    (lambda: nn.ChannelShuffle(2), "ChannelShuffle(groups=2)", (1, 4, 2), (1, 4, 2)),
    (lambda: nn.Unfold(3), "Unfold(kernel_size=3, dilation=1, padding=0, stride=1)", (1, 2, 4, 5), (1, 18, 6)),
    (lambda: nn.Fold((4, 5), 3, padding=1), None, (1, 18, 20), (1, 2, 4, 5)),
    (lambda: nn.UpsamplingNearest2d(2), "UpsamplingNearest2d(size=2, mode='nearest')", (1, 2, 3, 3), (1, 2, 2, 2)),
]


@pytest.mark.parametrize(("make", "shown", "given", "made"), LAYERS)
def test_layers(make, shown, given, made):
    layer = make()
    assert shown is None or repr(layer) == shown
    x = ft.randn(*given, requires_grad=True)
    y = layer(x)
    assert tuple(y.shape) == made
    y.sum().backward()
    assert x.grad.shape == x.shape


@pytest.mark.parametrize("padding", [(1,), (1, 2, 3), "12", 1.5, True])
def test_invalid_paddings_are_rejected(padding):
    with raises(TypeError, "ReflectionPad1d", "expected padding to be an integer or 2 of them"):
        nn.ReflectionPad1d(padding)


def test_distances_between_vectors():
    x, y = ft.tensor([[3.0, 4.0]]), ft.tensor([[3.0, 0.0]])
    assert nn.CosineSimilarity()(x, y).item() == pytest.approx(0.6)
    assert nn.PairwiseDistance(eps=0.0, keepdim=True)(x, y).tolist() == [[4.0]]
    assert repr(nn.PairwiseDistance()) == "PairwiseDistance()"
