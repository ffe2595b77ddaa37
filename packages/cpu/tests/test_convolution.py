"""conv2d and its derivatives against sums written out in NumPy."""

import numpy as np
import pytest
from convolution_reference import check_all, run_all
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, compute, layout

from facula_cpu import get_num_threads
from facula_cpu._layers import convolution as _convolution
from facula_cpu._layers import shallow as _shallow
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
@given(
    convolution=convolutions(),
    block=st.sampled_from([64, 512, 1 << 18]),
    channels=st.sampled_from([0, 32]),
    seed=st.integers(0, 2**32),
)
def test_convolution_and_its_derivatives(convolution, dtype, block, channels, seed):
    """Check also with blocks so small that images are split, and with and without kernels for few channels."""
    x_shape, w_shape, out, parameters = convolution
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_convolution, "PATCHES", block)
        for name, value in (
            ("BAND", max(block, 4096)),
            ("MAX_CHANNELS", channels),
            ("LEAST_USED", 0),
            ("LEAST_USED_FOR_WEIGHTS", 0),
        ):
            patch.setattr(_shallow, name, value)
        check_all(x_shape, w_shape, out, parameters, dtype, seed)


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


# Images, channels and filters of a group, groups, size, kernel, stride, dilation, padding.
SHALLOW = {
    "one channel": (3, 1, 17, 1, (28, 28), (3, 5), (1, 1), (1, 1), (1, 1)),
    "one filter": (2, 7, 1, 1, (9, 33), (3, 3), (1, 1), (1, 1), (1, 1)),
    "joined lines": (5, 3, 30, 1, (7, 7), (3, 3), (1, 1), (1, 1), (1, 1)),
    "without padding": (9, 6, 16, 1, (14, 14), (5, 5), (1, 1), (1, 1), (0, 0)),
    "large padding": (2, 2, 5, 1, (11, 10), (2, 3), (1, 1), (1, 1), (3, 19)),
    "strides": (4, 3, 13, 1, (33, 64), (7, 7), (2, 2), (1, 1), (3, 3)),
    "a stride of columns": (2, 5, 4, 2, (12, 50), (3, 4), (1, 2), (2, 3), (0, 1)),
    "a stride of single weights": (2, 5, 9, 1, (31, 32), (1, 1), (2, 2), (1, 1), (0, 0)),
    "single weights": (3, 5, 7, 2, (13, 30), (1, 1), (1, 1), (1, 1), (0, 0)),
    "sequences": (6, 4, 16, 1, (1, 1000), (1, 9), (1, 1), (1, 1), (0, 4)),
    "groups": (3, 4, 4, 5, (14, 15), (3, 3), (1, 1), (1, 1), (1, 1)),
    "many taps": (2, 9, 17, 1, (32, 30), (7, 7), (1, 1), (1, 1), (3, 3)),
    "large images": (2, 3, 8, 1, (150, 160), (3, 3), (1, 1), (1, 1), (1, 1)),
}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("case", SHALLOW)
def test_few_channels(case, dtype, level):
    images, channels, filters, groups, size, kernel, stride, dilation, padding = SHALLOW[case]
    terms = zip(size, kernel, stride, dilation, padding)
    out = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, d, p in terms)
    shapes = (images, groups * channels, *size), (groups * filters, channels, *kernel)
    check_all(*shapes, out, (stride, padding, dilation, groups), dtype)


def test_infinity_and_nan_reach_results_of_few_channels_that_depend_on_them():
    """Check elements at the ends of lines, which the last vectors of other lines contain as well."""
    rng, parameters = np.random.default_rng(0), ((1, 1), (1, 1), (1, 1), 1)
    x, w, g = (rng.standard_normal(shape).astype("f4") for shape in ((2, 3, 28, 28), (5, 3, 3, 3), (2, 5, 28, 28)))
    for place in ((4, 27), (4, 0), (27, 27)):
        images, gradient = x.copy(), g.copy()
        images[0, 1, place[0], place[1]] = np.nan
        made = run_all(images, w, None, g, parameters)
        near = np.zeros((28, 28), bool)
        near[max(0, place[0] - 1) : place[0] + 2, max(0, place[1] - 1) : place[1] + 2] = True
        assert (np.isnan(made[0][0]) == near).all() and np.isfinite(made[0][1]).all()
        used = np.zeros((5, 3, 3, 3), bool)  # weights that multiply the element
        used[:, 1] = [[0 <= place[0] + 1 - y < 28 and 0 <= place[1] + 1 - z < 28 for z in range(3)] for y in range(3)]
        assert (np.isnan(made[2]) == used).all()
        gradient[0, 1, place[0], place[1]] = np.inf
        made = run_all(x, w, None, gradient, parameters)
        assert (np.isfinite(made[1][0]) == ~near).all() and np.isfinite(made[1][1]).all()


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
    for channels, size, kernel in ((90, 7, 3), (300, 5, 1), (40, 12, 1), (5, 7, 3), (3, 200, 3)):
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
