"""1-d convolution against the definition; gradients; errors."""

import numpy as np
import pytest
from elements import check_slopes

import facula_tensor as ft
import facula_tensor.functional as F
from facula_errors.testing import raises


def definition(x, w, bias, stride, padding, dilation, groups):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding)))
    span, share = dilation * (w.shape[2] - 1) + 1, x.shape[1] // groups
    out = np.zeros((len(x), len(w), (x.shape[2] - span) // stride + 1))
    for f in range(len(w)):
        first = f // (len(w) // groups) * share
        for i in range(out.shape[2]):
            window = x[:, first : first + share, i * stride : i * stride + span : dilation]
            out[:, f, i] = (window * w[f]).sum((1, 2)) + bias[f]
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("given", [(1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1), (3, 0, 2, 2)], ids=str)
def test_values(given, dtype):
    rng = np.random.default_rng(0)
    x, bias = rng.standard_normal((3, 4, 11)), rng.standard_normal(6)
    w = rng.standard_normal((6, 4 // given[3], 3))
    wanted = definition(x, w, bias, *given)
    sequences, weight, shift = (ft.tensor(operand.astype(dtype)) for operand in (x, w, bias))
    for layout in (sequences, ft.tensor(x.transpose(2, 0, 1).astype(dtype)).permute(1, 2, 0)):
        got = F.conv1d(layout, weight, shift, *given)
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-4, atol=1e-5)
    alone = F.conv1d(sequences[0], weight, shift, *[(number,) for number in given[:3]], given[3])
    np.testing.assert_allclose(alone.numpy(), wanted[0], rtol=1e-4, atol=1e-5)


def test_padding_by_name():
    x, w = ft.ones(1, 1, 5), ft.ones(1, 1, 3)
    assert F.conv1d(x, w, padding="same").tolist() == [[[2, 3, 3, 3, 2]]]
    assert F.conv1d(x, w, padding="valid").tolist() == [[[3, 3, 3]]]


def test_gradients():
    rng = np.random.default_rng(1)
    shapes = ((2, 2, 6), (4, 1, 3), (4,))
    operands = [ft.tensor(rng.standard_normal(shape), requires_grad=True) for shape in shapes]

    def call(x, w, b):
        return F.conv1d(x, w, b, 2, 1, 1, 2)

    check_slopes(call, operands)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x, w: F.conv1d(x[0, 0], w), "expected input"),
        (lambda x, w: F.conv1d(x, w[0]), "expected weight"),
        (lambda x, w: F.conv1d(x, w, groups=2), "expected input with 4 channels"),
        (lambda x, w: F.conv1d(x, w, ft.ones(2)), "expected bias of shape"),
        (lambda x, w: F.conv1d(x, w, stride=0), "expected stride of at least 1"),
        (lambda x, w: F.conv1d(x, w, padding="all"), "'same' or 'valid'"),
        (lambda x, w: F.conv1d(x, w, stride=2, padding="same"), "needs stride 1"),
        (lambda x, w: F.conv1d(x, w, dilation=9), "does not fit"),
    ],
)
def test_errors(call, text):
    with raises(ValueError, "conv1d", text):
        call(ft.ones(1, 2, 5), ft.ones(3, 2, 3))


def test_numbers_of_other_types():
    with raises(TypeError, "conv1d", "expected padding to be an int", value=(1, 1)):
        F.conv1d(ft.ones(1, 2, 5), ft.ones(3, 2, 3), padding=(1, 1))
