"""Convolutions with one channel in each group against sums written out in NumPy."""

import numpy as np
import pytest
from convolution_reference import check_all, run_all
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, layout

from facula_cpu._layers import depthwise

small = st.integers(1, 3)


def out_of(size, kernel, stride, padding, dilation):
    """Return the output's shape."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)
    )


@st.composite
def cases(draw):
    """Images, channels, filters of each, image sizes, kernels, strides, paddings, dilations."""
    kernel = draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    stride, dilation = (draw(st.tuples(one, one)) for one in (st.integers(1, 2), small))
    padding = draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
    size = tuple(draw(st.integers(max(1, span - 2 * p), span + 40)) for span, p in zip(spans, padding))
    return draw(small), draw(small), draw(st.integers(1, 6)), size, kernel, stride, padding, dilation


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@given(case=cases(), vector=st.sampled_from([64, 1000]), seed=st.integers(0, 2**32))
def test_depthwise_convolutions(case, dtype, vector, seed):
    """Check also with the buffer almost used up, so that planes consist of several blocks of rows and columns."""
    images, channels, filters, size, kernel, stride, padding, dilation = case
    before, depthwise.VECTOR = depthwise.VECTOR, vector
    try:
        shapes = (images, channels, *size), (channels * filters, 1, *kernel)
        out = out_of(size, kernel, stride, padding, dilation)
        check_all(*shapes, out, (stride, padding, dilation, channels), dtype, seed)
    finally:
        depthwise.VECTOR = before


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize(
    ("images", "channels", "size", "kernel"),
    [(3, 40, 7, 3), (2, 20, 14, 3), (5, 3, 28, 5), (2, 3, 56, 3), (1, 2, 113, 3), (1, 1, 300, 7), (17, 33, 4, 2)],
)
def test_sizes_of_networks_at_each_level(images, channels, size, kernel, stride, dtype, level):
    pairs = (stride, stride), (kernel // 2, kernel // 2), (1, 1)
    out = out_of((size, size), (kernel, kernel), *pairs)
    check_all((images, channels, size, size), (channels, 1, kernel, kernel), out, (*pairs, channels), dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("size", "kernel"), [(28, 3), (7, 5), (130, 3)])
def test_many_filters_of_a_channel(size, kernel, dtype, level):
    pairs = (1, 1), (kernel // 2, kernel // 2), (1, 1)
    check_all((3, 2, size, size), (22, 1, kernel, kernel), (size, size), (*pairs, 2), dtype)


@pytest.mark.parametrize("columns", [33, 5000])
def test_long_lines(columns, level):
    parameters = (1, 2), (0, 3), (1, 2), 3
    check_all((2, 3, 1, columns), (6, 1, 1, 7), out_of((1, columns), (1, 7), *parameters[:3]), parameters, "f4")


def test_no_padding_and_no_neighbour_reaches_other_results():
    """Check that infinite elements change only results whose weights multiply them, and zeros stay zeros."""
    x, w = np.zeros((1, 3, 9, 9), "f4"), np.ones((3, 1, 3, 3), "f4")
    x[0, 1, 4, 8] = np.inf
    g = np.ones((1, 3, 9, 9), "f4")
    made, _, dw = run_all(x, w, np.zeros(3, "f4"), g, ((1, 1), (1, 1), (1, 1), 3))
    where = np.argwhere(~np.isfinite(made))
    assert where.tolist() == [[0, 1, y, z] for y in (3, 4, 5) for z in (7, 8)]
    assert np.isinf(dw[1, 0, :, 1:]).all() and (dw[1, 0, :, 0] == 0).all() and (dw[[0, 2]] == 0).all()
    x[0, 1, 4, 8], g[0, 1, 0, 8] = 1, np.nan
    _, dx, dw = run_all(x, w, np.zeros(3, "f4"), g, ((1, 1), (1, 1), (1, 1), 3))
    assert np.argwhere(np.isnan(dx)).tolist() == [[0, 1, y, z] for y in (0, 1) for z in (7, 8)]
    assert np.isfinite(dw[[0, 2]]).all()


def test_an_image_has_the_same_bits_in_any_batch():
    rng = np.random.default_rng(0)
    x, w, g = (rng.standard_normal(shape).astype("f4") for shape in ((5, 24, 14, 14), (24, 1, 3, 3), (5, 24, 7, 7)))
    bias, parameters = np.ones(24, "f4"), ((2, 2), (1, 1), (1, 1), 24)
    y, dx, _ = run_all(x, w, bias, g, parameters)
    for k in range(5):
        one, d_one, _ = run_all(x[k : k + 1].copy(), w, bias, g[k : k + 1].copy(), parameters)
        assert one.tobytes() == y[k].tobytes() and d_one.tobytes() == dx[k].tobytes()


def test_which_convolutions_the_kernels_compute():
    """Check that plans have no workspace, up to the limits of kernels and strides; others are products of patches."""

    def plan(x_shape, w_shape, stride):
        out = out_of(x_shape[2:], w_shape[2:], stride, (1, 1), (1, 1))
        arrays = [np.empty(shape, "f4") for shape in (x_shape, w_shape, (x_shape[0], w_shape[0], *out))]
        inputs = (*map(layout, arrays[:2]), None)
        return BACKEND.plan("conv2d", inputs, (layout(arrays[2]),), (stride, (1, 1), (1, 1), x_shape[1], out))

    assert plan((2, 8, 9, 9), (8, 1, 3, 3), (1, 2)).workspace == 0
    assert plan((2, 8, 300, 9000), (16, 1, 3, 3), (2, 2)).workspace == 0
    assert plan((2, 8, 9, 9), (8, 1, 3, 3), (3, 1)).workspace > 0
    assert plan((2, 8, 20, 20), (8, 1, 12, 12), (1, 1)).workspace > 0
    assert plan((2, 8, 9, 9), (8, 8, 3, 3)[:1] + (1, 3, 3), (1, 1)).workspace == 0
