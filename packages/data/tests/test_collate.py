"""Collation of each kind of sample, and errors for samples that do not match."""

import array
import pickle
from collections import OrderedDict, UserDict, UserList, defaultdict, namedtuple
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from data_helpers import Exported, assert_alike
from hypothesis import given
from hypothesis import strategies as st

from facula_data import (
    CollateError,
    CollateTypeError,
    DataLoader,
    IterableDataset,
    default_collate,
    default_convert,
)
from facula_data.extend import Native
from facula_errors.testing import raises

Point = namedtuple("Point", "x y")


@dataclass
class Record:
    image: np.ndarray
    label: int
    seen: int = field(default=0, init=False)


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([1, 2], np.array([1, 2], np.int64)),
        ([1.0, 2.0], np.array([1, 2], np.float64)),
        ([True, False], np.array([True, False])),
        ([1, 2.5], np.array([1, 2.5])),
        ([True, 2], np.array([1, 2], np.int64)),
        ([1j, 2], np.array([1j, 2])),
        ([np.float32(1), np.float32(2)], np.array([1, 2], np.float32)),
        ([np.float32(1), 2.5], np.array([1, 2.5])),
        ([np.int8(1), np.int16(2)], np.array([1, 2], np.int16)),
        ([np.zeros(2, np.float32), np.ones(2)], np.array([[0.0, 0], [1, 1]])),
        ([np.zeros((0, 3)), np.zeros((0, 3))], np.zeros((2, 0, 3))),
        ([np.array(1), 2], np.array([1, 2])),
        (["a", "b"], ["a", "b"]),
        ([b"a", b"b"], [b"a", b"b"]),
        ([(1, "a"), (2, "b")], [np.array([1, 2]), ["a", "b"]]),
        ([[0, 1], [2, 3]], [np.array([0, 2]), np.array([1, 3])]),
        ([(), ()], []),
        ([range(2), range(2)], [np.array([0, 0]), np.array([1, 1])]),
        ([{"a": 1, "b": (2,)}, {"b": (4,), "a": 3}], {"a": np.array([1, 3]), "b": [np.array([2, 4])]}),
        ([array.array("f", [1, 2]), array.array("f", [3, 4])], np.array([[1, 2], [3, 4]], np.float32)),
        ([bytearray(b"ab"), memoryview(b"cd")], np.array([[97, 98], [99, 100]], np.uint8)),
    ],
    ids=repr,
)
def test_collation_of_samples(samples, expected):
    assert_alike(default_collate(samples), expected)


def test_namedtuples_and_dataclasses_keep_their_type():
    point = default_collate([Point(1, "a"), Point(2, "b")])
    assert type(point) is Point
    assert_alike(list(point), [np.array([1, 2]), ["a", "b"]])
    record = default_collate([Record(np.zeros(2), 3), Record(np.ones(2), 4)])
    assert type(record) is Record
    assert_alike([record.image, record.label], [np.array([[0.0, 0], [1, 1]]), np.array([3, 4])])


@pytest.mark.parametrize("cls", [OrderedDict, UserDict])
def test_mappings_keep_their_type(cls):
    batch = default_collate([cls(a=1), cls(a=2)])
    assert type(batch) is cls
    assert batch["a"].tolist() == [1, 2]


def test_a_defaultdict_keeps_its_factory():
    samples = [defaultdict(int, a=1), defaultdict(int, a=2)]
    batch = default_collate(samples)
    assert type(batch) is defaultdict and batch.default_factory is int
    assert batch["a"].tolist() == [1, 2] and samples[0] == {"a": 1}


def test_a_mapping_without_a_dict_constructor_becomes_a_dict():
    class Pairs(UserDict):
        def __init__(self, left, right):
            super().__init__(left=left, right=right)

    batch = default_collate([Pairs(1, 2), Pairs(3, 4)])
    assert type(batch) is dict
    assert batch["left"].tolist() == [1, 3]


def test_sequences_keep_their_type():
    batch = default_collate([UserList([1, 2]), UserList([3, 4])])
    assert type(batch) is UserList
    assert batch[1].tolist() == [2, 4]


def test_dlpack_is_enough():
    samples = [Exported(np.arange(3, dtype=np.float32)), Exported(np.ones(3, np.float32))]
    assert_alike(default_collate(samples), np.array([[0, 1, 2], [1, 1, 1]], np.float32))


def test_a_batch_owns_its_memory():
    sample = np.zeros(3)
    batch = default_collate([sample])
    batch += 1
    assert sample.tolist() == [0, 0, 0]
    assert batch.flags.owndata or batch.base.flags.owndata
    assert batch.flags.writeable


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=5))
def test_integers_are_exact(values):
    assert default_collate(values).tolist() == values


@given(st.lists(st.tuples(st.floats(), st.booleans(), st.text()), min_size=1, max_size=5))
def test_columns_are_the_samples_transposed(samples):
    floats, flags, texts = default_collate(samples)
    np.testing.assert_array_equal(floats, [sample[0] for sample in samples])
    assert flags.tolist() == [sample[1] for sample in samples]
    assert texts == [sample[2] for sample in samples]


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (
            [np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 5))],
            "one shape; got (3, 4) in sample 0 and (3, 5) in sample 2",
        ),
        ([{"a": (0, np.zeros(1))}, {"a": (0, np.zeros(2))}], "one shape at ['a'][1]; got (1,)"),
        ([Record(np.zeros(1), 0), Record(np.zeros(2), 0)], "one shape at .image; got"),
        ([(1, 2), (1,)], "one length; got length 2 in sample 0 and length 1 in sample 1"),
        ([{"a": 1}, {"a": 1, "b": 2}], "same keys ... got keys ['a'] in sample 0 and keys ['a', 'b'] in sample 1"),
        ([{"a": 1, "b": 2}, {"a": 1}], "same keys"),
        ([0, 1 << 63], "64 bits; got 9223372036854775808 in sample 1"),
    ],
    ids=repr,
)
def test_errors_name_mismatched_samples(samples, message):
    with raises(CollateError, "default_collate", message) as caught:
        default_collate(samples)
    assert isinstance(caught.value, RuntimeError)
    assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([None], "got NoneType in sample 0"),
        ([(1, {2})], "at [1]; got set"),
        ([Fraction(1, 2)], "got Fraction"),
        ([1, "a"], "a number or array in every sample; got str in sample 1"),
        ([[1], {"a": 1}], "a sequence in every sample; got dict in sample 1"),
        ([Point(1, 2), Record(1, 2)], "records of one type; got Point in sample 0 and Record in sample 1"),
        ([np.array([None])], "arrays of numbers; got dtype object"),
    ],
    ids=repr,
)
def test_samples_that_cannot_be_collated(samples, message):
    with raises(CollateTypeError, "default_collate", message) as caught:
        default_collate(samples)
    assert isinstance(caught.value, TypeError)


def test_no_samples():
    with raises(ValueError, "default_collate", "at least one sample", value="none"):
        default_collate([])


def test_an_error_pickles_whole():
    with pytest.raises(CollateError) as caught:
        default_collate([np.zeros(1), np.zeros(2)])
    caught.value.at([7, 9])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert "sample 9 of the dataset (position 1 of the batch)" in str(copy)
    assert (copy.positions, copy.indices, copy.where) == ([0, 1], [7, 9], "")


def test_convert_sees_each_array_once():
    seen = []

    def convert(value):
        seen.append(value)
        return ("converted", value.shape)

    batch = default_collate([{"x": (1, "a")}, {"x": (2, "b")}], convert=convert)
    assert batch == {"x": [("converted", (2,)), ["a", "b"]]}
    assert len(seen) == 1


def test_default_convert():
    source = np.arange(3)
    converted = default_convert({"x": source, "n": 1, "p": Point(np.float32(2), "t"), "l": [None, (source, 2.0)]})
    assert converted["x"] is source
    assert converted["n"] == 1
    assert isinstance(converted["p"].x, np.ndarray)
    assert converted["p"].y == "t"
    assert converted["l"][0] is None
    assert type(converted["l"][1]) is list
    assert default_convert("text") == "text"
    assert_alike(default_convert([array.array("i", [1])]), [np.array([1], np.int32)])


def test_default_convert_shares_memory():
    source = np.zeros(3)
    converted = default_convert([Exported(source)], convert=lambda found: found)
    source[0] = 5
    assert converted[0][0] == 5


class Half:
    """A tensor of another library whose memory NumPy can access, but not its dtype."""

    def __init__(self, *values):
        self.values, self.shape = values, (len(values),)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("NumPy has no such dtype")


def stacked(samples):
    if len({sample.shape for sample in samples}) > 1:
        raise ValueError("unequal")
    return Half(*[sample.values for sample in samples])


def test_tensors_that_a_library_stacks_itself():
    native = Native(Half, list, stacked)
    assert default_collate([(Half(1, 2), 3), (Half(4, 5), 6)], convert=native)[0].values == ((1, 2), (4, 5))
    assert default_collate([(Half(1), 3), (Half(4), 6)], convert=native)[1] == [3, 6]
    with raises(CollateError, "default_collate", "one shape", value="(1,) in sample 0 and (2,) in sample 1"):
        default_collate([Half(1), Half(1, 2)], convert=native)
    sample = Half(1)
    assert default_convert([sample], convert=native)[0] is sample
    with pytest.raises(TypeError, match="no such dtype"):
        default_collate([Half(1), Half(2)])


@pytest.mark.parametrize("batch_size", [2, None])
@pytest.mark.parametrize("stream", [False, True], ids=["by index", "stream"])
def test_loaders_of_such_tensors(batch_size, stream):
    class Stream(IterableDataset):
        def __iter__(self):
            return iter([Half(1), Half(2)])

    dataset = Stream() if stream else [Half(1), Half(2)]
    batches = list(DataLoader(dataset, batch_size=batch_size, convert=Native(Half, list, stacked)))
    assert [batch.values for batch in batches] == ([((1,), (2,))] if batch_size else [(1,), (2,)])
