"""`x[...]` and `x[...] = v` against NumPy: every kind of index, gradients to order two, errors before any change."""

import numpy as np
import pytest
from harness import ALL, draw, lay, make, raises, values_of
from hypothesis import given
from hypothesis import strategies as st
from rows import ROWS

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck

SHAPE = (3, 4, 5)
ANY = ROWS[0]  # for the domain of its inputs

MASK1 = np.array([True, False, True])
MASK2 = np.arange(12).reshape(3, 4) % 3 == 0
MASK_LAST = np.array([False, True, True, False, True])

BASIC = [
    0,
    -1,
    slice(1, 3),
    slice(None, None, 2),
    slice(-2, None),
    slice(3, 1),
    ...,
    None,
    (),
    (1, 2, 3),
    (1, ..., 2),
    (slice(None), 1),
    (..., 0),
    (None, 1, None),
    (slice(None), None, slice(1, None, 2), -1),
    (..., slice(0, 0)),
    np.int64(1),
    (np.int8(-1), slice(None)),
    (slice(0, 2), slice(1, 4), slice(2, 5)),
]
NAMED = [
    np.array([0, 2, 1]),
    [2, 0],
    [-1, 0, -1, 2],
    np.array([[0, 1], [2, -3]]),
    np.array(1),
    (slice(None), [3, 3, 0]),
    (1, [0, -1]),
    ([0, 2], 1),
    (slice(None), slice(None), np.array([4, 0])),
    (..., [1, 2]),
    (None, [1, 0]),
    (slice(0, 2), [1, 2], slice(None, None, 2)),
    ([0, 1], None),
    np.array([], np.int64),
    np.array([1, 0], np.int8),
    MASK1,
    MASK2,
    np.arange(60).reshape(SHAPE) % 7 == 0,
    (slice(None), slice(None), MASK_LAST),
    (..., MASK_LAST),
    (MASK1, 2),
    (MASK1, slice(1, 3)),
    np.zeros(3, bool),
    [True, False, False],
    (0, MASK2[0], slice(1, None)),
    ([0, 2], [1, 3]),
    ([0, 2], [1, 3], [4, -5]),
    (slice(None), [0, 1, 1], [2, 4, 0]),
    ([0, 2], slice(1, 3), [1, 3]),
    ([0, 2], None, [1, 3]),
    (..., [0, 3], [1]),
    (np.array([[0], [2]]), np.array([1, 3, 0])),
    (np.array([[0], [2]]), slice(None, None, 2), np.array([1, 3, 0], np.int8)),
    (MASK1, [0, 3]),
    (MASK1, slice(None), [0, 4]),
    (MASK2, [0, 1, 2, 4]),
    (MASK1, np.array([[0], [1]]), 2),
    (np.array([], np.int64), np.array([], np.int64)),
    True,
    False,
]


def show(index):
    return repr(index).replace("\n", "").replace(" ", "")


def as_tensors(index):
    """The same index with tensors for arrays."""
    if isinstance(index, np.ndarray):
        return ft.tensor(index)
    if isinstance(index, tuple):
        return tuple(as_tensors(one) for one in index)
    return index


def array(dtype="float64", shape=SHAPE, seed=0):
    return draw(np.random.default_rng(seed), shape, dtype, ANY)


@pytest.mark.parametrize("index", BASIC + NAMED, ids=show)
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced"])
def test_get(index, layout):
    values = array()
    x = lay(values, "float64", layout)
    for one in (index, as_tensors(index)):
        got = x[one]
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
        new[-1] = new[-2]  # of equal indices any may win
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


def test_set_by_tensors_takes_the_dtype_alone():
    """As in PyTorch: a value of another dtype is refused, but for numbers, and one element beside a mask."""
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
        with pytest.raises(
            TypeError, match=rf"setitem: expected a value of dtype float32.*got {value.dtype.name} .*\.to\("
        ):
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
    with pytest.raises(TypeError, match=r"dtype int64.*float32"):
        counts[places] = ft.ones(2)
    counts[places] += 1
    assert counts.tolist() == [2, 0, 2] and x.dtype is ft.float32


def test_false_names_nothing():
    """Whatever the value's shape: no version, no gradient."""
    x, value = ft.zeros(3), ft.ones(2, requires_grad=True)
    x[False] = value
    with pytest.raises(TypeError):
        x[False] = "text"
    assert x._version == 0 and x.tolist() == [0.0] * 3 and not x.requires_grad
    assert x[False].shape == (0, 3)


def test_an_empty_array_names_nothing():
    for dtype in ("f4", "f8", "i4", "i8"):
        assert ft.zeros(3, 2)[np.array([], dtype)].shape == (0, 2)


def test_set_from_itself():
    x = ft.arange(6)
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    y = ft.arange(4)
    y[[3, 2, 1, 0]] = y
    assert y.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("index", BASIC + NAMED, ids=show)
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_gradient_of_get(index, check):
    if array(shape=SHAPE)[index].size == 0:
        pytest.skip("nothing to differentiate")
    x = make(array(), "float64").requires_grad_()
    check(lambda x: (x * x)[as_tensors(index)], [x], atol=1e-4)


@pytest.mark.parametrize(
    "index", [1, slice(0, 2), (..., 2), (slice(None), [0, 2]), MASK1, (1, [3, 0]), (..., MASK_LAST)], ids=show
)
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_gradient_of_set(index, check):
    x = make(array(), "float64").requires_grad_()
    value = make(array(shape=array()[index].shape, seed=2), "float64").requires_grad_()

    def changed(x, value):
        y = x * x
        y[as_tensors(index)] = value * value
        return y * y

    check(changed, [x, value], atol=1e-4)


@pytest.mark.parametrize("index", [1, [0, 0, 2], MASK1], ids=show)
def test_gradient_of_set_number(index):
    x = make(array(), "float64").requires_grad_()

    def changed(x):
        y = x * 2
        y[index] = 3.0
        return y * y

    assert gradcheck(changed, [x])


def test_an_integer_beside_a_mask_selects_first():
    x = make(array(), "float64")
    assert np.array_equal(
        values_of(x[1, ..., ft.tensor(MASK_LAST)]), array()[1][..., MASK_LAST]
    )  # NumPy alone moves the mask


def test_repeated_indices_add_their_gradients():
    x = ft.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, 0, 2]].sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 1.0]


# ----------------------------------------------------------------------------------------------- errors
ERRORS = [
    (3, IndexError, "3"),
    (-4, IndexError, "-4"),
    ((0, 4), IndexError, "4"),
    ((0, 0, 0, 0), IndexError, "at most 3 indices for shape (3, 4, 5); got 4"),
    ([0, 3], IndexError, "index 3 at position 1"),
    ((slice(None), [0, 1, -5]), IndexError, "index -5 at position 2"),
    (np.array([0, 1, 9]), IndexError, "index 9 at position 2"),
    (np.array([True, False]), IndexError, "(2,)"),
    ((..., ...), IndexError, "ellipsis"),
    *((index, kind, "float") for index in (1.0, np.array([0.5]), [0.0, 1.0]) for kind in (TypeError, IndexError)),
    *((np.array(index, np.uint8), kind, "uint8") for index in ([0, 1], []) for kind in (TypeError, IndexError)),
    ("a", TypeError, "str"),
    ("a", IndexError, "str"),
    (slice(None, None, -1), ValueError, "step"),
    (slice(None, None, 0), ValueError, "step"),
    (slice(0.5, None), TypeError, ""),
]


@pytest.mark.parametrize(("index", "kind", "text"), ERRORS, ids=[show(one[0]) for one in ERRORS])
def test_errors_of_get(index, kind, text):
    raises(kind, lambda: make(array(), "float64")[index], text)


@pytest.mark.parametrize(("index", "kind", "text"), ERRORS, ids=[show(one[0]) for one in ERRORS])
def test_errors_of_set_change_nothing(index, kind, text):
    x = make(array(), "float64")

    def assign():
        x[index] = 9.0

    raises(kind, assign, text)
    assert np.array_equal(values_of(x), array())
    assert x._version == 0


@pytest.mark.parametrize("index", [0, slice(0, 2), [0, 1], MASK1, (..., 1)], ids=show)
def test_values_that_do_not_fit_change_nothing(index):
    x = make(array(), "float64")
    for value in (ft.ones(7), ft.ones(2, 2, 2, 2, 2, 3), 1j, ft.ones(1, dtype=ft.complex64), "text", None):
        with pytest.raises((ValueError, TypeError)):
            x[index] = value
    assert np.array_equal(values_of(x), array())
    assert x._version == 0


def test_a_number_out_of_range_changes_nothing():
    x = ft.zeros(3, dtype=ft.uint8)
    with pytest.raises(OverflowError, match="300"):
        x[0] = 300
    with pytest.raises(OverflowError, match="-1"):
        x[[0, 1]] = -1
    assert x.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "index",
    [[[0, 1], [1, 2]], [slice(0, 1), [1]], [None, 0], [..., 1], [ft.tensor([0, 1]), 1], [[True, False]]],
    ids=str,
)
def test_a_list_of_more_than_numbers_is_a_tuple(index):
    x = ft.arange(24).reshape(2, 3, 4)
    with pytest.warns(FutureWarning, match=r"is read as x\[a, b\]") as heard:
        assert ft.equal(x[index], x[tuple(index)])
    assert heard[0].filename == __file__
    changed, expected = x.clone(), x.clone()
    with pytest.warns(FutureWarning):
        changed[index] = -1
    expected[tuple(index)] = -1
    assert ft.equal(changed, expected)


def test_overlapping_targets_are_refused():
    x = ft.zeros(1, 3).expand(2, 3)
    with pytest.raises(RuntimeError, match="share"):
        x[:] = 1
    with pytest.raises(RuntimeError, match="share"):
        x[[0, 1]] = 1


def test_leaf_that_requires_a_gradient():
    x = ft.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 1
    with pytest.raises(RuntimeError, match="leaf"):
        x[[0, 1]] = 1
    assert x.detach().tolist() == [0.0, 0.0, 0.0]


def test_iteration_and_length():
    x = ft.arange(6).view(3, 2)
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert len(x) == 3
    assert [1, 2][ft.tensor(1)] == 2
    with pytest.raises(TypeError, match="integer"):
        [1, 2][ft.tensor(1.0)]


# ------------------------------------------------------------------------------------------- hypothesis
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


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4), (0, 3), (3, 0)])
@pytest.mark.parametrize("dtype", [ft.bool, ft.int32, ft.float32, ft.complex64])
def test_nonzero(shape, dtype):
    """Against NumPy, of tensors that lie in order and those that do not."""
    array = np.random.default_rng(3).integers(0, 2, shape)
    for here, there in (
        (array, ft.tensor(array, dtype=dtype)),
        (array.T, ft.tensor(array, dtype=dtype).permute(*range(array.ndim)[::-1])),
    ):
        expected = np.argwhere(here)
        got = ft.nonzero(there)
        assert got.dtype is ft.int64
        assert tuple(got.shape) == expected.shape
        assert got.tolist() == expected.tolist()
        columns = ft.nonzero(there, as_tuple=True)
        assert [one.tolist() for one in columns] == [one.tolist() for one in np.nonzero(np.atleast_1d(here))]
        if array.ndim:
            assert there[columns[:1]].shape == there[columns[0]].shape


def test_one_tensor_alone_as_an_index():
    """The short way and the long one agree, errors too."""
    x = ft.arange(12).view(3, 4)
    for index in (ft.tensor([2, -1]), ft.tensor(1), ft.tensor([[0], [1]]), x > 5, ft.tensor([True, False, True])):
        assert x[index].tolist() == x[index, ...].tolist() == x.numpy()[index.numpy()].tolist()
    for index, error in (
        (ft.tensor([3]), "out of range"),
        (ft.tensor([True, False]), "does not fit"),
        (ft.tensor([1.0]), "integer"),
    ):
        for way in (index, (index,)):
            with pytest.raises((IndexError, TypeError), match=error):
                x[way]
    with pytest.raises(IndexError):
        ft.tensor(3)[ft.tensor([0])]
    assert x[:, 0][ft.tensor([], dtype=ft.int64)].tolist() == []


@pytest.mark.parametrize(
    "dtype",
    [
        ft.bool,
        ft.uint8,
        ft.int8,
        ft.int16,
        ft.int32,
        ft.int64,
        ft.float16,
        ft.bfloat16,
        ft.float32,
        ft.float64,
        ft.complex64,
    ],
)
def test_items(dtype):
    """Elements as Python numbers, from any place and any order of the memory."""
    x = ft.tensor([[0, 1], [2, 3]]).to(dtype)
    kind = bool if dtype is ft.bool else complex if dtype.is_complex else float if dtype.is_floating_point else int
    for i in range(2):
        for j in range(2):
            for view in (x[i, j], x.t()[j, i], x[i : i + 1, j : j + 1]):
                assert view.item() == kind(2 * i + j)
                assert type(view.item()) is kind


@pytest.mark.parametrize("dtype", [ft.int64, ft.int32, ft.int8])
def test_an_integer_in_a_tensor_is_an_integer(dtype):
    """As PyTorch has it: a view, any number of them in one index."""
    x = ft.arange(12.0).view(3, 4)
    one, last = ft.tensor(1, dtype=dtype), ft.tensor(-1, dtype=dtype)
    row = x[one]
    assert row.data_ptr() == x[1].data_ptr() and row.tolist() == [4, 5, 6, 7]
    assert x[one, last].item() == 7 and x[:, last].tolist() == [3, 7, 11]
    assert x[one, ft.tensor([0, 2])].tolist() == [4, 6]
    x[one, last] += 1
    x[one].mul_(2)
    assert x[1].tolist() == [8, 10, 12, 16]
    with pytest.raises(IndexError, match="3 is out of range for dimension 0 of size 3"):
        x[ft.tensor(3, dtype=dtype)]
    y = ft.arange(3.0, requires_grad=True)
    (y[last] * 3).backward()
    assert y.grad.tolist() == [0, 0, 3]


def test_tensors_that_do_not_go_together():
    x = ft.ones(3, 4)
    with pytest.raises(
        IndexError, match=r"getitem: expected tensors that broadcast, .* shapes \(2,\) and \(3,\); .*x\[rows\]"
    ):
        x[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError, match=r"getitem: 4 is out of range for dimension 1 of size 4; expected -4 to 3"):
        x[[0, 1], [0, 4]]
    with pytest.raises(IndexError, match=r"setitem: -4 is out of range for dimension 0 of size 3"):
        x[[0, -4], [0, 1]] = 5.0
    assert x.sum().item() == 12


@pytest.mark.parametrize(
    "index",
    [(True, [2, 1]), (False, [0]), (True, True), (True, None, slice(0, 2), True), ([2], False, ...), (..., True)],
)
def test_bools_beside_others(index):
    """A bool is a dimension of length 1 or 0 of its own, as in NumPy."""
    array = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(ft.tensor(array)[index].numpy(), array[index])
    changed, expected = ft.tensor(array), array.copy()
    changed[index], expected[index] = 5.0, 5.0
    np.testing.assert_array_equal(changed.numpy(), expected)
