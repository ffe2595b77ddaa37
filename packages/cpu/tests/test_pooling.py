"""Pooling kernels against NumPy's windows, at each level and on any number of threads."""

import numpy as np
import pytest
from kernel_helpers import compute, empty, narrow, widen
from numpy.lib.stride_tricks import sliding_window_view

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises
from facula_storage import LaunchError

# Shape, kernel, stride, padding, dilation. Rows wider than a strip, cut windows, and enough work for several threads.
CASES = [
    ((3, 5, 8, 8), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((2, 9, 7), (3, 3), (2, 2), (1, 1), (1, 1)),
    ((40, 16, 32, 32), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((2, 3, 60, 1100), (3, 3), (1, 1), (1, 1), (1, 1)),
    ((1, 200, 700), (2, 5), (3, 4), (1, 2), (2, 3)),
    ((70, 20, 20), (20, 20), (20, 20), (0, 0), (1, 1)),
    ((4, 3, 1), (1, 1), (3, 1), (0, 0), (1, 1)),
    ((0, 3, 4, 4), (2, 2), (1, 1), (0, 0), (1, 1)),
    # Column strides up to and beyond those of vectors; rows narrower than vectors; windows clipped at both ends.
    ((3, 4, 30, 33), (3, 3), (3, 3), (1, 1), (1, 1)),
    ((3, 28, 28), (4, 4), (4, 4), (0, 0), (1, 1)),
    ((2, 9, 60), (3, 7), (2, 5), (0, 3), (1, 1)),
    ((5, 7, 7), (3, 3), (1, 1), (1, 1), (1, 1)),
    ((5, 3, 2), (2, 2), (1, 2), (1, 0), (1, 1)),
    ((2, 22, 18), (8, 1), (1, 2), (2, 0), (3, 1)),
    ((2, 40, 300), (13, 13), (1, 1), (6, 6), (1, 1)),
    # Small planes, more than vectors have lanes; windows that are apart, with rows and columns that are in none.
    ((37, 8, 8), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((37, 7, 7), (3, 3), (1, 1), (1, 1), (1, 1)),
    ((35, 5, 4), (2, 3), (2, 1), (1, 1), (3, 1)),
    ((3, 10, 71), (2, 2), (3, 3), (0, 0), (1, 1)),
    ((2, 8, 67), (3, 2), (4, 2), (0, 0), (1, 1)),
    ((2, 1, 900), (1, 2), (1, 2), (0, 0), (1, 1)),
    ((2, 1, 9000), (1, 3), (1, 1), (0, 1), (1, 1)),
    ((2, 1, 9000), (1, 2), (1, 1), (0, 0), (1, 5)),
]
NAMES = {"float32": 1e-5, "float64": 1e-13}


def windows(array, kernel, stride, padding, dilation, fill):
    """Return the flattened elements of each window and their positions in the plane (-1: the padding)."""
    around = [(0, 0)] * (array.ndim - 2) + [(one, one) for one in padding]
    span = [step * (taps - 1) + 1 for step, taps in zip(dilation, kernel, strict=True)]
    places = np.arange(array.shape[-2] * array.shape[-1]).reshape(array.shape[-2:])
    found = []
    for one, missing, pads in ((array, fill, around), (places, -1, around[-2:])):
        view = sliding_window_view(np.pad(one, pads, constant_values=missing), span, (-2, -1))
        view = view[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
        found.append(view.reshape(*view.shape[:-2], kernel[0] * kernel[1]))
    return found


def on_threads(operator, inputs, outputs, parameters):
    """Return the outputs, after checking that one thread and three give the same bits."""
    before, results = get_num_threads(), []
    for threads in (1, 3):
        set_num_threads(threads)
        copies = tuple(one.copy() for one in outputs)
        compute(operator, inputs, copies, parameters)
        results.append(copies)
    set_num_threads(before)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
    return results[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_max_pooling(case, name, level):
    shape, *geometry = case
    rng = np.random.default_rng(4)
    x = np.round(rng.standard_normal(shape), 1).astype(name)
    x[rng.random(shape) < 0.01] = np.nan
    elements, places = windows(x, *geometry, -np.inf)
    # argmax returns the first maximum and the first NaN; the kernel returns the last NaN.
    last = elements.shape[-1] - 1 - np.isnan(elements[..., ::-1]).argmax(-1)
    which = np.where(np.isnan(elements).any(-1), last, np.where(places < 0, -np.inf, elements).argmax(-1))
    wanted = np.take_along_axis(elements, which[..., None], -1)[..., 0]
    indices = np.take_along_axis(np.broadcast_to(places, elements.shape), which[..., None], -1)[..., 0]
    size = wanted.shape[-2:]
    outputs = (empty(wanted.shape, name), empty(wanted.shape, "int64"))
    values, index = on_threads("max_pool2d", (x,), outputs, (tuple(geometry), size))
    np.testing.assert_array_equal(values, wanted)
    np.testing.assert_array_equal(index, indices)
    (alone,) = on_threads("max_pool2d_values", (x,), outputs[:1], (tuple(geometry), size))
    np.testing.assert_array_equal(alone, wanted)

    (picked,) = on_threads("max_pool2d_pick", (x, index), outputs[:1], (None, size))
    np.testing.assert_array_equal(picked, wanted)
    g = rng.standard_normal(wanted.shape).astype(name)
    (back,) = on_threads("max_pool2d_grad", (g, index), (empty(shape, name),), (None, shape[-2:]))
    (same,) = on_threads("max_pool2d_grad", (g, index), (empty(shape, name),), (tuple(geometry), shape[-2:]))
    np.testing.assert_array_equal(same, back)
    (found,) = on_threads("max_pool2d_values_grad", (g, x), (empty(shape, name),), (tuple(geometry), shape[-2:]))
    np.testing.assert_array_equal(found, back)
    sums = np.zeros((int(np.prod(shape[:-2])), shape[-2] * shape[-1]))
    rows = np.arange(len(sums))[:, None]
    np.add.at(sums, (rows, indices.reshape(len(sums), size[0] * size[1])), g.reshape(len(sums), size[0] * size[1]))
    np.testing.assert_allclose(back.reshape(sums.shape), sums, NAMES[name], NAMES[name])


@pytest.mark.parametrize("divisor", [None, 7])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", [case for case in CASES if case[-1] == (1, 1)], ids=str)
def test_average_pooling(case, name, padded, divisor, level):
    shape, *geometry = case
    rng = np.random.default_rng(4)
    x = rng.standard_normal(shape).astype(name)
    elements, places = windows(x, *geometry, 0)
    counts = divisor or (elements.shape[-1] if padded else (places >= 0).sum(-1))
    wanted = elements.astype("f8").sum(-1) / counts
    parameters = (*geometry[:-1], padded, divisor)
    (got,) = on_threads("avg_pool2d", (x,), (empty(wanted.shape, name),), (parameters, wanted.shape[-2:]))
    np.testing.assert_allclose(got, wanted, NAMES[name], NAMES[name])

    g = rng.standard_normal(wanted.shape).astype(name)
    (back,) = on_threads("avg_pool2d_grad", (g,), (empty(shape, name),), (parameters, shape[-2:]))
    sums = np.zeros((int(np.prod(shape[:-2])), shape[-2] * shape[-1] + 1))  # padding counts last
    share = np.broadcast_to((g.astype("f8") / counts)[..., None], elements.shape)
    flat = np.broadcast_to(places, elements.shape).reshape(len(sums), places.size)
    np.add.at(sums, (np.arange(len(sums))[:, None], flat), share.reshape(len(sums), places.size))
    np.testing.assert_allclose(back.reshape(len(sums), shape[-2] * shape[-1]), sums[:, :-1], NAMES[name], NAMES[name])


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("case", [CASES[k] for k in (0, 1, 3, 7, 12, 16)], ids=str)
def test_half_precision_is_rounded_once(case, name, level):
    shape, *geometry = case
    rng = np.random.default_rng(4)
    x = rng.standard_normal(shape)
    x[rng.random(shape) < 0.01] = np.nan
    x = narrow(x, name)
    made = windows(np.zeros(shape), *geometry, 0)[0].shape[:-1]
    g = narrow(rng.standard_normal(made), name)
    means = (*geometry[:-1], True, None)
    for operator, given, size, one in (
        ("max_pool2d_values", (x,), made, tuple(geometry)),
        ("max_pool2d_values_grad", (g, x), shape, tuple(geometry)),
        ("avg_pool2d", (x,), made, means),
        ("avg_pool2d_grad", (g,), shape, means),
    ):
        (got,) = on_threads(operator, given, (empty(size, name),), (one, size[-2:]))
        (wanted,) = on_threads(operator, tuple(map(widen, given)), (empty(size, "float32"),), (one, size[-2:]))
        np.testing.assert_array_equal(got, narrow(wanted, name))


@pytest.mark.parametrize("operator", ["max_pool2d_grad", "max_pool2d_pick"])
@pytest.mark.parametrize("wrong", [-1, 12, 1 << 40])
def test_an_index_out_of_range(operator, wrong):
    """Check that the error has the position, and that only the output is written."""
    index = np.zeros((50, 2, 2), np.int64)
    index[30, 1, 0] = index[40, 0, 0] = wrong
    shapes = (index.shape, (50, 3, 4)) if operator.endswith("grad") else ((50, 3, 4), index.shape)
    given, made = (np.ones(shape, "f4") for shape in shapes)
    around = np.full((52, *made.shape[1:]), 7, "f4")
    with pytest.raises(LaunchError) as error:
        compute(operator, (given, index), (around[1:-1],), (None, made.shape[-2:]))
    assert (around[[0, -1]] == 7).all()
    assert error.value.args[1:4] == (wrong, 30 * 4 + 2, 12)


def test_unsupported_operands_are_refused():
    x, index = np.ones((2, 4, 4), "f4"), np.zeros((2, 2, 2), np.int64)
    square = ((2, 2), (2, 2), (0, 0), (1, 1))
    wrong = [
        ("max_pool2d", (x.astype("f2"),), (empty((2, 2, 2), "float16"), index), (square, (2, 2))),
        ("avg_pool2d", (x.swapaxes(1, 2),), (empty((2, 2, 2), "float32"),), ((*square[:3], True, None), (2, 2))),
        ("max_pool2d", (x,), (empty((2, 2, 2), "float64"), index), (square, (2, 2))),
        ("max_pool2d_pick", (x, index.astype("i4")), (empty((2, 2, 2), "float32"),), (None, (2, 2))),
    ]
    for operator, inputs, outputs, parameters in wrong:
        with raises(NotImplementedError, operator):
            compute(operator, inputs, outputs, parameters)
