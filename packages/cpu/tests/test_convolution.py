"""conv2d and its derivatives against sums written out in NumPy."""

import numpy as np
import pytest
from convolution_reference import check_all, run_all
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, compute, layout

from facula_cpu import get_num_threads
from facula_cpu._layers import convolution as _convolution
from facula_errors.testing import raises

lengths = st.integers(1, 4)
pairs = st.tuples(lengths, lengths)
steps = st.one_of(lengths, lengths, st.integers(5, 40))  # large enough that some bands are packed


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
@given(convolution=convolutions(), block=st.sampled_from([64, 512, 1 << 18]), seed=st.integers(0, 2**32))
def test_convolution_and_its_derivatives(convolution, dtype, block, seed):
    """Check also with blocks so small that images are split."""
    x_shape, w_shape, out, parameters = convolution
    before, _convolution.PATCHES = _convolution.PATCHES, block
    try:
        check_all(x_shape, w_shape, out, parameters, dtype, seed)
    finally:
        _convolution.PATCHES = before


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


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_each_level_is_correct(dtype, level):
    parameters = (1, 1), (1, 1), (1, 1), 1
    check_all((9, 8, 40, 40), (16, 8, 3, 3), (40, 40), parameters, dtype)
    check_all((2, 3, 9, 8), (5, 3, 3, 3), (9, 8), parameters, dtype)


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("images", "channels", "filters", "size", "groups"),
    [(3, 40, 20, (7, 7), 1), (2, 9, 33, (1, 1), 1), (1, 70, 180, (23, 20), 1), (5, 12, 6, (14, 9), 3),
     (2, 4, 4, (5, 5), 4), (0, 3, 4, (3, 3), 1), (2, 130, 6, (1, 700), 2)],
)  # fmt: skip
def test_kernels_of_one_pixel(images, channels, filters, size, groups, dtype, biased, level):
    shapes = (images, channels, *size), (filters, channels // groups, 1, 1)
    check_all(*shapes, size, ((1, 1), (0, 0), (1, 1), groups), dtype, biased=biased)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("out", [(13, 8), (14, 11), (13, 11)])
def test_kernels_of_one_pixel_that_do_not_read_the_last_pixels(out, groups):
    """Check images of a transposed convolution with output padding, whose last rows or columns have no results."""
    check_all((2, 6, 14, 12), (8, 6 // groups, 1, 1), out, ((1, 1), (0, 0), (2, 2), groups), "f4")


@pytest.mark.parametrize(
    "shapes", [((2, 0, 6, 6), (4, 0, 3, 3)), ((2, 4, 0, 5), (4, 1, 3, 3)), ((0, 1, 0, 1), (1, 1, 3, 3))]
)
def test_images_without_channels_or_rows(shapes):
    out = shapes[0][2] + 4, shapes[0][3] + 4
    check_all(*shapes, out, ((1, 1), (3, 3), (1, 1), shapes[0][1] // (shapes[1][1] or 1) or 1), "f4")


@pytest.mark.parametrize(
    ("images", "channels", "filters", "size", "kernel", "stride"),
    [(3, 40, 170, 9, 3, 1), (2, 3, 64, 33, 7, 2), (1, 5, 6, 64, 5, 1), (9, 36, 20, 5, 3, 1), (1, 2, 3, 350, 3, 1)],
)
def test_blocks_and_parts(images, channels, filters, size, kernel, stride, level):
    """Check several parts of many channels, several kernel rows of one channel, and long lines of pixels."""
    padding = kernel // 2
    out = (size + 2 * padding - kernel) // stride + 1
    parameters = (stride, stride), (padding, padding), (1, 1), 1
    check_all((images, channels, size, size), (filters, channels, kernel, kernel), (out, out), parameters, "f4")


def test_an_image_has_the_same_bits_in_any_batch():
    rng = np.random.default_rng(0)
    for channels, size, kernel in ((90, 7, 3), (300, 5, 1), (40, 12, 1)):
        shapes = (6, channels, size, size), (20, channels, kernel, kernel)
        x, w = (rng.standard_normal(shape).astype("f4") for shape in shapes)
        g, bias = rng.standard_normal((6, 20, size, size)).astype("f4"), np.ones(20, "f4")
        parameters = (1, 1), (kernel // 2, kernel // 2), (1, 1), 1
        y, dx, _ = run_all(x, w, bias, g, parameters, "direct")
        for k in range(6):
            one, d_one, _ = run_all(x[k : k + 1].copy(), w, bias, g[k : k + 1].copy(), parameters, "direct")
            assert one.tobytes() == y[k].tobytes() and d_one.tobytes() == dx[k].tobytes()


def test_weight_gradients_have_no_private_sums():
    """Check that the workspace is smaller than the gradient, which one of several tasks used to hold in full."""
    g, x, w = np.empty((8, 512, 7, 7), "f4"), np.empty((8, 512, 7, 7), "f4"), np.empty((512, 512, 3, 3), "f4")
    parameters = (1, 1), (1, 1), (1, 1), 1, (3, 3), "direct"
    plan = BACKEND.plan("conv2d_weight", (layout(g), layout(x)), (layout(w),), parameters)
    assert plan.workspace <= 1.5e6 * get_num_threads() < w.nbytes


def test_dtypes_without_a_kernel_are_refused():
    x, w = np.ones((1, 1, 2, 2), "f2"), np.ones((1, 1, 1, 1), "f2")
    with raises(NotImplementedError, "conv2d", "the CPU has no kernel for (float16, float16)"):
        compute("conv2d", [x, w], (np.empty_like(x),), ((1, 1), (0, 0), (1, 1), 1, (2, 2)))
