"""Pooling layers: how they are shown, their shapes, and where the largest were."""

import pytest

import facula_nn as nn
import facula_tensor as ft


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: nn.MaxPool2d(2), "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
        (lambda: nn.AvgPool2d((2, 3), padding=1), "AvgPool2d(kernel_size=(2, 3), stride=(2, 3), padding=1)"),
        (lambda: nn.AdaptiveAvgPool2d((1, None)), "AdaptiveAvgPool2d(output_size=(1, None))"),
        (lambda: nn.MaxPool1d(2, 1), "MaxPool1d(kernel_size=2, stride=1, padding=0, dilation=1, ceil_mode=False)"),
        (lambda: nn.AvgPool3d(2), "AvgPool3d(kernel_size=2, stride=2, padding=0)"),
        (lambda: nn.AdaptiveMaxPool3d(4), "AdaptiveMaxPool3d(output_size=4)"),
    ],
)
def test_repr(make, shown):
    assert repr(make()) == shown


@pytest.mark.parametrize(
    ("layer", "given", "made"),
    [
        (lambda: nn.MaxPool2d(2, stride=1), (2, 3, 4, 5), (2, 3, 3, 4)),
        (lambda: nn.MaxPool2d(2, ceil_mode=True), (3, 5, 5), (3, 3, 3)),
        (lambda: nn.AvgPool2d((2, 1), padding=(1, 0)), (1, 1, 4, 4), (1, 1, 3, 4)),
        (lambda: nn.AdaptiveAvgPool2d((None, 2)), (1, 2, 5, 6), (1, 2, 5, 2)),
        (lambda: nn.MaxPool1d(3, 2, ceil_mode=True), (2, 3, 6), (2, 3, 3)),
        (lambda: nn.MaxPool3d((1, 2, 3), 2), (2, 3, 6, 5, 4), (2, 3, 3, 2, 1)),
        (lambda: nn.AvgPool1d(3, padding=1), (3, 6), (3, 2)),
        (lambda: nn.AvgPool3d(2, count_include_pad=False, padding=1), (1, 2, 2, 4, 4), (1, 2, 2, 3, 3)),
        (lambda: nn.AdaptiveAvgPool1d(4), (2, 3, 6), (2, 3, 4)),
        (lambda: nn.AdaptiveAvgPool3d((None, 2, 1)), (3, 3, 4, 5), (3, 3, 2, 1)),
        (lambda: nn.AdaptiveMaxPool1d(4), (2, 3, 6), (2, 3, 4)),
        (lambda: nn.AdaptiveMaxPool2d((None, 2)), (2, 3, 6, 7), (2, 3, 6, 2)),
        (lambda: nn.AdaptiveMaxPool3d(2), (2, 3, 6, 7, 8), (2, 3, 2, 2, 2)),
    ],
)
def test_shapes(layer, given, made):
    assert tuple(layer()(ft.rand(*given)).shape) == made


@pytest.mark.parametrize(
    "make", [lambda: nn.MaxPool1d(2, return_indices=True), lambda: nn.AdaptiveMaxPool1d(2, return_indices=True)]
)
def test_where_the_largest_were(make):
    values, indices = make()(ft.tensor([[1.0, 3.0, 2.0, 0.0]]))
    assert values.tolist() == [[3, 2]] and indices.tolist() == [[1, 2]]


def test_max_pooling_with_indices():
    values, indices = nn.MaxPool2d(2, return_indices=True)(ft.arange(16.0).reshape(1, 4, 4))
    assert indices.reshape(-1).tolist() == [5, 7, 13, 15] == values.reshape(-1).tolist()
