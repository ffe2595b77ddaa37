"""Tensors as indices, `nonzero`, and elements as Python numbers."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4), (0, 3), (3, 0)])
@pytest.mark.parametrize("dtype", [ft.bool, ft.int32, ft.float32, ft.complex64])
def test_nonzero(shape, dtype):
    """Compared with NumPy, for contiguous tensors and others."""
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
        assert [column.tolist() for column in columns] == [
            positions.tolist() for positions in np.nonzero(np.atleast_1d(here))
        ]
        if array.ndim:
            assert there[columns[:1]].shape == there[columns[0]].shape


def test_a_single_tensor_as_an_index():
    """The fast path and the slow path agree, also in errors."""
    x = ft.arange(12).view(3, 4)
    for index in (ft.tensor([2, -1]), ft.tensor(1), ft.tensor([[0], [1]]), x > 5, ft.tensor([True, False, True])):
        assert x[index].tolist() == x[index, ...].tolist() == x.numpy()[index.numpy()].tolist()
    for index, error in (
        (ft.tensor([3]), "out of range"),
        (ft.tensor([True, False]), "does not fit"),
        (ft.tensor([1.0]), "integer"),
    ):
        for way in (index, (index,)):
            with raises((IndexError, TypeError), "getitem", error):
                x[way]
    with pytest.raises(IndexError):
        ft.tensor(3)[ft.tensor([0])]
    assert x[:, 0][ft.tensor([], dtype=ft.int64)].tolist() == []


K = ft.tensor([0, 3, -1])
READS = {
    "three": lambda x: x[K, K, K],
    "two": lambda x: x[K, K],
    "two apart": lambda x: x[K, :, K],
    "two of a view": lambda x: x[1:, K, K],
    "an axis between": lambda x: x[K, None, K],
    "grid": lambda x: x[K[:, None], K],
    "lists": lambda x: x[[0, 1], [1, 0]],
    "masks": lambda x: x[K, ft.arange(4) > 0],
    "mask": lambda x: x[ft.arange(16).view(4, 4) > 5],
    "whole mask": lambda x: x[ft.arange(64).view(4, 4, 4) % 5 == 0],
    "take": lambda x: x.take(ft.tensor([[0, 63], [-2, 21]])),
    "take_along_dim": lambda x: ft.take_along_dim(x, ft.tensor([[0, 63], [-2, 21]])),
    "transposed": lambda x: x.movedim(0, 2)[K, K, K],
}
FORMS = {
    "rows": lambda: ft.arange(4.0).view(4, 1, 1),
    "columns": lambda: ft.arange(4.0),
    "middle": lambda: ft.arange(4.0).view(1, 4, 1),
    "matrix": lambda: ft.arange(16.0).view(4, 1, 4),
    "strided": lambda: ft.arange(16.0).view(4, 4)[:, ::4].unsqueeze(2),
    "one": lambda: ft.tensor(5.0),
    "whole": lambda: ft.arange(64.0).view(4, 4, 4),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("read", READS)
def test_reads_of_repeated_elements(read, form):
    """Compared with a copy, with and without gradients; also for the expanded tensor itself."""
    for recorded in (False, True):
        given = FORMS[form]().requires_grad_(recorded)
        expanded = given.expand(4, 4, 4)
        copied = expanded.detach().clone().requires_grad_(recorded)
        found, wanted = READS[read](expanded), READS[read](copied)
        assert found.tolist() == wanted.tolist()
        if recorded:
            weights = ft.arange(found.numel() * 1.0).view(found.shape)
            expanded.retain_grad()
            (found * weights).sum().backward()
            (wanted * weights).sum().backward()
            assert expanded.grad.tolist() == copied.grad.tolist()
            assert given.grad.tolist() == copied.grad.sum_to_size(given.shape).tolist()


HUGE = 1 << 11, 1 << 10, 1 << 10
AT = ft.tensor([0, 5, 1023])
WRITES = {
    "setitem": lambda x: x.__setitem__((AT, AT, AT), 1.0),
    "setitem of rows": lambda x: x.__setitem__(AT, 1.0),
    "setitem of a mask": lambda x: x.__setitem__(ft.arange(1 << 11) < 3, ft.zeros(3, 1, 1)),
    "index_put_": lambda x: x.index_put_((AT, AT, AT), ft.zeros(1)),
    "put_": lambda x: x.put_(AT, ft.zeros(3)),
    "index_fill_": lambda x: x.index_fill_(0, AT, 1.0),
    "index_add_": lambda x: x.index_add_(0, AT, ft.zeros(1).expand(3, *HUGE[1:])),
    "index_copy_": lambda x: x.index_copy_(0, AT, ft.zeros(1).expand(3, *HUGE[1:])),
    "index_reduce_": lambda x: x.index_reduce_(0, AT, ft.zeros(1).expand(3, *HUGE[1:]), "amax"),
    "masked_fill_": lambda x: x.masked_fill_(ft.tensor(False), 1.0),
    "masked_scatter_": lambda x: x.masked_scatter_(ft.tensor(False), ft.zeros(3)),
    "scatter_": lambda x: x.scatter_(0, AT.view(3, 1, 1), 1.0),
    "scatter_add_": lambda x: x.scatter_add_(0, AT.view(3, 1, 1), ft.zeros(3, 1, 1)),
    "scatter_reduce_": lambda x: x.scatter_reduce_(0, AT.view(3, 1, 1), ft.zeros(3, 1, 1), "amax"),
}


def test_large_expanded_tensors_are_not_copied():
    """A copy would fail: it exceeds the memory that this process may use."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_AS)
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 30), limits[1]))
    try:
        for form in (ft.zeros(1), ft.zeros(HUGE[0], 1, 1), ft.zeros(HUGE[1], 1), ft.zeros(2 * HUGE[2])[::2]):
            x = form.expand(HUGE)
            for name, read in READS.items():
                if "mask" not in name:
                    assert read(x).amax().item() == 0, name
            for name, write in WRITES.items():
                with raises(RuntimeError, name.partition(" ")[0], "share one place in memory"):
                    write(x)
            with raises(IndexError, "take", "2147483648", "out of range for a dimension of size 2147483648"):
                x.take(ft.tensor([x.numel()]))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


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
    """Elements as Python numbers, from any position and any memory layout."""
    x = ft.tensor([[0, 1], [2, 3]]).to(dtype)
    kind = bool if dtype is ft.bool else complex if dtype.is_complex else float if dtype.is_floating_point else int
    for i in range(2):
        for j in range(2):
            for view in (x[i, j], x.t()[j, i], x[i : i + 1, j : j + 1]):
                assert view.item() == kind(2 * i + j)
                assert type(view.item()) is kind


@pytest.mark.parametrize("dtype", [ft.int64, ft.int32, ft.int8])
def test_an_integer_in_a_tensor_is_an_integer(dtype):
    """As in PyTorch: the result is a view, for any number of them in one index."""
    x = ft.arange(12.0).view(3, 4)
    one, last = ft.tensor(1, dtype=dtype), ft.tensor(-1, dtype=dtype)
    row = x[one]
    assert row.data_ptr() == x[1].data_ptr() and row.tolist() == [4, 5, 6, 7]
    assert x[one, last].item() == 7 and x[:, last].tolist() == [3, 7, 11]
    assert x[one, ft.tensor([0, 2])].tolist() == [4, 6]
    x[one, last] += 1
    x[one].mul_(2)
    assert x[1].tolist() == [8, 10, 12, 16]
    with raises(IndexError, "getitem", "3 is out of range for dimension 0 of size 3"):
        x[ft.tensor(3, dtype=dtype)]
    y = ft.arange(3.0, requires_grad=True)
    (y[last] * 3).backward()
    assert y.grad.tolist() == [0, 0, 3]


def test_incompatible_tensors():
    x = ft.ones(3, 4)
    with raises(IndexError, "getitem", "expected tensors that broadcast", "shapes (2,) and (3,)", "x[rows]"):
        x[[0, 1], [0, 1, 2]]
    with raises(IndexError, "getitem", "4 is out of range for dimension 1 of size 4", "expected -4 to 3"):
        x[[0, 1], [0, 4]]
    with raises(IndexError, "setitem", "-4 is out of range for dimension 0 of size 3"):
        x[[0, -4], [0, 1]] = 5.0
    assert x.sum().item() == 12


@pytest.mark.parametrize(
    "index",
    [(True, [2, 1]), (False, [0]), (True, True), (True, None, slice(0, 2), True), ([2], False, ...), (..., True)],
)
def test_bools_with_other_indices(index):
    """A bool adds a dimension of length 1 or 0, as in NumPy."""
    array = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(ft.tensor(array)[index].numpy(), array[index])
    changed, expected = ft.tensor(array), array.copy()
    changed[index], expected[index] = 5.0, 5.0
    np.testing.assert_array_equal(changed.numpy(), expected)
