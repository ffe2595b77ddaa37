"""The loader's batches, for each way of reading them."""

import copy
import pickle

import numpy as np
import pytest
from data_helpers import Exported, Plain, Stream, assert_alike
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from facula_data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    default_collate,
    random_split,
)


def batches(loader):
    return [batch.tolist() for batch in loader]


def indices(loader):
    return [index for batch in loader for index in batch.tolist()]


DTYPES = ["f2", "f4", "f8", ">f4", "i1", "u2", "i8", "?", "c8", "M8[s]", "U2", "S2", "O"]


@given(st.data(), st.integers(1, 12), st.integers(1, 5), st.booleans(), st.booleans(), st.booleans())
def test_get_batch_equals_collated_samples(data, count, size, shuffle, drop_last, exported):
    """One fancy index per array yields the same types, dtypes, shapes and contents as single samples."""
    columns = []
    for _ in range(data.draw(st.integers(1, 3))):
        dtype = np.dtype(data.draw(st.sampled_from(DTYPES)))
        inner = data.draw(npst.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
        values = np.arange(count * int(np.prod(inner))).reshape(count, *inner)
        array = values.astype(dtype) if dtype.kind != "O" else np.array(list(range(count)), object)
        order = data.draw(st.sampled_from("CF"))
        array = np.asarray(array, order=order)
        may_export = exported and dtype.kind in "biufc" and dtype.isnative
        columns.append(Exported(array) if may_export else array)
    quick = TensorDataset(*columns)
    if data.draw(st.booleans()):
        quick = Subset(quick, data.draw(st.sampled_from([list, np.array]))(list(range(count))[::-1]))
    arguments = {"batch_size": size, "shuffle": shuffle, "drop_last": drop_last, "generator": 0}
    whole, each = DataLoader(quick, **arguments), DataLoader(Plain(quick), **arguments)
    assert len(whole) == len(each)
    assert_alike(list(whole), list(each))


def test_the_fast_path_is_used(monkeypatch):
    """Samples are not read one by one: otherwise the test above would compare a path with itself."""
    monkeypatch.setattr(TensorDataset, "__getitem__", lambda self, index: pytest.fail("read a single sample"))
    train, _ = random_split(TensorDataset(np.arange(10), Exported(np.eye(10))), [0.8, 0.2])
    assert sum(len(y) for y, _ in DataLoader(train, batch_size=3, shuffle=True)) == 8
    assert sum(len(y) for y, _ in DataLoader(Subset(train, [0, 1]), batch_size=3)) == 2


@pytest.mark.parametrize("base", [TensorDataset, Subset])
def test_a_transform_in_a_subclass_is_not_bypassed(base):
    class Doubled(base):
        def __getitem__(self, index):
            return super().__getitem__(index)[0] * 2

    made = Doubled(np.arange(4)) if base is TensorDataset else Doubled(TensorDataset(np.arange(4)), [0, 1, 2, 3])
    assert batches(DataLoader(made, batch_size=4)) == [[0, 2, 4, 6]]
    assert batches(DataLoader(Subset(made, [3, 1]), batch_size=2)) == [[6, 2]]


def test_pytorchs_getitems_gives_samples():
    class Many(Plain):
        def __getitems__(self, indices):
            assert all(type(index) is int for index in indices)
            return [self.dataset[index] + 100 for index in indices]

    assert batches(DataLoader(Many(range(5)), batch_size=2)) == [[100, 101], [102, 103], [104]]
    assert DataLoader(Many(range(5)), batch_size=5, collate_fn=sum).__iter__().__next__() == 510


def test_a_custom_dataset_may_define_get_batch():
    class Table(Dataset):
        def __getitem__(self, index):
            return {"x": float(index), "pair": (index, index)}

        def __len__(self):
            return 5

        def get_batch(self, indices):
            return {"x": indices.astype(float), "pair": (indices.copy(), indices.copy())}

    assert_alike(list(DataLoader(Table(), batch_size=2)), list(DataLoader(Plain(Table()), batch_size=2)))


@given(st.integers(0, 30), st.integers(1, 8), st.booleans())
def test_in_order(count, size, drop_last):
    loader = DataLoader(range(count), batch_size=size, drop_last=drop_last)
    expected = [list(range(count))[i : i + size] for i in range(0, count, size)]
    expected = [group for group in expected if len(group) == size or not drop_last]
    assert batches(loader) == expected
    assert len(loader) == len(expected)
    stream = DataLoader(Stream(count), batch_size=size, drop_last=drop_last)
    assert batches(stream) == expected
    assert len(stream) == len(expected)


def test_shuffled_epochs_differ_and_are_complete():
    loader = DataLoader(range(40), batch_size=7, shuffle=True, generator=0)
    first, second = (indices(loader) for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second) == list(range(40))
    assert first == RandomSampler(range(40), generator=0).order(0).tolist()
    again = DataLoader(range(40), batch_size=5, shuffle=True, generator=0)
    assert indices(again) == first


def test_samplers():
    assert batches(DataLoader(b"abcd", batch_size=2, sampler=[3, 0, 1])) == [[100, 97], [98]]
    assert batches(DataLoader(range(9), batch_size=2, sampler=np.array([3, 0, 1]))) == [[3, 0], [1]]
    assert sorted(indices(DataLoader(range(9), sampler=SubsetRandomSampler([2, 5])))) == [2, 5]
    loader = DataLoader(range(9), batch_sampler=[[0, 8], [3]])
    assert batches(loader) == [[0, 8], [3]]
    assert len(loader) == 2
    assert loader.batch_size is None
    assert batches(DataLoader(range(9), batch_sampler=[np.array([0, 8]), (3,)])) == [[0, 8], [3]]


def test_keys_that_are_not_integers():
    assert batches(DataLoader({"a": 1, "b": 2}, batch_size=2, sampler=["b", "a"])) == [[2, 1]]


def test_without_batches():
    data = TensorDataset(np.eye(2), np.array([5, 6]))
    samples = list(DataLoader(data, batch_size=None))
    assert_alike(samples, [[np.array([1.0, 0]), np.array(5)], [np.array([0.0, 1]), np.array(6)]])
    assert list(DataLoader(Stream(3), batch_size=None)) == [0, 1, 2]
    assert len(DataLoader(data, batch_size=None)) == 2
    assert sorted(DataLoader(range(5), batch_size=None, shuffle=True)) == [0, 1, 2, 3, 4]


def test_collate_fn_and_convert():
    assert list(DataLoader(range(5), batch_size=2, collate_fn=list)) == [[0, 1], [2, 3], [4]]
    seen = DataLoader(range(3), batch_size=2, collate_fn=lambda samples: {"n": np.array(samples)}, convert=np.sum)
    assert list(seen) == [{"n": 1}, {"n": 2}]
    data = TensorDataset(np.arange(4.0), np.arange(4))
    for dataset in (data, Plain(data)):
        assert list(DataLoader(dataset, batch_size=4, convert=np.ndarray.tolist)) == [[[0, 1, 2, 3], [0, 1, 2, 3]]]
    assert list(DataLoader(Stream(2), batch_size=2, convert=np.ndarray.tolist)) == [[0, 1]]
    assert list(DataLoader(TensorDataset(np.arange(2)), batch_size=None, convert=np.ndarray.tolist)) == [[0], [1]]


def test_batches_own_their_memory():
    x = np.zeros((4, 2))
    for dataset in (TensorDataset(x), Plain(TensorDataset(x)), Subset(TensorDataset(x), [0, 1])):
        for (batch,) in DataLoader(dataset, batch_size=2):
            batch += 1
    assert not x.any()


def test_several_passes_at_once():
    loader = DataLoader(range(6), batch_size=2, shuffle=True, generator=0)
    one, other = iter(loader), iter(loader)
    mixed = [(next(one).tolist(), next(other).tolist()) for _ in range(3)]
    fresh = DataLoader(range(6), batch_size=2, shuffle=True, generator=0)
    assert [pair[0] for pair in mixed] == batches(fresh)
    assert [pair[1] for pair in mixed] == batches(fresh)


def test_copies_and_pickles_of_a_loader_keep_its_position():
    loader = DataLoader(range(10), batch_size=2, shuffle=True, generator=1)
    running = iter(loader)
    next(running)
    expected = None
    for twin in (copy.deepcopy(loader), pickle.loads(pickle.dumps(loader))):
        assert twin.state_dict() == loader.state_dict()
        following = batches(twin)
        expected = expected or following
        assert following == expected


def test_attributes_that_pytorch_programs_read():
    loader = DataLoader(range(3), 2, True, drop_last=True)
    assert (loader.batch_size, loader.drop_last, loader.num_workers) == (2, True, 0)
    assert isinstance(loader.sampler, RandomSampler)
    assert loader.batch_sampler.batch_size == 2
    assert isinstance(DataLoader(range(3)).sampler, SequentialSampler)
    assert loader.collate_fn is default_collate
    assert (loader._dataset_kind, loader._auto_collation, loader._index_sampler) == (0, True, loader.batch_sampler)
    single, streamed = DataLoader(range(3), None), DataLoader(Stream(3))
    assert (single._auto_collation, single._index_sampler) == (False, single.sampler)
    assert (streamed._dataset_kind, streamed._auto_collation) == (1, True)


def test_reprs():
    data = TensorDataset(np.zeros(5))
    assert repr(DataLoader(data, 2, True)) == f"DataLoader({data!r}, batch_size=2, shuffle=True, 3 batches)"
    assert repr(DataLoader("ab", None)) == "DataLoader('ab', batch_size=None, 2 samples)"
    assert repr(DataLoader("ab", sampler=[1])) == "DataLoader('ab', batch_size=1, sampler=[1], 1 batches)"
    assert repr(DataLoader("ab", batch_sampler=[[1]])) == "DataLoader('ab', batch_sampler=[[1]], 1 batches)"
    assert "batches" not in repr(DataLoader(Stream(3, sized=False)))


def test_a_loader_accepts_a_type_parameter():
    """The type parameter works in annotations and at construction, without effect."""
    assert [batch.tolist() for batch in DataLoader[int](range(3), batch_size=2)] == [[0, 1], [2]]

    class Numbers(DataLoader[int]):
        pass

    assert len(Numbers(range(3))) == 3
    assert ConcatDataset[int]([range(2), range(3)])[4] == Subset[int](range(9), [2])[0] == 2


def test_pin_memory_warns_once():
    """There is one warning at the program's line; batches are the same as without it."""
    from facula_data._loading import arguments

    arguments._warned.clear()
    with pytest.warns(UserWarning, match="pin_memory=True has no effect, because there is no device") as caught:
        loader = DataLoader(range(4), batch_size=2, pin_memory=True)
    assert caught[0].filename == __file__ and loader.pin_memory
    assert [batch.tolist() for batch in DataLoader(range(4), batch_size=2, pin_memory=True)] == [[0, 1], [2, 3]]
