"""`x[...]` and `x[...] = v` against NumPy: every kind of index, in every dtype."""

import numpy as np
import pytest
from case import ALL
from elements import lay, make, values_of
from hypothesis import given
from hypothesis import strategies as st
from indices import BASIC, MASK1, MASK_LAST, NAMED, array, as_tensors, show

import facula_tensor as ft
from facula_errors.testing import raises


@pytest.mark.parametrize("index", BASIC + NAMED, ids=show)
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced"])
def test_get(index, layout):
    values = array()
    x = lay(values, "float64", layout)
    for form in (index, as_tensors(index)):
        got = x[form]
        assert np.array_equal(values_of(got), values[index])
        assert tuple(got.shape) == values[index].shape


@pytest.mark.parametrize("index", BASIC, ids=show)
def test_basic_indices_give_views(index):
    x = make(array(), "float64")
    part = x[index]
    assert part._storage is x._storage
    part.zero_()
    expected = array()
    expected[index] = 0
    assert np.array_equal(values_of(x), expected)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(
    "index", [1, slice(1, 3), [2, 0, 0], MASK1, (slice(None), [1, -1]), (..., MASK_LAST)], ids=show
)
def test_every_dtype(dtype, index):
    values = array(dtype)
    x = make(values, dtype)
    assert np.array_equal(values_of(x[index]), values[index])
    assert x[index].dtype.name == dtype
    new = array(dtype, values[index].shape, seed=1)
    if isinstance(index, list):
        new[-1] = new[-2]  # the last write to equal indices is unspecified
    x[index] = make(new, dtype)
    values[index] = new
    assert np.array_equal(values_of(x), values)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced"])
@pytest.mark.parametrize("index", BASIC + NAMED, ids=show)
def test_set(index, layout):
    distinct = show(index) != "[-1,0,-1,2]" and show(index) != "(slice(None,None,None),[3,3,0])"
    for value in ("number", "scalar", "whole", "broadcast", "int"):
        values = array()
        x = lay(values, "float64", layout)
        part = values[index]
        new = {
            "number": 7.5,
            "scalar": np.array(2.5),
            "whole": np.arange(part.size, dtype=float).reshape(part.shape) if distinct else np.full(part.shape, 3.0),
            "broadcast": np.arange(part.shape[-1], dtype=float) if part.ndim and distinct else np.array(1.0),
            "int": 3,
        }[value]
        values = values.copy()
        values[index] = new
        version = x._version
        x[as_tensors(index)] = ft.tensor(new) if isinstance(new, np.ndarray) else new
        assert np.array_equal(values_of(x), values), value
        assert x._version > version or index is False


def test_set_casts_and_keeps_the_dtype():
    x = ft.zeros(3, dtype=ft.int32)
    x[1:] = ft.tensor([1.9, -1.9])
    x[[0]] = 5.7
    assert x.tolist() == [5, 1, -1]
    assert x.dtype is ft.int32


def test_set_by_tensors_requires_the_same_dtype():
    """As in PyTorch, values of another dtype are errors, except numbers and a single element with a mask."""
    x, mask, places = ft.zeros(4, 3), ft.tensor([True, False, True, False]), ft.tensor([0, 2])
    one, row = ft.tensor(1.0, dtype=ft.float64), ft.ones(3, dtype=ft.float64)
    refused = [
        (index, value) for index in (places, [0, 2], np.array([0, 2]), (0, places)) for value in (one, one.long())
    ]
    refused += [(index, row) for index in (places, mask, [0, 2], mask.tolist(), (None, mask))]
    refused += [
        ((places, places), one),
        ((mask, places), one),
        ((slice(None), places), one),
        (places[:0], row[None, :][:0]),
    ]
    for index, value in refused:
        before = x._version
        with raises(TypeError, "setitem", "expected a value of dtype float32", ".to(", value=value.dtype.name):
            x[index] = value
        assert x._version == before and not x.any()
    for index, value in [
        (mask, one),
        (mask, one.reshape(1)),
        ((mask, 0), one.long()),
        (places, 2.0),
        (places, row.float()),
    ]:
        x[index] = value
    for index in (0, slice(2), ..., (0, 1), ft.tensor(1), True):
        x[index] = one
    counts = ft.zeros(3, dtype=ft.int64)
    counts[places] = 1.5
    with raises(TypeError, "setitem", "dtype int64", "float32"):
        counts[places] = ft.ones(2)
    counts[places] += 1
    assert counts.tolist() == [2, 0, 2] and x.dtype is ft.float32


def test_false_selects_no_element():
    """For values of any shape: the assignment changes neither version nor gradient."""
    x, value = ft.zeros(3), ft.ones(2, requires_grad=True)
    x[False] = value
    with pytest.raises(TypeError):
        x[False] = "text"
    assert x._version == 0 and x.tolist() == [0.0] * 3 and not x.requires_grad
    assert x[False].shape == (0, 3)


def test_an_empty_array_selects_no_element():
    for dtype in ("f4", "f8", "i4", "i8"):
        assert ft.zeros(3, 2)[np.array([], dtype)].shape == (0, 2)


def test_set_from_itself():
    x = ft.arange(6)
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    y = ft.arange(4)
    y[[3, 2, 1, 0]] = y
    assert y.tolist() == [3, 2, 1, 0]


def test_an_integer_with_a_mask_selects_first():
    x = make(array(), "float64")
    assert np.array_equal(
        values_of(x[1, ..., ft.tensor(MASK_LAST)]), array()[1][..., MASK_LAST]
    )  # only NumPy moves the mask


def test_iteration_and_length():
    x = ft.arange(6).view(3, 2)
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert len(x) == 3
    assert [1, 2][ft.tensor(1)] == 2
    with raises(TypeError, "index", "integer"):
        [1, 2][ft.tensor(1.0)]


@st.composite
def basic_index(draw, shape):
    index = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        index.append(
            draw(
                st.one_of(st.integers(-size, size - 1), st.slices(size).filter(lambda s: s.step is None or s.step > 0))
            )
        )
    if draw(st.booleans()):
        index.insert(draw(st.integers(0, len(index))), None)
    return tuple(index)


@given(st.data())
def test_random_basic_indices(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    values = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    x = ft.tensor(values)
    index = data.draw(basic_index(shape))
    assert np.array_equal(values_of(x[index]), values[index])
    x[index] = -1.0
    values[index] = -1.0
    assert np.array_equal(values_of(x), values)


@given(st.data())
def test_random_positions(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    values = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    dim = data.draw(st.integers(0, len(shape) - 1))
    size = shape[dim]
    if data.draw(st.booleans()):
        named = np.array(data.draw(st.lists(st.integers(-size, size - 1), max_size=5)), np.int64)
    else:
        named = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    index = (*([slice(None)] * dim), named)
    x = ft.tensor(values)
    assert np.array_equal(values_of(x[as_tensors(index)]), values[index])
    x[as_tensors(index)] = -1.0
    values[index] = -1.0
    assert np.array_equal(values_of(x), values)
