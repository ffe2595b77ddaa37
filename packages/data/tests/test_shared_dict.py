"""SharedDict behaves like an immutable dict whose keys every process can find."""

import copy
import datetime
import enum
import pickle
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_data import SharedDict
from facula_data._shared.key_hashes import make_table, stable_hash
from facula_errors import FaculaError
from facula_errors.testing import raises

Point = namedtuple("Point", "x y")


class Animal(enum.Enum):
    ANT = 1
    BEE = 2


class Label(enum.StrEnum):
    A = "a"


class Level(enum.IntEnum):
    LOW = 1


NUMBERS = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.fractions()
PARTS = NUMBERS | st.text(st.characters()) | st.binary() | st.none()
KEYS = st.recursive(PARTS, lambda one: st.tuples(one, one) | st.frozensets(one, max_size=3), max_leaves=5)
VALUES = st.integers() | st.text() | st.lists(st.integers(), max_size=2)


@given(st.dictionaries(KEYS, VALUES), st.lists(KEYS, max_size=4))
def test_it_equals_the_dict(values, others):
    ours = SharedDict(values)
    assert len(ours) == len(values)
    assert list(ours) == list(values)
    assert list(ours.items()) == list(values.items())
    assert list(ours.values()) == list(values.values())
    assert ours.keys() == values.keys()
    assert (ours == values) is True
    assert (values == ours) is True
    for key in [*values, *others]:
        assert (key in ours) == (key in values)
        assert ours.get(key, "none") == values.get(key, "none")
    again = pickle.loads(pickle.dumps(ours))
    assert again == values
    assert list(again) == list(values)
    assert ours != {**values, "another": 1} or "another" in values


@given(st.lists(st.tuples(st.text(max_size=2), st.integers())))
def test_the_last_of_equal_keys_counts(pairs):
    assert SharedDict(pairs) == dict(pairs)
    assert list(SharedDict(pairs)) == list(dict(pairs))


@given(
    st.lists(st.integers(0, 40).map(lambda n: n * 0x1111_1111_1111_1111 % (1 << 64)) | st.integers(0, (1 << 64) - 1))
)
def test_the_table_finds_every_key(hashes):
    table = make_table(np.array(hashes, np.uint64))
    assert sorted(table[table >= 0]) == list(range(len(hashes)))
    assert (table >= 0).sum() * 3 <= len(table) * 2
    for position, hashed in enumerate(hashes):
        slot = hashed & (len(table) - 1)
        while table[slot] != position:
            assert table[slot] >= 0, "an empty slot ends the search"
            slot = (slot + 1) & (len(table) - 1)


@pytest.mark.parametrize(
    "keys",
    [
        [1, 1.0, True, Fraction(1), np.int8(1), np.float32(1), 1 + 0j, Level.LOW],
        [2, 2.0, Fraction(2), Decimal(2)],
        ["a", np.str_("a"), Label.A],
        [b"a", np.bytes_(b"a")],
        [(1, "a"), (1.0, Label.A), (True, np.str_("a"))],
        [(1, 2), Point(1, 2)],
        [frozenset([1, 2, 3]), frozenset([3.0, 2.0, 1.0])],
        [Path("a/b"), Path("a") / "b", Path("a//b")],
        [0.5, Fraction(1, 2), Decimal("0.5")],
        [0, 0.0, -0.0, False],
        [Animal.ANT, Animal(1)],
        [datetime.date(2020, 1, 2), datetime.date.fromisoformat("2020-01-02")],
    ],
)
def test_keys_that_are_equal_are_one(keys):
    for key in keys:
        ours = SharedDict({key: "found", "other": 1})
        assert all(ours[other] == "found" for other in keys)
        assert stable_hash(key) == stable_hash(keys[0])


def test_hashes_are_stable():
    """Files of earlier versions depend on the hashes."""
    assert [hex(stable_hash(key)) for key in ("a", 1, None, ("a", 1))] == HASHES


HASHES = ["0x1393410d2c03e5a4", "0xfd12cb0b965269c1", "0x426dd6786be7afb7", "0xe48c2396e4323582"]


def test_invalid_keys():
    ours = SharedDict({"a": 1})
    assert object() not in ours
    assert float("nan") not in ours
    assert (lambda: 0) not in ours
    assert ours.get(object()) is None


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: SharedDict({"a": 1})["b"], KeyError, "SharedDict: expected one of 1 keys; got 'b'"),
        (lambda: SharedDict({"a": 1})[[1]], TypeError, "SharedDict: can be hashed; got [1]"),
        (lambda: SharedDict({"a": 1})[([1],)], TypeError, "SharedDict: can be hashed"),
        (lambda: SharedDict({object(): 1}), TypeError, "SharedDict: does not equal its copy"),
        (lambda: SharedDict({print: 1, (lambda: 0): 2}), TypeError, "SharedDict: keys that can be pickled"),
        (lambda: SharedDict({float("nan"): 1}), ValueError, "SharedDict: keys that equal themselves; got nan"),
        (lambda: SharedDict({"a": lambda: 0}), TypeError, "SharedDict: elements that can be pickled"),
        (lambda: SharedDict(3), TypeError, "SharedDict: expected items to be a mapping"),
        (lambda: SharedDict([1, 2]), TypeError, "SharedDict: expected items to be a mapping"),
        (lambda: SharedDict({}, file=b"x"), TypeError, "SharedDict: expected file to be a path"),
        (lambda: SharedDict.open("/nowhere/at/all"), FileNotFoundError, "SharedDict.open: cannot read"),
    ],
)
def test_errors_say_what_is_wrong(make, error, said):
    with raises(error, said) as caught:
        make()
    assert isinstance(caught.value, FaculaError)


def test_arrays_as_values():
    images = {f"{i}.png": np.full((2, 2), i) for i in range(4)}
    ours = SharedDict(images)
    assert ours == images
    assert ours != {**images, "0.png": np.ones((2, 2), int)}
    assert not ours["1.png"].flags.writeable
    assert repr(ours).endswith("...}, 4 str to int64 (2, 2) arrays, 232 B)")


def test_it_cannot_be_changed():
    ours = SharedDict({"a": 1})
    with pytest.raises(TypeError):
        ours["a"] = 2
    with pytest.raises(TypeError):
        hash(ours)
    assert copy.deepcopy(ours) is copy.copy(ours) is ours
    assert repr(SharedDict()) == "SharedDict({}, empty, 40 B)"
    assert "a" not in SharedDict()


def test_files(tmp_path):
    ours = SharedDict({i: str(i) for i in range(500)}, file=tmp_path / "file")
    assert ours == SharedDict.open(tmp_path / "file") == {i: str(i) for i in range(500)}
    assert len(pickle.dumps(ours)) < 300
    assert pickle.loads(pickle.dumps(ours)) == ours
    assert ours.file == tmp_path / "file"
    assert "file=" in repr(ours)
