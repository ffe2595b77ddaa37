"""Pooling in one and three dimensions and adaptive pooling, against a search and sum of each window; other dtypes."""

import itertools

import numpy as np
import pytest
from elements import check_slopes
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
import facula_tensor.functional as F
from facula_errors.testing import raises

MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVG = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
ADAPTIVE_MAX = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}
ADAPTIVE_AVG = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}


def regular(length, kernel, stride, padding, dilation=1, ceil_mode=False):
    """Return, along one dimension, the positions of each window and its size with padding."""
    found = []
    for start in range(-padding, length + padding, stride):
        last = start + dilation * (kernel - 1)
        more = ceil_mode and start - stride + dilation * (kernel - 1) + 1 < length + padding and start < length
        if last < length + padding or more:
            places = range(start, last + 1, dilation)
            found.append(
                ([place for place in places if 0 <= place < length], sum(place < length + padding for place in places))
            )
    return found


def evenly(length, count):
    bounds = [(i * length // count, -((i + 1) * length // -count)) for i in range(count)]
    return [(list(range(first, end)), end - first) for first, end in bounds]


def pooled(array, along, reduce):
    """Apply `reduce` to the elements, the flattened positions and the padded size of each window."""
    size, dims = array.shape[-len(along) :], len(along)
    flat = array.reshape(-1, int(np.prod(size)))
    made = []
    for windows in itertools.product(*along):
        places = [np.ravel_multi_index(at, size) for at in itertools.product(*[window[0] for window in windows])]
        counted = int(np.prod([window[1] for window in windows]))
        made.append([reduce(part[places], np.array(places), counted) for part in flat])
    shape = (*array.shape[:-dims], *[len(line) for line in along])
    return np.array(made).T.reshape(shape) if made else np.zeros(shape)


def first_greatest(elements, places, counted):
    last_nan = np.flatnonzero(np.isnan(elements)) if elements.dtype.kind == "f" else []
    return places[last_nan[-1] if len(last_nan) else elements.argmax()]


def chosen(array, indices, dims):
    flat = array.reshape(*array.shape[:-dims], -1)
    return np.take_along_axis(flat, indices.reshape(*flat.shape[:-1], -1), -1).reshape(indices.shape)


def drawn(shape, dtype="float64"):
    return (np.random.default_rng(shape).standard_normal(shape) * 3).round(1).astype(dtype)


@given(
    dims=st.sampled_from([1, 3]),
    kernel=st.tuples(*[st.integers(1, 3)] * 3),
    stride=st.tuples(*[st.integers(1, 3)] * 3),
    dilation=st.tuples(*[st.integers(1, 2)] * 3),
    padded=st.booleans(),
    ceil_mode=st.booleans(),
    divisor=st.sampled_from([None, 1, -3]),
    batch=st.booleans(),
)
def test_any_windows(dims, kernel, stride, dilation, padded, ceil_mode, divisor, batch):
    kernel, stride, dilation = kernel[:dims], stride[:dims], dilation[:dims]
    padding = tuple(length // 2 for length in kernel)
    size = (5, 6, 7)[:dims]
    x = drawn((2, 3, *size) if batch else (2, *size))
    x[x > 6] = np.nan
    along = [regular(*numbers, ceil_mode) for numbers in zip(size, kernel, stride, padding, dilation)]
    if all(window[0] for windows in along for window in windows):
        values, indices = MAX[dims](ft.tensor(x), kernel, stride, padding, dilation, ceil_mode, True)
        np.testing.assert_array_equal(indices.numpy(), pooled(x, along, first_greatest))
        np.testing.assert_array_equal(values.numpy(), chosen(x, indices.numpy(), dims))
        alone = MAX[dims](ft.tensor(x), kernel, stride, padding, dilation, ceil_mode)
        np.testing.assert_array_equal(alone.numpy(), values.numpy())
    along = [regular(*numbers, 1, ceil_mode) for numbers in zip(size, kernel, stride, padding)]
    given_divisor = () if dims == 1 else (divisor,)
    got = AVG[dims](ft.tensor(x), kernel, stride, padding, ceil_mode, padded, *given_divisor)
    by = divisor if dims > 1 else None
    wanted = pooled(
        x, along, lambda elements, _, counted: elements.sum() / (by or (counted if padded else len(elements)))
    )
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dims", MAX)
@pytest.mark.parametrize("size", [(1, 1, 1), (2, 3, 4), (7, 2, 9)], ids=str)
def test_adaptive(dims, size):
    x, size = drawn((2, 3, *(5, 6, 7)[:dims])), size[:dims]
    x[0, 0] = np.nan
    along = [evenly(*numbers) for numbers in zip(x.shape[2:], size)]
    values, indices = ADAPTIVE_MAX[dims](ft.tensor(x), size, return_indices=True)
    np.testing.assert_array_equal(indices.numpy(), pooled(x, along, first_greatest))
    np.testing.assert_array_equal(values.numpy(), chosen(x, indices.numpy(), dims))
    got = ADAPTIVE_AVG[dims](ft.tensor(x[1]), size)
    np.testing.assert_allclose(got.numpy(), pooled(x[1], along, lambda e, *_: e.mean()), rtol=1e-12, atol=1e-12)


def test_lengths_kept_and_empty():
    x = ft.ones(2, 4, 5, 6)
    assert F.adaptive_max_pool3d(x, (None, 2, None)).shape == (2, 4, 2, 6)
    assert F.adaptive_avg_pool3d(x, None).shape == x.shape
    assert F.adaptive_max_pool2d(x, (0, 2)).shape == (2, 4, 0, 2)
    assert F.max_pool3d(ft.ones(0, 2, 3, 3, 3), 2).shape == (0, 2, 1, 1, 1)
    assert F.avg_pool1d(ft.ones(0, 2, 3), 2).shape == (0, 2, 1)
    assert F.max_pool3d(x.to("meta"), 2, return_indices=True)[1].shape == (2, 2, 2, 3)


@pytest.mark.parametrize("dims", MAX)
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float16", "bfloat16"])
def test_other_dtypes(dims, dtype):
    """Maxima are exact; means of integers are truncated towards 0, and those of half precision are rounded once."""
    x = np.random.default_rng(dims).integers(0 if dtype == "uint8" else -90, 90, (2, 3, *(5, 6, 7)[:dims]))
    if dtype == "int64":
        x = x + (1 << 60)  # float64 cannot represent these numbers exactly
    tensor = ft.tensor(x).to(getattr(ft, dtype))
    values, indices = MAX[dims](tensor, 3, 2, 1, return_indices=True)
    along = [regular(length, 3, 2, 1) for length in x.shape[2:]]
    assert values.dtype is tensor.dtype and indices.dtype is ft.int64
    np.testing.assert_array_equal(indices.numpy(), pooled(x, along, first_greatest))
    assert ADAPTIVE_MAX[dims](tensor, 2).dtype is tensor.dtype
    if dtype == "int64":
        x = x - (1 << 60)
        tensor = ft.tensor(x)
    for padded in (True, False):
        got = AVG[dims](tensor, 3, 2, 1, count_include_pad=padded)
        means = pooled(x, along, lambda elements, _, counted: elements.sum() / (counted if padded else len(elements)))
        assert got.dtype is tensor.dtype
        if tensor.is_floating_point():
            np.testing.assert_array_equal(got.float().numpy(), ft.tensor(means).to(got.dtype).float().numpy())
        else:
            np.testing.assert_array_equal(got.numpy(), np.trunc(means))


FUNCTIONS = {
    "max1d": lambda x: F.max_pool1d(x[0, 0], 3, 2, 1),
    "max3d": lambda x: F.max_pool3d(x, (1, 2, 2), (1, 1, 2), (0, 1, 0), (1, 1, 2)),
    "avg1d": lambda x: F.avg_pool1d(x[0], 2, 1, 1, True, False) ** 2,
    "avg3d": lambda x: F.avg_pool3d(x, 2, 1, 1, True, False) ** 2,
    "adaptive max1d": lambda x: F.adaptive_max_pool1d(x[0, 0], 3),
    "adaptive max2d": lambda x: F.adaptive_max_pool2d(x[0], (2, 3)) ** 2,
    "adaptive max3d": lambda x: F.adaptive_max_pool3d(x, 2),
    "adaptive avg1d": lambda x: F.adaptive_avg_pool1d(x[0, 0], 3),
    "adaptive avg3d": lambda x: F.adaptive_avg_pool3d(x, (2, 1, 3)) ** 2,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(name):
    elements = np.random.default_rng(3).permutation(2 * 3 * 4 * 5).reshape(1, 2, 3, 4, 5) / 10
    function = FUNCTIONS[name]
    if name.startswith(("avg1d",)):
        elements = elements[0]
    x = ft.tensor(elements, requires_grad=True)
    check_slopes(function, (x,))


REFUSED = [
    (lambda x: F.max_pool1d(x, 2), "max_pool1d: expected input of shape (sequences, channels, length)"),
    (lambda x: F.avg_pool3d(x[0, 0], 2), "avg_pool3d: expected input of shape (volumes, channels, depth"),
    (lambda x: F.max_pool3d(x, 2, padding=2), "max_pool3d: expected padding of at most half"),
    (lambda x: F.max_pool3d(x, (4, 1, 1)), "max_pool3d: a window (4, 1, 1) ... does not fit"),
    (lambda x: F.avg_pool3d(x, 2, divisor_override=0), "avg_pool3d: expected divisor_override"),
    (lambda x: F.adaptive_max_pool3d(x, -1), "adaptive_max_pool3d: expected output_size of at least 0"),
    (lambda x: F.adaptive_avg_pool3d(x, ()), "adaptive_avg_pool3d: expected output_size to be an int or three"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_geometries_without_windows_are_rejected(call, message):
    with raises(ValueError, message):
        call(ft.ones(1, 1, 3, 3, 3))


def test_types():
    with raises(TypeError, "max_pool3d", "expected kernel_size to be an int or three", value=(1, 2)):
        F.max_pool3d(ft.ones(1, 1, 3, 3, 3), (1, 2))
    for dtype in (ft.bool, ft.complex64):
        for function in (F.max_pool3d, F.avg_pool3d, F.adaptive_avg_pool3d):
            with raises(TypeError, function.__name__, f"not defined for {dtype.name}"):
                function(ft.ones(1, 1, 3, 3, 3, dtype=dtype), 2)


def test_adaptive_means_of_integers_are_rejected():
    with raises(TypeError, "adaptive_avg_pool2d", "not defined for int16"):
        F.adaptive_avg_pool2d(ft.ones(2, 3, 3, dtype=ft.int16), 2)


def test_the_operator_also_returns_positions():
    values, places = ft.adaptive_max_pool1d(ft.tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2)
    assert values.tolist() == [[[3.0, 2.0]]] and places.tolist() == [[[1, 2]]]
