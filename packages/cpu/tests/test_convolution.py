"""conv2d and its derivatives against sums written out in NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, compute, layout

from facula_cpu import get_num_threads, set_num_threads
from facula_cpu._layers import convolution as _convolution
from facula_errors.testing import raises

lengths = st.integers(1, 4)
pairs = st.tuples(lengths, lengths)
steps = st.one_of(lengths, lengths, st.integers(5, 40))  # large enough that some bands are packed


def padded(x, padding, size):
    """Pad x with zeros: `padding` above and on the left, and below and on the right as `size` requires."""
    after = [max(0, want - have - before) for want, have, before in zip(size, x.shape[2:], padding)]
    return np.pad(x, ((0, 0), (0, 0), (padding[0], after[0]), (padding[1], after[1])))


def places(x, weight_shape, out, stride, padding, dilation):
    """Yield each weight's row and column with the view, of shape out, of the padded elements that it multiplies."""
    span = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(out, stride, weight_shape[2:], dilation)]
    wide = padded(x, padding, span)
    for y in range(weight_shape[2]):
        for z in range(weight_shape[3]):
            top, left = y * dilation[0], z * dilation[1]
            yield y, z, wide[:, :, top : top + (out[0] - 1) * stride[0] + 1 : stride[0],
                             left : left + (out[1] - 1) * stride[1] + 1 : stride[1]]  # fmt: skip


def expect(x, w, out, stride, padding, dilation, groups):
    """Return the convolution, computed by definition."""
    filters, channels = w.shape[0] // groups, w.shape[1]
    result = np.zeros((x.shape[0], w.shape[0], *out), x.dtype)
    for y, z, seen in places(x, w.shape, out, stride, padding, dilation):
        for g in range(groups):
            rows = slice(g * filters, (g + 1) * filters)
            part = seen[:, g * channels : (g + 1) * channels]
            result[:, rows] += np.einsum("fc,nchw->nfhw", w[rows, :, y, z], part)
    return result


@st.composite
def convolutions(draw):
    """Shapes and parameters that fit each other."""
    groups, kernel = draw(st.integers(1, 3)), draw(pairs)
    stride, dilation = draw(st.tuples(steps, steps)), draw(st.tuples(steps, steps))
    padding = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
    size = [draw(st.integers(max(1, span - 2 * p), span + 9)) for span, p in zip(spans, padding)]
    out = tuple((n + 2 * p - span) // s + 1 for n, p, span, s in zip(size, padding, spans, stride))
    x = (draw(st.integers(0, 5)), groups * draw(lengths), *size)
    w = (groups * draw(lengths), x[1] // groups, *kernel)
    return x, w, out, (stride, padding, dilation, groups)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@given(convolution=convolutions(), block=st.sampled_from([64, 512, 1 << 18]), data=st.data())
def test_convolution_and_its_derivatives(convolution, dtype, block, data):
    """Check also with blocks so small that images are split; the derivatives are transposes of the linear maps."""
    x_shape, w_shape, out, parameters = convolution
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x, w, bias = (rng.standard_normal(shape).astype(dtype) for shape in (x_shape, w_shape, w_shape[:1]))
    g = rng.standard_normal((x_shape[0], w_shape[0], *out)).astype(dtype)
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype == "f4" else {"rtol": 1e-11, "atol": 1e-11}
    before, _convolution.PATCHES = _convolution.PATCHES, block
    try:
        result = compute("conv2d", [x, w, bias], (np.empty_like(g),), (*parameters, out))
        dx = compute("conv2d_input", [g, w], (np.empty_like(x),), (*parameters, x_shape[2:]))
        dw = compute("conv2d_weight", [g, x], (np.empty_like(w),), (*parameters, w_shape[2:]))
    finally:
        _convolution.PATCHES = before
    x, w, bias, g = (one.astype("f8") for one in (x, w, bias, g))
    np.testing.assert_allclose(result, expect(x, w, out, *parameters) + bias[:, None, None], **close)
    # <g, conv(h, w)> = <dx, h> and <g, conv(x, h)> = <dw, h> for every h.
    h = rng.standard_normal(x_shape)
    np.testing.assert_allclose((dx * h).sum(), (g * expect(h, w, out, *parameters)).sum(), rtol=1e-3, atol=1e-3)
    h = rng.standard_normal(w_shape)
    np.testing.assert_allclose((dw * h).sum(), (g * expect(x, h, out, *parameters)).sum(), rtol=1e-3, atol=1e-3)


def test_derivatives_element_by_element():
    rng = np.random.default_rng(0)
    parameters, out = ((2, 1), (1, 0), (1, 2), 2), (3, 4)
    x, w, g = (rng.standard_normal(shape) for shape in ((3, 4, 5, 6), (6, 2, 3, 2), (3, 6, *out)))
    dx = compute("conv2d_input", [g, w], (np.empty_like(x),), (*parameters, x.shape[2:]))
    dw = compute("conv2d_weight", [g, x], (np.empty_like(w),), (*parameters, w.shape[2:]))
    for array, made, vary in (
        (x, dx, lambda h: expect(h, w, out, *parameters)),
        (w, dw, lambda h: expect(x, h, out, *parameters)),
    ):
        for at in np.ndindex(array.shape):
            unit = np.zeros_like(array)
            unit[at] = 1
            assert abs(made[at] - (g * vary(unit)).sum()) < 1e-12


@pytest.mark.parametrize(
    ("kernel", "stride", "dilation"), [(3, 1000, 999), (3, 10**5, 1), (2, 1, 10**5), (1, 10**5, 7)]
)
def test_strides_much_larger_than_the_images(kernel, stride, dilation):
    """Check that the workspace depends on the elements that weights multiply, not on padding between them."""
    rng, padding, length = np.random.default_rng(0), max(stride, (kernel - 1) * dilation), 4
    out = min(5, (length + 2 * padding - (kernel - 1) * dilation - 1) // stride + 1)  # with stride 1, the first few
    parameters = ((stride, 1), (padding, 0), (dilation, 1), 1)
    x, w = rng.standard_normal((2, 3, length, length)), rng.standard_normal((4, 3, kernel, 1))
    g = rng.standard_normal((2, 4, out, length))
    result, dx, dw = np.zeros_like(g), np.zeros_like(x), np.zeros_like(w)
    for o in range(out):
        for y in range(kernel):
            row = o * stride + y * dilation - padding
            if 0 <= row < length:
                result[:, :, o] += np.einsum("fc,ncw->nfw", w[:, :, y, 0], x[:, :, row])
                dx[:, :, row] += np.einsum("fc,nfw->ncw", w[:, :, y, 0], g[:, :, o])
                dw[:, :, y, 0] += np.einsum("nfw,ncw->fc", g[:, :, o], x[:, :, row])
    for turn in (lambda a: a, lambda a: np.ascontiguousarray(a.swapaxes(2, 3))):  # along rows, then along columns
        a, b, c = turn(x), turn(w), turn(g)
        operators = ("conv2d", [a, b, np.zeros(4)], result), ("conv2d_input", [c, b], dx), ("conv2d_weight", [c, a], dw)
        for name, inputs, wanted in operators:
            wanted = turn(wanted)
            made, said = np.empty_like(wanted), (*parameters, wanted.shape[2:])
            assert BACKEND.plan(name, tuple(map(layout, inputs)), (layout(made),), said).workspace < 1 << 16
            np.testing.assert_allclose(compute(name, inputs, (made,), said), wanted, rtol=1e-12, atol=1e-12)
        parameters = (*(pair[::-1] for pair in parameters[:3]), 1)


def test_thread_counts_give_the_same_bits():
    rng = np.random.default_rng(0)
    x, w, bias = (rng.standard_normal(shape).astype("f4") for shape in ((9, 8, 40, 40), (16, 8, 3, 3), (16,)))
    g = rng.standard_normal((9, 16, 40, 40)).astype("f4")
    parameters = ((1, 1), (1, 1), (1, 1), 1)
    before, seen = get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            set_num_threads(threads)
            seen.append(
                [
                    compute("conv2d", [x, w, bias], (np.empty_like(g),), (*parameters, (40, 40))).tobytes(),
                    compute("conv2d_input", [g, w], (np.empty_like(x),), (*parameters, (40, 40))).tobytes(),
                    compute("conv2d_weight", [g, x], (np.empty_like(w),), (*parameters, (3, 3))).tobytes(),
                ]
            )
    finally:
        set_num_threads(before)
    assert seen[0] == seen[1] == seen[2]


def test_each_level_is_correct(level):
    rng = np.random.default_rng(0)
    x, w, bias = (rng.standard_normal(shape).astype("f4") for shape in ((2, 3, 9, 8), (5, 3, 3, 3), (5,)))
    parameters = ((1, 1), (1, 1), (1, 1), 1)
    got = compute("conv2d", [x, w, bias], (np.empty((2, 5, 9, 8), "f4"),), (*parameters, (9, 8)))
    np.testing.assert_allclose(got, expect(x, w, (9, 8), *parameters) + bias[:, None, None], rtol=1e-5, atol=1e-5)


def test_dtypes_without_a_kernel_are_refused():
    x, w = np.ones((1, 1, 2, 2), "f2"), np.ones((1, 1, 1, 1), "f2")
    with raises(NotImplementedError, "conv2d", "the CPU has no kernel for (float16, float16)"):
        compute("conv2d", [x, w], (np.empty_like(x),), ((1, 1), (0, 0), (1, 1), 1, (2, 2)))
