"""Checks of sequences: entries of containers, and bytes of arrays."""

import random
import sys
from array import array
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
from storage_helpers import Loud, LoudTuple, check, fits

from facula_storage.extend import ABSENT, ANY, CheckKind, snapshot_bytes

SLOT, ITEM, PLACE, SIZE, ENTRIES, BYTES, TYPE, TENSOR, CALL, EXACT_SLOT, EXACT_ITEM, EXACT_ENTRIES = CheckKind


def test_missing_keys():
    table = {"a": 1}
    made = check(ITEM, table, "b", ABSENT)
    assert fits(made)
    table["b"] = None
    assert not fits(made)
    made = check(ITEM, defaultdict(int), "a", ABSENT)
    assert fits(made)
    assert not fits(check(ITEM, {}, "a", None))


def odict(*keys):
    return OrderedDict.fromkeys(keys, 5)


ENTRIES_OF = {
    "dict": (lambda: {"a": 1, "b": 2}, ("a", 1, "b", 2)),
    "Counter": (lambda: Counter("aab"), ("a", 2, "b", 1)),
    "OrderedDict": (lambda: odict("a", "b"), ("a", 5, "b", 5)),
    "list": (lambda: [1, "x"], (1, "x")),
    "tuple": (lambda: LoudTuple((1, 2.5)), (1, 2.5)),
    "set": (lambda: {1, 2, 3}, (1, 2, 3)),
    "frozenset": (lambda: frozenset([1]), (1,)),
    "deque": (lambda: deque([3, 1, 2]), (3, 1, 2)),
    "nothing": (dict, ()),
}


@pytest.mark.parametrize("name", ENTRIES_OF)
def test_entries(name):
    make, expected = ENTRIES_OF[name]
    assert fits(check(ENTRIES, make(), None, expected))
    wrong = [("?", *expected[1:]), (*expected[:-1], "?"), expected[:-2], (*expected, "a", 1)]
    for other in wrong if expected else wrong[-1:]:
        assert not fits(check(ENTRIES, make(), None, other))


def test_entries_in_another_order_are_others():
    table, queue, ordered = {"a": 1, "b": 1}, deque([1, 2]), odict("a", "b", "c")
    made = [
        check(ENTRIES, table, None, ("a", 1, "b", 1)),
        check(ENTRIES, queue, None, (1, 2)),
        check(ENTRIES, ordered, None, ("a", 5, "b", 5, "c", 5)),
    ]
    assert all(map(fits, made))
    table["a"] = table.pop("a")
    queue.rotate()
    ordered.move_to_end("a")  # its base class dict keeps its order
    assert not any(map(fits, made))
    queue.rotate()
    ordered.move_to_end("a", last=False)
    assert [fits(one) for one in made] == [False, True, True]
    ordered[Loud()] = ordered.pop("c")
    assert not fits(made[2])


def test_entries_of_any_value():
    table = {"a": 1, "step": 1}
    made = check(ENTRIES, table, None, ("a", 1, "step", ANY))
    for value in (2, None, Loud()):
        table["step"] = value
        assert fits(made)
    table["a"] = 2
    assert not fits(made)
    del table["step"]
    assert not fits(made)
    assert not fits(check(ENTRIES, [1], None, (ANY, ANY)))


class Owner:
    pass


OWNED = {  # a dict and a function that sets an entry, or deletes it
    "dict": lambda: (made := {}, lambda key, *value: made.__setitem__(key, *value) if value else made.__delitem__(key)),
    "attributes": lambda: (
        vars(made := Owner()),
        lambda key, *value: setattr(made, key, *value) if value else delattr(made, key),
    ),
    "globals": lambda: (
        made := {"__builtins__": {}},
        lambda key, *value: exec(f"global {key}; " + (f"{key} = {value[0]}" if value else f"del {key}"), made),
    ),
    "OrderedDict": lambda: (
        made := OrderedDict(),
        lambda key, *value: made.__setitem__(key, *value) if value else made.__delitem__(key),
    ),
}


@pytest.mark.parametrize("name", OWNED)
def test_random_changes_of_a_dict_between_checks(name):
    table, change = OWNED[name]()
    numbers, names = random.Random(name), ["a", "b", "c"]
    for key in names:
        change(key, 1)
    flat = tuple([part for key in table for part in (key, ANY if key.startswith("__") else table[key])])
    made = [check(ITEM, table, "a", 1), check(ITEM, table, "d", ABSENT), check(SIZE, table, None, len(table))]
    made.append(check(ENTRIES, table, None, flat))
    for _ in range(300):
        key = numbers.choice([*names, "d"])
        if key in table and numbers.random() < 0.4:
            change(key)
        else:
            change(key, numbers.choice([1, 1, 2]))
        now = tuple([part for pair in table.items() for part in pair])
        same = len(now) == len(flat) and all([b is ANY or a == b for a, b in zip(now, flat, strict=True)])
        expected = [table.get("a") == 1, "d" not in table, len(table) == len(flat) // 2, same]
        assert [fits(one) for one in made] == expected
        assert [fits(one) for one in made] == expected  # the entries are the same as before


def test_a_container_that_grows_during_its_life():
    many = list(range(100_000))
    made = check(ENTRIES, many, None, tuple(many))
    assert fits(made)
    many.append(0)
    assert not fits(made)
    made.expect(0, tuple(many))
    assert fits(made)
    many[50_000] = -1
    assert not fits(made)


ARRAYS = {
    "bytearray": (lambda: bytearray(b"abc"), lambda one: one.__setitem__(1, 0)),
    "array": (lambda: array("d", [1, 2]), lambda one: one.__setitem__(1, 0)),
    "floats": (lambda: np.arange(6.0).reshape(2, 3), lambda one: one.__setitem__((1, 2), -1)),
    "one number": (lambda: np.array(3), lambda one: one.__setitem__((), 4)),
    "transposed": (lambda: np.arange(6.0).reshape(2, 3).T, lambda one: one.__setitem__((2, 1), -1)),
    "every other": (lambda: np.arange(9)[::-2], lambda one: one.__setitem__(3, -1)),
    "in between": (lambda: np.arange(24).reshape(4, 6)[1:3, ::2], lambda one: one.__setitem__((1, 2), -1)),
    "fields": (lambda: np.zeros(2, [("a", "f4"), ("b", "i8")]), lambda one: one["b"].__setitem__(1, 3)),
    "a sign": (lambda: np.zeros(2), lambda one: one.__setitem__(1, -0.0)),
    "a flag": (lambda: np.ones(2), lambda one: one.setflags(write=False)),
    "a shape": (lambda: np.ones((2, 3)), lambda one: setattr(one, "shape", (3, 2))),
    "a dtype": (lambda: np.ones(2), lambda one: setattr(one, "dtype", "i8")),
    "a broadcast": (lambda: np.lib.stride_tricks.as_strided(np.ones(1), (3,), (0,)), lambda one: one.__setitem__(0, 2)),
    "a subclass": (lambda: np.arange(3).view(np.recarray), lambda one: one.__setitem__(1, 3)),
    "nothing": (lambda: bytearray(), lambda one: one.append(1)),
    "no rows": (lambda: np.ones((0, 3)), lambda one: setattr(one, "shape", (3, 0))),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")
def test_arrays_are_compared_by_their_bytes(name):
    make, change = ARRAYS[name]
    one = make()
    made = check(BYTES, one, None, snapshot_bytes(one))
    assert fits(made)
    assert fits(check(BYTES, make(), None, snapshot_bytes(one)))
    change(one)
    assert not fits(made)
    made.expect(0, snapshot_bytes(one))
    assert fits(made)


def test_memory_outside_of_an_array_does_not_count():
    base = np.arange(10)
    one = base[::3]
    made = check(BYTES, one, None, snapshot_bytes(one))
    base[1] = -1
    assert fits(made)
    base[3] = -1
    assert not fits(made)


class Exporting(bytearray):
    def __buffer__(self, flags):
        raise AssertionError("a check runs code of the program")


@pytest.mark.parametrize("one", [3, "x", [1], np.array([None]), memoryview(b"x"), np.zeros(1, [("a", object)])])
def test_objects_without_a_buffer_are_rejected(one):
    with pytest.raises(TypeError):
        snapshot_bytes(one)
    assert not fits(check(BYTES, one, None, b""))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes export no buffers before 3.12")
def test_buffers_of_classes_are_refused():
    with pytest.raises(TypeError):
        snapshot_bytes(Exporting(b"x"))
