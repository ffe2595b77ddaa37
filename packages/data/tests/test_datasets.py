"""Datasets by index: arrays, subsets and concatenations; random splits."""

import numpy as np
import pytest
from data_helpers import Exported, Stream
from hypothesis import given
from hypothesis import strategies as st

from facula_data import (
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from facula_errors.testing import raises


def test_a_sample_has_a_part_of_each_array():
    x, y = np.arange(6.0).reshape(3, 2), np.array([7, 8, 9])
    data = TensorDataset(x, y)
    assert len(data) == 3
    sample = data[-1]
    assert type(sample) is tuple
    assert sample[0].tolist() == [4, 5]
    assert sample[1] == 9
    assert np.shares_memory(sample[0], x)
    assert [part.tolist() for part in data[[0, 2]]] == [[[0, 1], [4, 5]], [7, 9]]
    assert [part.tolist() for part in data[1:]] == [[[2, 3], [4, 5]], [8, 9]]
    assert [sample[1] for sample in data] == [7, 8, 9]


def test_samples_are_of_the_arrays_own_type():
    (part,) = TensorDataset(Exported(np.eye(3)))[1]
    assert isinstance(part, Exported)


@pytest.mark.parametrize("layout", ["C", "F", "strided", "unaligned", "readonly", "memmap"])
def test_get_batch_takes_rows_of_any_layout(layout, tmp_path):
    x = np.arange(24, dtype=np.float32).reshape(6, 4)
    expected = x[[5, 0, -1]].copy()
    if layout == "F":
        x = np.asfortranarray(x)
    elif layout == "strided":
        x = np.repeat(x, 2, axis=1)[:, ::2]
    elif layout == "unaligned":
        x = np.frombuffer(b"\0" + x.tobytes(), np.float32, offset=1).reshape(6, 4)
    elif layout == "readonly":
        x.flags.writeable = False
    elif layout == "memmap":
        np.save(tmp_path / "x.npy", x)
        x = np.load(tmp_path / "x.npy", mmap_mode="r")
    (batch,) = TensorDataset(x).get_batch(np.array([5, 0, -1]))
    assert type(batch) is np.ndarray
    np.testing.assert_array_equal(batch, expected)
    assert batch.flags.c_contiguous
    assert batch.flags.writeable
    assert not np.shares_memory(batch, x)


@pytest.mark.parametrize(
    "x",
    [
        np.array(["a", "b"]),
        np.array([b"a", b"b"]),
        np.array([1, None], object),
        np.ma.masked_array([1, 2], [True, False]),
        np.array([1, 2], np.dtype(">i4")),
        np.zeros(2, [("a", "i4")]),
    ],
    ids=lambda x: str(x.dtype),
)
def test_get_batch_is_not_implemented_if_it_would_change_samples(x):
    assert TensorDataset(x).get_batch(np.array([0])) is NotImplemented


def test_every_access_checks_the_range():
    data = TensorDataset(np.zeros((3, 2)))
    asked = ((3, lambda: data[3]), (-4, lambda: data[np.int64(-4)]), (3, lambda: data.get_batch(np.array([0, 3]))))
    for index, ask in asked:
        with raises(IndexError, "TensorDataset", "expected an index from -3 to 2", value=index):
            ask()
    with raises(IndexError, "TensorDataset", "there are no samples"):
        TensorDataset(np.zeros((0, 2)))[0]


@pytest.mark.parametrize(
    ("tensors", "error", "message"),
    [
        ((), ValueError, "at least one array"),
        (([1, 2],), TypeError, "got list for argument 0; numpy.asarray"),
        ((np.zeros(2), np.array(1)), TypeError, "got shape () for argument 1"),
        ((np.zeros((2, 3)), np.zeros(3)), ValueError, "got (2, 3) for argument 0 and (3,) for argument 1"),
    ],
)
def test_arrays_without_samples(tensors, error, message):
    with raises(error, "TensorDataset", message):
        TensorDataset(*tensors)


@pytest.mark.parametrize("caught", [ValueError, AssertionError])
def test_sizes_that_differ_are_caught_as_pytorchs_programs_do(caught):
    with raises(caught, "TensorDataset", "first dimensions of one size"):
        TensorDataset(np.zeros(2), np.zeros(3))
    with raises(caught, "ConcatDataset", "at least one dataset"):
        ConcatDataset([])


@given(st.lists(st.integers(-4, 3), max_size=8))
def test_a_subset(indices):
    for form in (indices, np.array(indices, np.int64), tuple(indices)):
        subset = Subset("abcd", form)
        assert len(subset) == len(indices)
        assert list(subset) == ["abcd"[index] for index in indices]


def test_a_subset_of_keys_and_of_subsets():
    assert list(Subset({"a": 1, "b": 2}, ["b", "a"])) == [2, 1]
    inner = Subset(TensorDataset(np.arange(10)), np.array([9, 8, 7, 6]))
    outer = Subset(inner, [3, 0])
    assert [sample[0] for sample in outer] == [6, 9]
    assert outer.get_batch(np.array([1, 0]))[0].tolist() == [9, 6]
    assert outer[[0, 1]][0].tolist() == [6, 9]
    assert outer[1:][0].tolist() == [9]


def test_a_subset_has_the_quick_methods_of_its_dataset():
    class Lists(list):
        def __getitems__(self, indices):
            return [("many", self[index]) for index in indices]

    assert Subset(Lists([5, 6, 7]), [2, 0]).__getitems__([0, 1]) == [("many", 7), ("many", 5)]
    assert not hasattr(Subset([5, 6], [0]), "__getitems__")
    assert not hasattr(Subset([5, 6], [0]), "get_batch")


@pytest.mark.parametrize("indices", [[0, 1], np.array([0, 1])], ids=["list", "array"])
def test_a_subset_names_an_index_out_of_range(indices):
    subset = Subset(TensorDataset(np.arange(9)), indices)
    for ask in (lambda: subset[2], lambda: subset.get_batch(np.array([0, 2]))):
        with raises(IndexError, "Subset", "expected an index from -2 to 1", value=2):
            ask()
    with raises(TypeError, "Subset", "expected an integer as index", value=0.5):
        subset[0.5]


@pytest.mark.parametrize("mask", [np.array([True, False]), np.zeros((2, 1), int)])
def test_a_subset_refuses_a_mask(mask):
    with raises(TypeError, "Subset", "flatnonzero"):
        Subset("ab", mask)


@given(st.lists(st.text(max_size=4), min_size=1, max_size=4))
def test_concatenation(texts):
    joined = "".join(texts)
    both = ConcatDataset(texts)
    assert len(both) == len(joined)
    assert [both[i] for i in range(len(joined))] == list(joined)
    assert [both[-i - 1] for i in range(len(joined))] == list(joined[::-1])
    for beyond in (len(joined), -len(joined) - 1):
        with raises(IndexError, "ConcatDataset"):
            both[beyond]


def test_datasets_add_up():
    both = TensorDataset(np.array([1])) + TensorDataset(np.array([2]))
    assert isinstance(both, ConcatDataset)
    assert [sample[0] for sample in both] == [1, 2]


@pytest.mark.parametrize(
    ("datasets", "error", "message"),
    [
        ([], ValueError, "at least one dataset"),
        (["a", Stream(3)], TypeError, "got Stream at position 1"),
        ([iter("a")], TypeError, "at position 0"),
    ],
)
def test_datasets_that_cannot_be_concatenated(datasets, error, message):
    with raises(error, "ConcatDataset", message):
        ConcatDataset(datasets)


def test_chained_streams():
    chained = ChainDataset(Stream(n) for n in (2, 0, 3))
    assert list(chained) == [*Stream(2), *Stream(3)] and list(chained) == []  # exhausted
    both = Stream(2) + Stream(3)
    assert isinstance(both, ChainDataset) and isinstance(both, IterableDataset)
    assert [*both, *both] == [*Stream(2), *Stream(3)] * 2
    assert [batch.tolist() for batch in DataLoader(both, batch_size=4)] == [[*Stream(2), *Stream(2)], [2]]
    with raises(TypeError, "ChainDataset", "an iterator of datasets has no len()"):
        len(chained)
    with pytest.raises(TypeError, match="endless"):
        len(both + Stream(1, sized=False))
    assert len(both) == 5
    mixed = iter(ChainDataset([Stream(1), "ab"]))
    assert next(mixed) == 0
    with raises(TypeError, "ChainDataset", "IterableDataset", "ConcatDataset", value="str at position 1"):
        next(mixed)
    with raises(TypeError, "ChainDataset", "expected an iterable of datasets", value="int"):
        ChainDataset(3)


def test_datasets_without_required_methods_raise():
    with raises(NotImplementedError, "Dataset", "__getitem__"):
        Dataset()[0]
    with raises(NotImplementedError, "IterableDataset", "__iter__"):
        iter(IterableDataset())


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 99))
def test_parts_are_disjoint_and_complete(lengths, seed):
    parts = random_split(range(sum(lengths)), lengths, generator=seed)
    assert [len(part) for part in parts] == lengths
    assert sorted(sample for part in parts for sample in part) == list(range(sum(lengths)))
    again = random_split(range(sum(lengths)), lengths, generator=seed)
    assert [list(part) for part in parts] == [list(part) for part in again]


@pytest.mark.parametrize(
    ("count", "fractions", "lengths"),
    [
        (10, [0.25, 0.25, 0.5], [3, 2, 5]),
        (10, [0.8, 0.2], [8, 2]),
        (7, [0.5, 0.5], [4, 3]),
        (3, [1.0], [3]),
        (1, [1], [1]),
    ],
)
def test_fractions(count, fractions, lengths):
    assert [len(part) for part in random_split(range(count), fractions)] == lengths


def test_an_empty_part_is_a_warning():
    with pytest.warns(UserWarning, match="part 1 of 3 samples is empty"):
        random_split(range(3), [3, 0])


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([1, 1], "sum to the 3 samples ... got [1, 1], which sum to 2"),
        ([0.5, 0.6], "fractions that sum to 1"),
        ([1.5, -0.5], "lengths[0]=1.5"),
        ([1.5, 1.5], "lengths[0]=1.5"),
        ([4, -1], "lengths[1]=-1"),
        ([], "which sum to 0"),
    ],
)
def test_invalid_lengths(lengths, message):
    with raises(ValueError, "random_split", message):
        random_split(range(3), lengths)


def test_a_split_and_a_shuffle_with_one_seed_are_not_the_same_order():
    from facula_data import RandomSampler

    (whole,) = random_split(range(50), [50], generator=0)
    assert list(whole) != RandomSampler(range(50), generator=0).order(0).tolist()


def test_reprs():
    data = TensorDataset(np.zeros((5, 2), np.float32), np.zeros(5, np.int64))
    assert repr(data) == "TensorDataset(5 samples: (2,) float32, () int64)"
    assert repr(Subset(data, [0])) == f"Subset(1 of {data!r})"
    assert repr(ConcatDataset(["ab"])) == "ConcatDataset(['ab'])"
