"""Parallel datasets."""

import pickle

import numpy as np
import pytest
from data_helpers import Stream, assert_alike

from facula_data import DataLoader, StackDataset, Subset, TensorDataset
from facula_data.files import MemoryMapped
from facula_data.transforms import MapDataset
from facula_errors.testing import raises

X, Y = np.arange(24.0).reshape(12, 2), np.arange(12)


class Quick(list):
    """A list that returns many samples in one call, negated."""

    def __getitems__(self, indices):
        return [-self[index] for index in indices]


@pytest.fixture
def mapped(tmp_path):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    return MemoryMapped(tmp_path / "x.npy"), MemoryMapped(tmp_path / "y.npy")


def batches(dataset):
    return list(DataLoader(dataset, batch_size=5, shuffle=True, generator=3))


def test_get_batch_equals_single_samples(mapped):
    x, y = mapped
    for whole, single in (
        (StackDataset(x, y), list(zip(X, Y, strict=True))),
        (StackDataset(x=x, y=y), [{"x": a, "y": b} for a, b in zip(X, Y, strict=True)]),
        (StackDataset(TensorDataset(X), Subset(y, np.arange(12))), [((a,), b) for a, b in zip(X, Y, strict=True)]),
    ):
        assert hasattr(whole, "get_batch")
        assert len(whole) == 12
        for one, other in zip(batches(whole), batches(single), strict=True):
            assert_alike(one, other)
        for one, other in zip(batches(pickle.loads(pickle.dumps(whole))), batches(single), strict=True):
            assert_alike(one, other)


def test_get_batch_requires_all_datasets(mapped):
    x, y = mapped
    doubled = StackDataset(x, MapDataset(y, lambda label: label * 2))
    assert not hasattr(doubled, "get_batch")
    assert not hasattr(doubled, "__getitems__")
    for one, other in zip(batches(doubled), batches(list(zip(X, Y * 2, strict=True))), strict=True):
        assert_alike(one, other)


def test_many_at_once():
    assert StackDataset(Quick([1, 2, 3]), "abc").__getitems__([2, 0]) == [(-3, "c"), (-1, "a")]
    assert StackDataset(n=Quick([1, 2, 3]), s="abc").__getitems__([1]) == [{"n": -2, "s": "b"}]

    class Short(Quick):
        def __getitems__(self, indices):
            return [0]

    with raises(ValueError, "StackDataset", "Short.__getitems__", value="1 for 2 indices"):
        StackDataset(Short([1, 2]), "ab").__getitems__([0, 1])


def test_datasets_that_do_not_match():
    with raises(ValueError, "StackDataset", value="0 without names and 0 with names"):
        StackDataset()
    with raises(ValueError, "StackDataset", value="1 without names and 1 with names"):
        StackDataset("a", b="b")
    with raises(ValueError, "StackDataset", value="2 samples for 0 and 3 for 1"):
        StackDataset("ab", "abc")
    with raises(ValueError, "StackDataset", value="2 samples for 'x' and 3 for 'y'"):
        StackDataset(x="ab", y="abc")
    with raises(TypeError, "StackDataset", value="Stream for 1"):
        StackDataset("abc", Stream(3))
    assert repr(StackDataset(s="ab")) == "StackDataset(s='ab')"
    with pytest.raises(IndexError):
        StackDataset("ab", "cd")[2]
