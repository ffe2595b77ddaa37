"""Checks of sequences: when a plain value counts as unchanged, without running code of the program."""

import ctypes
import random

import numpy as np
import pytest
from storage_helpers import SLOTS, Loud, LoudDict, LoudInt, LoudList, LoudTuple, check, fits, holder

from facula_storage.extend import CheckKind

SLOT, ITEM, PLACE, SIZE, ENTRIES, BYTES, TYPE, TENSOR, CALL, EXACT_SLOT, EXACT_ITEM, EXACT_ENTRIES = CheckKind
NAN = float("nan")


def fresh(value):
    """An equal object with another identity, if Python permits it."""
    return {
        int: lambda: int(str(value)),
        float: lambda: ctypes.c_double(value).value,
        str: lambda: "".join(list(value)),
        bytes: lambda: bytes(bytearray(value)),
        complex: lambda: complex(value.real, value.imag),
        tuple: lambda: tuple([fresh(one) for one in value]),
    }[type(value)]()


EQUAL = [10**20, -7000, 0.5, -0.0, NAN, "words here", b"bytes here", 1 + 2j, complex(NAN, -0.0), (1000, ("a b", 2.5))]


@pytest.mark.parametrize("value", EQUAL, ids=repr)
def test_equal_plain_values_are_the_same(value):
    table = {"key": value}
    made = check(ITEM, table, "key", value)
    for _ in range(3):
        table["key"] = fresh(value)
        assert table["key"] is not value
        assert fits(made)


@pytest.mark.parametrize("value", EQUAL, ids=repr)
def test_exact_checks_compare_by_identity(value):
    x, table, entries = holder(), {"key": value}, [value]
    x.layout = value
    exact = [(EXACT_SLOT, x, SLOTS[0], value), (EXACT_ITEM, table, "key", value)]
    exact += [(EXACT_ENTRIES, entries, None, (value,)), (EXACT_ENTRIES, table, None, ("key", value))]
    made = [check(*one) for one in exact]
    assert all(fits(one) for one in made)
    x.layout = table["key"] = entries[0] = fresh(value)
    assert not any(fits(one) for one in made)
    x.layout = table["key"] = entries[0] = value
    assert all(fits(one) for one in made)
    for kind in (PLACE, SIZE, BYTES, TYPE, TENSOR, CALL):
        with pytest.raises(TypeError, match="an exact check of a slot, an item or entries"):
            check(EXACT_SLOT + kind, x, None, None)


DIFFERENT = [
    (1, True), (1, 1.0), (0.0, -0.0), (0, False), (None, False), ("1", 1), (b"1", "1"), (1, 2), (0j, -0j),
    (0j, complex(0, -0.0)), ((1, 2), (1, 3)), ((1,), (1, 1)), ((1,), [1]), ((0.0,), (-0.0,)), ([1], [1]), ({}, {}),
    (np.float32(1), np.float64(1)), (np.float32(0), np.float32(-0.0)), (np.float64(1), 1.0), (object(), object()),
    (bytearray(b"1"), bytearray(b"1")), (np.zeros(1, [("a", "f4")])[0], np.zeros(1, [("a", "f4")])[0]),
]  # fmt: skip


@pytest.mark.parametrize("pair", DIFFERENT, ids=repr)
def test_values_that_differ(pair):
    for one, other in (pair, pair[::-1]):
        assert not fits(check(ITEM, {"key": one}, "key", other))
        assert fits(check(ITEM, {"key": one}, "key", one))


def test_equal_numpy_scalars_are_the_same():
    for made in (lambda: np.float32(0.5), lambda: np.float64(NAN), lambda: np.int8(3), lambda: np.complex128(1j)):
        assert fits(check(ITEM, {"key": made()}, "key", made()))


def test_nested_tuples():
    inner = object()
    assert fits(check(ITEM, {0: (1000, ("a" * 3, inner))}, 0, (int("1000"), ("".join("aaa"), inner))))
    deep = other = ()
    for _ in range(15):
        deep, other = (deep, 1), (other, 1)
    assert fits(check(ITEM, {0: deep}, 0, other))
    for _ in range(100_000):
        deep, other = (deep, 1), (other, 1)
    # nested too deeply: a different object counts as a different value
    assert not fits(check(ITEM, {0: deep}, 0, other))
    wide = another = (1000,)
    for _ in range(12):
        wide, another = (wide,) * 8, (another,) * 8
    assert not fits(check(ITEM, {0: wide}, 0, another))  # and so do 8**12 comparisons


def test_no_code_of_the_program_runs():
    loud, number = Loud(), LoudInt(3)
    assert fits(check(ITEM, {"key": loud}, "key", loud))
    assert not fits(check(ITEM, {"key": Loud()}, "key", loud))
    assert not fits(check(ITEM, {"key": LoudInt(3)}, "key", number))
    for made, expected in (
        (LoudDict({"a": loud, loud: number}), ("a", loud, loud, number)),
        (LoudList([loud, number]), (loud, number)),
        (LoudTuple([loud, number]), (loud, number)),
        ({loud}, (loud,)),
    ):
        assert fits(check(ENTRIES, made, None, expected))
        assert not fits(check(ENTRIES, made, None, (*expected[:-1], Loud())))


PLAIN = [
    0,
    1,
    -1,
    2**70,
    True,
    False,
    None,
    0.0,
    -0.0,
    NAN,
    -NAN,
    1.5,
    1j,
    complex(-0.0, 0),
    "",
    "a",
    "ä" * 3,
    b"",
    b"a",
]
PLAIN += [
    np.float64(0),
    np.float64(-0.0),
    np.float32(0),
    np.int64(1),
    np.str_("a"),
    np.bool_(True),
    LoudInt(1),
    (),
    [],
    {},
]


def random_value(numbers, depth):
    """A plain value, or a tuple of values; often a different object of the same value."""
    if depth and numbers.random() < 0.4:
        return tuple([random_value(numbers, depth - 1) for _ in range(numbers.randrange(3))])
    one = numbers.choice(PLAIN)
    return fresh(one) if type(one) in (int, float, str, bytes, complex) else one


def like(one, other):
    """The comparison of checks, implemented in Python."""
    if one is other or type(one) is not type(other):
        return one is other
    if type(one) is tuple:
        return len(one) == len(other) and all(map(like, one, other))
    if type(one) in (int, str, bytes):
        return one == other
    return isinstance(one, (float, complex, np.generic)) and np.array(one).tobytes() == np.array(other).tobytes()


def test_random_values_are_compared_as_in_python():
    numbers, equal = random.Random(11), 0
    for _ in range(5_000):
        one, other = random_value(numbers, 3), random_value(numbers, 3)
        equal += like(one, other)
        holder_of = {"a": one, "b": (one, 1)}
        for kind, key, expected in ((ITEM, "a", other), (ENTRIES, None, ("a", other, "b", (other, 1)))):
            made = check(kind, holder_of, key, expected)
            assert [fits(made), fits(made)] == [like(one, other)] * 2
    assert equal > 100
