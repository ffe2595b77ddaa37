"""Convolutions and their derivatives written out in NumPy, in float64, and runs of the operators on arrays."""

import numpy as np
from kernel_helpers import compute

from facula_cpu import get_num_threads, set_num_threads


def places(x, weight_shape, out, stride, padding, dilation):
    """Yield each weight's row and column with the view, of shape out, of the padded elements that it multiplies."""
    span = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(out, stride, weight_shape[2:], dilation)]
    after = [max(0, want - have - before) for want, have, before in zip(span, x.shape[2:], padding)]
    wide = np.pad(x, ((0, 0), (0, 0), (padding[0], after[0]), (padding[1], after[1])))
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


def expect_gradients(x, w, g, stride, padding, dilation, groups):
    """Return the gradients of x and w, computed by definition, for the results' gradient g."""
    filters, channels = w.shape[0] // groups, w.shape[1]
    positions = np.arange(1, x.size + 1).reshape(x.shape)  # the views contain the elements' positions; 0 is padding
    dx, dw = np.zeros(x.size + 1), np.zeros(w.shape)
    for y, z, seen in places(positions, w.shape, g.shape[2:], stride, padding, dilation):
        values = np.append(0, x)[seen]
        for group in range(groups):
            rows, part = slice(group * filters, (group + 1) * filters), slice(group * channels, (group + 1) * channels)
            dw[rows, :, y, z] = np.einsum("nfhw,nchw->fc", g[:, rows], values[:, part])
            np.add.at(dx, seen[:, part], np.einsum("fc,nfhw->nchw", w[rows, :, y, z], g[:, rows]))
    return dx[1:].reshape(x.shape), dw


def run_all(x, w, bias, g, parameters, *algorithm):
    """Return the results and the gradients of x and w; parameters without the output's shape. Checks 1 to 3 threads."""
    before, seen = get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            set_num_threads(threads)
            made = (
                compute("conv2d", [x, w, bias], (np.full_like(g, np.nan),), (*parameters, g.shape[2:], *algorithm)),
                compute("conv2d_input", [g, w], (np.full_like(x, np.nan),), (*parameters, x.shape[2:], *algorithm)),
                compute("conv2d_weight", [g, x], (np.full_like(w, np.nan),), (*parameters, w.shape[2:], *algorithm)),
            )
            seen.append([one.tobytes() for one in made])
    finally:
        set_num_threads(before)
    assert seen[0] == seen[1] == seen[2]
    return made


def check_all(x_shape, w_shape, out, parameters, dtype, seed=0, biased=True):
    """Compare random arrays' results and gradients with the definition. Errors are relative to the largest value."""
    rng = np.random.default_rng(seed)
    x, w, g, bias = (
        rng.standard_normal(shape).astype(dtype)
        for shape in (x_shape, w_shape, (x_shape[0], w_shape[0], *out), w_shape[:1])
    )
    bias = bias if biased else bias * 0
    made = run_all(x, w, bias if biased else None, g, parameters, "direct")
    x, w, g, bias = (one.astype("f8") for one in (x, w, g, bias))
    wanted = (
        expect(x, w, out, *parameters) + bias[:, None, None],
        *expect_gradients(x, w, g, *parameters),
    )
    for name, got, want in zip(("results", "images", "weights"), made, wanted, strict=True):
        error = np.abs(got - want).max(initial=0)
        limit = 64 * np.finfo(dtype).eps * np.abs(want).max(initial=1)
        assert error <= limit, (name, error, limit)
