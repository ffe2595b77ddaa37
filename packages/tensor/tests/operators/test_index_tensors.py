"""Tensors as indices, `nonzero`, and elements as Python numbers."""

import numpy as np
import pytest

import facula_tensor as ft


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
