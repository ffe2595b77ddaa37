"""Checks of sequences: the values compared before the first launch, and the kind of comparison."""

import ctypes
import gc
import random
import sys
import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from types import CellType

import numpy as np
import pytest
from storage_helpers import LAYOUT, SLOTS, Holder, holder, sequence

from facula_storage import contiguous, float32, float64, layout_of
from facula_storage._layout_caches import clear_layout_caches
from facula_storage.extend import ABSENT, ANY, CheckKind, allocate, snapshot_bytes

SLOT, ITEM, PLACE, SIZE, ENTRIES, BYTES, TYPE, TENSOR, CALL, EXACT_SLOT, EXACT_ITEM, EXACT_ENTRIES = CheckKind
NAN = float("nan")


def fits(made):
    """Return whether all checks of a sequence pass."""
    missed = made.run((), ())
    assert missed in (None, 0)
    return missed is None


def check(*one):
    return sequence([], checks=[one])


def test_the_first_check_that_fails_is_named():
    x, table, entries = holder(), {"a": 1}, [2, 3]
    checks = [
        (SLOT, x, SLOTS[0], LAYOUT),
        (ITEM, table, "a", table["a"]),
        (SIZE, table, None, 1),
        (PLACE, entries, 1, entries[1]),
        (SLOT, x, SLOTS[3], None),
        (TYPE, x, None, Holder),
    ]
    made = sequence([], checks=checks)

    class Other(Holder):
        __slots__ = ()

    changes = [
        (lambda: setattr(x, "layout", None), lambda: setattr(x, "layout", LAYOUT)),
        (lambda: table.update(a=None), lambda: table.update(a=1)),
        (lambda: table.update(b=1), lambda: table.pop("b")),
        (lambda: entries.pop(), lambda: entries.append(3)),
        (lambda: delattr(x, "node"), lambda: setattr(x, "node", None)),
        (lambda: setattr(x, "__class__", Other), lambda: setattr(x, "__class__", Holder)),
    ]
    for number, (change, back) in enumerate(changes):
        assert made.run((), ()) is None
        change()
        assert made.run((), ()) == number
        back()
    made.expect(1, "other")
    table["a"] = "other"
    assert made.run((), ()) is None
    made.expect(2, 2)
    assert made.run((), ()) == 2


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


class Loud:
    """An object that fails if a check runs its code."""

    def __eq__(self, other):
        raise AssertionError("a check runs code of the program")

    __hash__ = object.__hash__
    __getattribute__ = __len__ = __iter__ = __bool__ = __eq__


class LoudInt(int):
    __eq__ = Loud.__eq__
    __hash__ = int.__hash__


class LoudDict(dict):
    __iter__ = __len__ = __getitem__ = __eq__ = keys = values = items = Loud.__eq__


class LoudList(list):
    __iter__ = __len__ = __getitem__ = __eq__ = Loud.__eq__


class LoudTuple(tuple):
    __slots__ = ()
    __iter__ = __len__ = __getitem__ = Loud.__eq__


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


def test_slots_that_are_not_set():
    class Own:
        __slots__ = ("value",)

    for kind, name in ((Own, "value"), (CellType, "cell_contents"), (Holder, "node"), (Holder, "hooks")):
        one = kind()
        made = check(SLOT, one, vars(kind)[name], ABSENT)
        assert fits(made)
        setattr(one, name, None)
        assert not fits(made)
        made.expect(0, None)
        assert fits(made)
        delattr(one, name)
        assert not fits(made)


def test_attributes_of_functions_and_classes():
    def function(x=1):
        return x

    made = [
        check(SLOT, function, vars(type(function))[name], getattr(function, name))
        for name in ("__code__", "__defaults__")
    ]
    assert all(map(fits, made))
    function.__defaults__ = (2,)
    assert [fits(one) for one in made] == [True, False]
    function.__defaults__ = (1,)
    function.__code__ = (lambda x: x).__code__
    assert [fits(one) for one in made] == [False, True]


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


def parts(one):
    """The expected value of a TENSOR check."""
    return [getattr(one, name, ABSENT) for name in ("layout", "storage", "offset", "node", "hooks")] + [one.storage.ptr]


class Hiding(type):
    """Classes that pretend to have no slots, which are then accessed by descriptors instead of offsets."""

    __basicsize__ = property(lambda cls: 16)


class Hidden(metaclass=Hiding):
    __slots__ = Holder.__slots__


HIDDEN = (*[vars(Hidden)[one.__name__] for one in SLOTS[:6]], *SLOTS[6:])


def hidden():
    one, made = holder(), Hidden()
    for name in ("layout", "storage", "offset", "node"):
        setattr(made, name, getattr(one, name))
    return made


OTHER_STORAGE = allocate(LAYOUT)
TENSOR_CHANGES = {
    "layout": contiguous((2,), float32),
    "storage": OTHER_STORAGE,
    "offset": 8,
    "node": 5,
    "hooks": 5,
    "grad": 5,
}


@pytest.mark.parametrize("direct", [True, False], ids=["loads", "descriptors"])
@pytest.mark.parametrize("name", TENSOR_CHANGES)
def test_a_tensor(name, direct):
    x = (holder if direct else hidden)()
    made = sequence([], SLOTS if direct else HIDDEN, checks=[(TENSOR, x, None, (*parts(x), ABSENT))])
    assert fits(made)
    before = getattr(x, name, ABSENT)
    setattr(x, name, TENSOR_CHANGES[name])
    assert not fits(made)
    delattr(x, name)
    assert fits(made) == (before is ABSENT)
    if before is not ABSENT:
        setattr(x, name, before)
        assert fits(made)
    x.storage.ptr += 64
    assert not fits(made)
    x.storage.ptr = int(str(x.storage.ptr - 64))
    assert fits(made)


def test_equal_layouts_of_a_tensor():
    x = holder()
    made = check(TENSOR, x, None, tuple(parts(x)))
    clear_layout_caches()
    x.layout = layout_of((4,), (1,), float32)
    assert x.layout is not LAYOUT
    assert fits(made)
    for other in (layout_of((4,), (2,), float32), contiguous((2, 2), float32), contiguous((4,), float64), "a layout"):
        x.layout = other
        assert not fits(made)
    del x.layout
    assert not fits(made)
    x.layout = LAYOUT
    assert fits(made)


def test_parts_of_a_tensor_that_are_not_compared():
    x = holder()
    made = check(TENSOR, x, None, (LAYOUT, ANY, 0, ANY, ANY, ANY))
    x.storage, x.node, x.hooks, x.grad = OTHER_STORAGE, 3, 4, 5
    assert fits(made)
    del x.storage, x.node, x.hooks
    assert fits(made)
    x.offset = 4
    assert not fits(made)


def test_functions_of_the_library():
    state = [1]
    made = sequence([], checks=[(SIZE, state, None, 1), (CALL, state, sum, 1), (CALL, None, state.copy, ANY)])
    assert made.run((), ()) is None
    state[0] = 2
    assert made.run((), ()) == 1
    state[0] = None
    assert made.run((), ()) == 1  # an error counts as a different result
    state.clear()
    assert made.run((), ()) == 1  # functions come first

    def interrupted():
        raise KeyboardInterrupt

    made = check(CALL, None, interrupted, None)
    with pytest.raises(KeyboardInterrupt):
        made.run((), ())


def test_an_interrupted_function():
    answers = []

    def back():
        answers.append(made.run((), ()))
        with pytest.raises(RuntimeError):
            made.expect(0, 3)

    made = check(CALL, None, back, None)
    assert fits(made)
    assert answers == [1]  # the number of checks


X = holder()
WRONG = {
    "a triple": (X, SLOTS[0], LAYOUT),
    "no tuple": 3,
    "no such kind": (99, X, None, None),
    "a slot of nothing": (SLOT, X, 4, 5),
    "a program's descriptor": (SLOT, X, property(), 5),
    "an item of no dict": (ITEM, [1], 0, 1),
    "a place of no list": (PLACE, {}, 0, 1),
    "a place that is no number": (PLACE, [1], "0", 1),
    "a length of nothing": (SIZE, 3, None, 5),
    "a length that is no number": (SIZE, [], None, "5"),
    "entries of nothing": (ENTRIES, 3, None, ()),
    "entries as a list": (ENTRIES, [], None, []),
    "a dict's odd entries": (ENTRIES, {}, None, (1,)),
    "entries of an iterator": (ENTRIES, iter([]), None, ()),
    "entries of a subclass of set": (ENTRIES, type("Own", (set,), {})(), None, ()),
    "entries of objects in an OrderedDict": (ENTRIES, OrderedDict([(X, 1)]), None, (X, 1)),
    "bytes as a string": (BYTES, bytearray(), None, ""),
    "no tensor": (TENSOR, 3, None, (ANY,) * 6),
    "too few parts": (TENSOR, X, None, (ANY,) * 5),
    "an address without a storage": (TENSOR, X, None, (ANY, ANY, ANY, ANY, ANY, 1)),
    "a call of nothing": (CALL, X, 3, None),
}


@pytest.mark.parametrize("name", WRONG)
def test_checks_that_are_refused(name):
    with pytest.raises(TypeError):
        sequence([], checks=[(SIZE, [], None, 0), WRONG[name]])


def test_rejected_expectations_keep_the_old_ones():
    one = [1]
    made = check(ENTRIES, one, None, (1,))
    with pytest.raises(TypeError):
        made.expect(0, [1])
    assert fits(made)


def test_slots_that_are_refused():
    class Other:
        __slots__ = ("layout",)

    wrong = [
        SLOTS[:-1],
        (property(), *SLOTS[1:]),
        (*SLOTS[:3], vars(Other)["layout"], *SLOTS[4:]),
        (vars(type(len))["__name__"], *SLOTS[1:]),
        (vars(slice)["start"], *SLOTS[1:]),
    ]
    for slots in wrong:
        with pytest.raises((TypeError, ValueError)):
            sequence([], slots)


class Cell:
    pass


@pytest.mark.parametrize("kind", ["holder", "key", "entries", "tensor"])
def test_cycles_through_checks_are_collected(kind):
    cell, x = Cell(), holder()
    x.node = cell
    cell.made = check(*{
        "holder": (ITEM, vars(cell), "other", ABSENT),
        "key": (CALL, None, [cell].copy, None),
        "entries": (ENTRIES, [], None, (cell,)),
        "tensor": (TENSOR, x, None, tuple(parts(x))),
    }[kind])  # fmt: skip
    link = weakref.ref(cell)
    del cell, x
    gc.collect()
    assert link() is None


def test_references_are_balanced():
    values = [object() for _ in range(3)]
    x, table = holder(), {"a": values[0]}
    x.node, x.hooks = values[1:]
    gc.collect()  # earlier tests may have left references to the layout
    before = [sys.getrefcount(value) for value in (*values, LAYOUT)]
    made = sequence([], checks=[
        (ITEM, table, "a", values[0]),
        (ENTRIES, table, None, ("a", values[0])),
        (TENSOR, x, None, tuple(parts(x))),
        (SLOT, x, SLOTS[3], values[1]),
        (ENTRIES, {values[2]}, None, (values[2],)),
        (CALL, None, lambda: values[0], values[0]),
    ])  # fmt: skip
    inside = [sys.getrefcount(value) for value in (*values, LAYOUT)]
    for _ in range(100):
        assert made.run((), ()) is None
        made.expect(1, ("a", values[0]))
    assert [sys.getrefcount(value) for value in (*values, LAYOUT)] == inside
    del made
    gc.collect()
    assert [sys.getrefcount(value) for value in (*values, LAYOUT)] == before


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
