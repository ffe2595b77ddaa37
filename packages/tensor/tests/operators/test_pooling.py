"""Pooling against a search and sum of each window, gradients to order two, and errors."""

import numpy as np
import pytest
from elements import check_slopes, lay, values_of
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor.functional import adaptive_avg_pool2d, avg_pool2d, max_pool2d

TOLERANCE = {"float32": 1e-5, "float64": 1e-13}


def both(value):
    return value if isinstance(value, tuple) else (value, value)


def starts(length, kernel, stride, padding, dilation=1, ceil_mode=False):
    """Return the starts of windows. With ceil_mode, a partial window at the end counts if it contains an element."""
    last, end = dilation * (kernel - 1), length + padding
    return [
        at
        for at in range(-padding, end, stride)
        if at + last < end or (ceil_mode and at - stride + last + 1 < end and at < length)
    ]


def windows(array, kernel, stride, padding, dilation=1, ceil_mode=False):
    """Yield each window: its position, the output's shape, positions of its elements, and its size with padding."""
    kernel, padding, dilation = both(kernel), both(padding), both(dilation)
    stride = kernel if stride is None else both(stride)
    size = array.shape[-2:]
    down, across = (
        starts(*along, ceil_mode=ceil_mode) for along in zip(size, kernel, stride, padding, dilation, strict=True)
    )
    for r, top in enumerate(down):
        for c, left in enumerate(across):
            rows = [top + i * dilation[0] for i in range(kernel[0])]
            columns = [left + i * dilation[1] for i in range(kernel[1])]
            padded = [
                sum(place < length + more for place in places)
                for places, length, more in zip((rows, columns), size, padding, strict=True)
            ]
            inside = [y * size[1] + x for y in rows for x in columns if 0 <= y < size[0] and 0 <= x < size[1]]
            yield (r, c), (len(down), len(across)), inside, padded[0] * padded[1]


def greatest(array, *geometry):
    """Return the greatest elements and their positions, plane by plane."""
    planes = array.reshape(-1, array.shape[-2] * array.shape[-1])
    values, places = None, None
    for at, size, inside, _ in windows(array, *geometry):
        if values is None:
            values, places = np.empty((len(planes), *size), array.dtype), np.empty((len(planes), *size), np.int64)
        for plane, elements in enumerate(planes):
            found = inside[0]
            for place in inside:
                if elements[place] > elements[found] or np.isnan(elements[place]):
                    found = place
            values[plane, *at], places[plane, *at] = elements[found], found
    shape = (*array.shape[:-2], *values.shape[1:])
    return values.reshape(shape), places.reshape(shape)


def means(array, kernel, stride, padding, ceil_mode, padded, divisor):
    """Return the means and the matrix that computes them from a flattened plane."""
    matrix = None
    for (r, c), size, inside, counted in windows(array, kernel, stride, padding, 1, ceil_mode):
        if matrix is None:
            matrix = np.zeros((*size, array.shape[-2] * array.shape[-1]))
        matrix[r, c, inside] = 1 / (divisor or (counted if padded else len(inside)))
    return np.einsum("...i,rci->...rc", array.reshape(*array.shape[:-2], matrix.shape[-1]), matrix), matrix


def adaptive(array, size):
    """Average over parts of each dimension."""
    rows, columns = (
        [slice(i * length // n, -(-(i + 1) * length // n)) for i in range(n)]
        for length, n in zip(array.shape[-2:], size, strict=True)
    )
    return np.stack([np.stack([array[..., r, c].mean((-2, -1)) for c in columns], -1) for r in rows], -2)


def drawn(shape, dtype, seed=0, coarse=False):
    """Draw elements; with `coarse`, many are equal."""
    values = np.random.default_rng(seed).standard_normal(shape)
    return (values.round() if coarse else values).astype(dtype)


lengths = st.sampled_from([1, 2, 3, 5, 8, 13, 70])
shapes = st.tuples(st.integers(0, 2), st.integers(1, 3), lengths, lengths)
numbers = {least: st.integers(least, 4) | st.tuples(st.integers(least, 4), st.integers(least, 4)) for least in (0, 1)}


@given(data=st.data(), shape=shapes, dtype=st.sampled_from(sorted(TOLERANCE)), coarse=st.booleans())
def test_any_windows(data, shape, dtype, coarse):
    """Values, indices and gradients for any geometry; geometries without windows are errors."""
    kernel = data.draw(numbers[1])
    stride, padding = data.draw(st.none() | numbers[1]), data.draw(st.just(0) | numbers[0])
    dilation, ceil_mode = data.draw(st.just(1) | numbers[1]), data.draw(st.booleans())
    x = drawn(shape, dtype, data.draw(st.integers(0, 1000)), coarse)
    x.flat[data.draw(st.lists(st.integers(0, 500), max_size=3).map(lambda at: [i for i in at if i < x.size]))] = np.nan
    tensor = ft.tensor(x, requires_grad=True)
    if any(2 * p > k for p, k in zip(both(padding), both(kernel), strict=True)):
        with raises(ValueError, "max_pool2d", "at most half"):
            max_pool2d(tensor, kernel, stride, padding, dilation, ceil_mode)
        return
    found = list(windows(x, kernel, stride, padding, dilation, ceil_mode))
    if not found or not all(inside for _, _, inside, _ in found):
        with pytest.raises(ValueError, match=r"does not fit|nothing in it but padding"):
            max_pool2d(tensor, kernel, stride, padding, dilation, ceil_mode)
        return
    if not len(x):
        assert max_pool2d(tensor, kernel, stride, padding, dilation, ceil_mode).shape == (0, shape[1], *found[0][1])
        return
    got, indices = max_pool2d(tensor, kernel, stride, padding, dilation, ceil_mode, return_indices=True)
    values, places = greatest(x, kernel, stride, padding, dilation, ceil_mode)
    np.testing.assert_array_equal(got.detach().numpy(), values)
    np.testing.assert_array_equal(indices.numpy(), places)
    g = drawn(values.shape, dtype, 5)
    got.backward(ft.tensor(g))
    wanted = np.zeros((shape[0] * shape[1], shape[2] * shape[3]))
    for plane, at, share in zip(wanted, places.reshape(len(wanted), -1), g.reshape(len(wanted), -1), strict=True):
        np.add.at(plane, at, share)
    np.testing.assert_allclose(tensor.grad.numpy().reshape(wanted.shape), wanted, TOLERANCE[dtype], TOLERANCE[dtype])


@given(data=st.data(), shape=shapes, dtype=st.sampled_from(sorted(TOLERANCE)), padded=st.booleans())
def test_any_means(data, shape, dtype, padded):
    kernel, stride = data.draw(numbers[1]), data.draw(st.none() | numbers[1])
    padding = tuple(data.draw(st.integers(0, k // 2)) for k in both(kernel))
    divisor, ceil_mode = data.draw(st.none() | st.sampled_from([1, 3, -2])), data.draw(st.booleans())
    x = drawn(shape, dtype, data.draw(st.integers(0, 1000)))
    options = (kernel, stride, padding, ceil_mode, padded, divisor)
    tensor = ft.tensor(x, requires_grad=True)
    if not list(windows(x, kernel, stride, padding, 1, ceil_mode)):
        with raises(ValueError, "avg_pool2d", "does not fit"):
            avg_pool2d(tensor, *options)
        return
    wanted, matrix = means(x, *options)
    got = avg_pool2d(tensor, *options)
    np.testing.assert_allclose(got.detach().numpy(), wanted, TOLERANCE[dtype], TOLERANCE[dtype])
    g = drawn(wanted.shape, dtype, 5)
    got.backward(ft.tensor(g))
    wanted = np.einsum("...rc,rci->...i", g, matrix).reshape(shape)
    np.testing.assert_allclose(tensor.grad.numpy(), wanted, TOLERANCE[dtype], TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("size", [1, 3, (2, 5), (None, 4), (7, None), (9, 20), 0])
@pytest.mark.parametrize("shape", [(2, 3, 7, 9), (3, 1, 1), (1, 2, 4, 1500)], ids=str)
def test_adaptive_means(shape, size, dtype):
    x = drawn(shape, dtype)
    whole = tuple(length if n is None else n for n, length in zip(both(size), shape[-2:], strict=True))
    tensor = ft.tensor(x, requires_grad=True)
    got = adaptive_avg_pool2d(tensor, size)
    assert got.shape == (*shape[:-2], *whole)
    got.sum().backward()
    if size:
        np.testing.assert_allclose(got.detach().numpy(), adaptive(x, whole), TOLERANCE[dtype], TOLERANCE[dtype])
        assert tensor.grad.sum().item() == pytest.approx(got.numel(), rel=1e-5)
    else:
        assert not tensor.grad.any()


FUNCTIONS = {
    "max": lambda x: max_pool2d(x, 3, 2, 1),
    "max, dilated": lambda x: max_pool2d(x, (2, 3), 1, (1, 0), (2, 1), True),
    "max of squares": lambda x: max_pool2d(x * x, 2),
    "avg": lambda x: avg_pool2d(x, 3, 2, 1, True, False),
    "avg, squared": lambda x: avg_pool2d(x, (2, 1), 1, divisor_override=3) ** 2,
    "adaptive": lambda x: adaptive_avg_pool2d(x, (3, 4)),
}


@pytest.mark.parametrize("shape", [(2, 2, 7, 6), (1, 5, 4)], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(name, shape):
    elements = np.random.default_rng(3).permutation(int(np.prod(shape))).reshape(shape) / 10 + 0.05
    x = ft.tensor(elements, requires_grad=True)
    check_slopes(FUNCTIONS[name], (x,))


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced", "expanded", "offset"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_layouts_and_devices(name, layout, device):
    """Operands and gradients in any memory layout."""
    x = drawn((2, 3, 6, 5), "float64")
    plain = ft.tensor(lay(x, "float64", layout).numpy().copy(), requires_grad=True)
    wanted = FUNCTIONS[name](plain)
    strided = lay(x, "float64", layout, device).requires_grad_()
    got = FUNCTIONS[name](strided)
    assert got.shape == wanted.shape
    assert got.is_contiguous()
    g = ft.tensor(drawn(wanted.shape[::-1], "float64"))
    got.backward(g.to(device).permute(*range(got.ndim)[::-1]))
    wanted.backward(g.permute(*range(got.ndim)[::-1]))
    if device != "meta":
        np.testing.assert_array_equal(values_of(got), values_of(wanted))
        np.testing.assert_allclose(values_of(strided.grad), values_of(plain.grad), rtol=1e-14)


def test_changed_indices_are_rejected():
    """The gradient uses the indices: changes are detected, and undetected ones cannot access other memory."""
    x = ft.ones(1, 1, 4, 4, requires_grad=True)
    out, indices = max_pool2d(x, 2, return_indices=True)
    indices += 1
    with raises(RuntimeError, "backward of max_pool2d", "max_pool2d"):
        out.sum().backward()
    for wrong in (16, -1):
        out, indices = max_pool2d(x, 2, return_indices=True)
        indices.data[0, 0, 1, 0] = wrong
        with raises(IndexError, "max_pool2d_grad", f"index {wrong} at position 2"):
            out.sum().backward()
        assert x.grad is None


REFUSED = [
    (max_pool2d, (4, 4), (2,), {}, "max_pool2d: expected input of shape ... got (4, 4)"),
    (avg_pool2d, (2, 0, 4, 4), (2,), {}, "avg_pool2d: expected input of shape ... only images may be 0"),
    (adaptive_avg_pool2d, (1, 0, 4), (2,), {}, "adaptive_avg_pool2d: expected input of shape"),
    (max_pool2d, (1, 4, 4), (0,), {}, "max_pool2d: expected kernel_size of at least 1; got 0"),
    (avg_pool2d, (1, 4, 4), (2, (1, 0)), {}, "avg_pool2d: expected stride of at least 1; got (1, 0)"),
    (max_pool2d, (1, 4, 4), (2,), {"padding": -1}, "max_pool2d: expected padding of at least 0; got -1"),
    (max_pool2d, (1, 4, 4), (3,), {"padding": 2}, "max_pool2d: expected padding of at most half the kernel_size"),
    (max_pool2d, (1, 4, 4), (2,), {"dilation": 0}, "max_pool2d: expected dilation of at least 1; got 0"),
    (avg_pool2d, (1, 4, 4), (5,), {}, "avg_pool2d: a window (5, 5) ... does not fit the input (4, 4)"),
    (avg_pool2d, (1, 4, 4), (2,), {"divisor_override": 0}, "avg_pool2d: divisor_override ... got 0"),
    (adaptive_avg_pool2d, (1, 4, 4), (-1,), {}, "adaptive_avg_pool2d: expected output_size of at least 0"),
    (max_pool2d, (1, 2, 9), (2,), {"padding": 1, "dilation": 3}, "max_pool2d: has nothing in it but padding"),
]


@pytest.mark.parametrize(("function", "shape", "arguments", "options", "message"), REFUSED)
def test_geometries_without_windows_are_rejected(function, shape, arguments, options, message):
    with raises(ValueError, message):
        function(ft.ones(shape), *arguments, **options)


@pytest.mark.parametrize("function", [max_pool2d, avg_pool2d, adaptive_avg_pool2d])
def test_types(function):
    name = function.__name__
    for wrong in (2.0, True, "2", (1, 2, 3), ft.tensor(2)):
        with raises(
            TypeError, name, f"expected {'output' if 'adaptive' in name else 'kernel'}_size to be an int or two"
        ):
            function(ft.ones(1, 4, 4), wrong)
    for dtype in ("bool", "complex64"):
        with raises(TypeError, name, f"not defined for {dtype}"):
            function(ft.ones(1, 4, 4, dtype=getattr(ft, dtype)), 2)
    with raises(TypeError, name, "expected a Tensor", value="list"):
        function([1.0], 2)
    one = function(ft.ones(1, 4, 4), [2, 2])
    assert (one == function(ft.ones(1, 4, 4), np.int64(2))).all()


@pytest.mark.parametrize(("dims", "dtype"), [(1, ft.int64), (2, ft.int64), (2, ft.uint8)])
def test_adaptive_means_of_integers_are_rejected(dims, dtype):
    with raises(TypeError, f"adaptive_avg_pool{dims}d", f"not defined for {dtype.name}", "convert with .float()"):
        getattr(ft.functional, f"adaptive_avg_pool{dims}d")(ft.ones(1, 1, *(4,) * dims).to(dtype), 2)
