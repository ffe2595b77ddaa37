"""3-d convolutions, and transposed ones in one and three dimensions, by definition; other dtypes."""

import numpy as np
import pytest
from elements import check_slopes
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
import facula_tensor.functional as F
from facula_errors.testing import raises

TRIPLES = st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(1, 2))


def drawn(*shape, grad=False, dtype=ft.float64):
    rng = np.random.default_rng(shape)
    return ft.tensor(rng.standard_normal(shape), dtype=dtype).requires_grad_(grad)


def expect(x, w, stride, padding, dilation, groups):
    """Convolve by definition, element by element, in as many dimensions as there are strides."""
    dims = len(stride)
    x = np.pad(x, ((0, 0), (0, 0), *[(length, length) for length in padding]))
    spans = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation)]
    out = [(n - span) // s + 1 for n, span, s in zip(x.shape[2:], spans, stride)]
    result = np.zeros((len(x), len(w), *out), x.dtype)
    for f, *at in np.ndindex(len(w), *out):
        first = f // (len(w) // groups) * w.shape[1]
        parts = [slice(i * s, i * s + span, d) for i, s, span, d in zip(at, stride, spans, dilation)]
        seen = x[(slice(None), slice(first, first + w.shape[1]), *parts)]
        result[(slice(None), f, *at)] = (seen * w[f]).sum(tuple(range(1, dims + 2)))
    return result


@given(
    stride=TRIPLES,
    padding=st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)),
    dilation=TRIPLES,
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(1, 3)),
    groups=st.integers(1, 2),
    volumes=st.integers(0, 3),
    dtype=st.sampled_from([ft.float32, ft.float64]),
)
def test_values(stride, padding, dilation, kernel, groups, volumes, dtype):
    x, w = drawn(volumes, 2 * groups, 5, 6, 5, dtype=dtype), drawn(3 * groups, 2, *kernel, dtype=dtype)
    bias = drawn(3 * groups, dtype=dtype)
    got = F.conv3d(x, w, bias, stride, padding, dilation, groups)
    wanted = expect(x.numpy().astype("f8"), w.numpy().astype("f8"), stride, padding, dilation, groups)
    wanted += bias.numpy()[:, None, None, None]
    assert got.dtype is dtype
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-4, atol=1e-4 if dtype is ft.float32 else 1e-11)


def test_many_blocks():
    """Large enough for several blocks per volume and several threads; derivatives are transposes of the value."""
    x, w = drawn(2, 8, 9, 24, 24, grad=True), drawn(16, 8, 3, 3, 3, grad=True)
    y = F.conv3d(x, w, padding=1, stride=(2, 1, 1))
    np.testing.assert_allclose(y[1].detach().numpy(), F.conv3d(x[1], w, padding=1, stride=(2, 1, 1)).detach().numpy())
    wanted = expect(x[:1].detach().numpy(), w[:1].detach().numpy(), (2, 1, 1), (1, 1, 1), (1, 1, 1), 1)
    np.testing.assert_allclose(y[:1, :1].detach().numpy(), wanted, rtol=1e-9, atol=1e-9)
    g = drawn(*y.shape)
    y.backward(g)
    whole = (g * y.detach()).sum().item()
    np.testing.assert_allclose([(x.grad * x).sum().item(), (w.grad * w).sum().item()], whole, rtol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"padding": 1},
        {"stride": (2, 1, 1), "dilation": (1, 2, 1), "padding": 2},
        {"groups": 2},
        {"padding": "same"},
    ],
    ids=str,
)
def test_gradients(options):
    groups = options.get("groups", 1)
    operands = drawn(2, 2, 3, 3, 4, grad=True), drawn(4, 2 // groups, 2, 2, 2, grad=True), drawn(4, grad=True)
    check_slopes(lambda x, w, b: F.conv3d(x, w, b, **options), operands)


TRANSPOSES = {1: (F.conv_transpose1d, F.conv1d), 3: (F.conv_transpose3d, F.conv3d)}


@pytest.mark.parametrize("dims", TRANSPOSES)
@pytest.mark.parametrize(
    "options", [{}, {"stride": 2, "output_padding": 1}, {"padding": 1, "dilation": 2, "groups": 2}], ids=str
)
def test_transposed(dims, options):
    transposed, forward = TRANSPOSES[dims]
    x, w = drawn(2, 2, *(3, 2, 2)[:dims], grad=True), drawn(2, 2, *(3, 2, 2)[:dims], grad=True)
    bias = drawn(2 * options.get("groups", 1), grad=True)
    check_slopes(lambda x, w, b: transposed(x, w, b, **options), (x, w, bias))
    # <conv(h), x> = <h, transposed(x)> for every h
    x, w = x.detach(), w.detach()
    got = transposed(x, w, None, **options)
    h = drawn(*got.shape)
    geometry = {name: value for name, value in options.items() if name != "output_padding"}
    np.testing.assert_allclose((forward(h, w, None, **geometry) * x).sum().item(), (h * got).sum().item(), rtol=1e-9)
    with_bias = transposed(x[1], w, bias.detach(), **options)
    wanted = got[1].numpy() + bias.detach().numpy().reshape(-1, *(1,) * dims)
    np.testing.assert_allclose(with_bias.numpy(), wanted)


@pytest.mark.parametrize("dtype", [ft.int8, ft.int64, ft.float16, ft.bfloat16], ids=str)
def test_other_dtypes(dtype):
    """Integers are exact; half precision is rounded once."""
    rng = np.random.default_rng(0)
    x, w, b = (rng.integers(-2, 3, shape) for shape in ((2, 2, 3, 4, 4), (2, 1, 2, 2, 2), (2,)))
    wanted = expect(x, w, (1, 1, 1), (1, 1, 1), (1, 1, 1), 2) + b[:, None, None, None]
    operands = [ft.tensor(operand).to(dtype) for operand in (x, w, b)]
    got = F.conv3d(*operands, padding=1, groups=2)
    assert got.dtype is dtype
    np.testing.assert_array_equal(got.double().numpy(), wanted)
    images = F.conv2d(operands[0][:, :, 0], operands[1][:, :, 0], groups=2)
    assert images.dtype is dtype and F.conv1d(operands[0][:, :, 0, 0], operands[1][:, :, 0, 0], groups=2).dtype is dtype
    enlarged = F.conv_transpose1d(operands[0][:, :, 0, 0], operands[1][:, :, 0, 0], operands[2], groups=2)
    assert enlarged.dtype is dtype


def test_half_precision_gradients():
    x = ft.ones(1, 1, 2, 2, 2, dtype=ft.bfloat16, requires_grad=True)
    F.conv3d(x, ft.full((1, 1, 1, 1, 1), 3.0, dtype=ft.bfloat16)).sum().backward()
    assert x.grad.dtype is ft.bfloat16 and x.grad.unique().tolist() == [3]


BAD = {
    "kernel": (lambda x, w: F.conv3d(x, ft.ones(1, 1, 5, 2, 2)), "conv3d: kernel (5, 2, 2) ... padded input (3, 3, 3)"),
    "channels": (lambda x, w: F.conv3d(x, ft.ones(1, 2, 1, 1, 1)), "conv3d: expected input with 2 channels ... got 1"),
    "dims": (lambda x, w: F.conv3d(x[0, 0], w), "conv3d: (volumes, channels, depth, height, width)"),
    "weight": (lambda x, w: F.conv3d(x, w[0]), "conv3d: weight of shape (filters, channels / groups, depth, height"),
    "output": (lambda x, w: F.conv_transpose3d(x, w, output_padding=1), "conv_transpose3d: output_padding smaller"),
    "sequence": (lambda x, w: F.conv_transpose1d(x, w[0, 0]), "conv_transpose1d: (sequences, channels, length)"),
    "nothing left": (lambda x, w: F.conv_transpose3d(x, w, padding=(1, 2, 1)), "conv_transpose3d: make padding"),
}


@pytest.mark.parametrize("case", BAD)
def test_impossible_geometry(case):
    call, message = BAD[case]
    with raises(ValueError, message):
        call(ft.ones(1, 1, 3, 3, 3), ft.ones(1, 1, 1, 1, 1))


def test_numbers_of_other_types():
    x, w = ft.ones(1, 1, 3, 3, 3), ft.ones(1, 1, 1, 1, 1)
    with raises(TypeError, "conv3d", "expected stride to be an int or three", value=(1, 2)):
        F.conv3d(x, w, stride=(1, 2))
    with raises(TypeError, "conv3d", "expected all in one dtype", value="float32, float64"):
        F.conv3d(x, w.double())
    assert F.conv3d(x.to("meta"), w.to("meta"), stride=2).shape == (1, 1, 2, 2, 2)
