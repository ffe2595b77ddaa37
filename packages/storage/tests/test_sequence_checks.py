"""Checks of sequences: slots, tensors and functions, compared before the first launch, and checks that are refused."""

import gc
import sys
import weakref
from collections import OrderedDict
from types import CellType

import pytest
from storage_helpers import LAYOUT, SLOTS, Holder, check, fits, holder, sequence

from facula_storage import contiguous, float32, float64, layout_of
from facula_storage._layout_caches import clear_layout_caches
from facula_storage.extend import ABSENT, ANY, CheckKind, allocate

SLOT, ITEM, PLACE, SIZE, ENTRIES, BYTES, TYPE, TENSOR, CALL, EXACT_SLOT, EXACT_ITEM, EXACT_ENTRIES = CheckKind


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
