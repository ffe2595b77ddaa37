"""State that a captured function reads through other objects: changes are detected, equal objects are no changes."""

from functools import partial
from types import MethodType, ModuleType

import numpy as np
import pytest

from facula_jit import capture
from facula_tensor import ones


class Holder:
    """An object with attributes, slots, and class attributes."""

    __slots__ = ("__dict__", "held")
    table = {"k": 1.0}  # noqa: RUF012  # what is changed is the point


class Dotted(dict):
    """A dict with entries that resemble attributes."""

    __getattr__ = dict.__getitem__


SETTINGS = ModuleType("settings")
SETTINGS.__file__ = "settings.py"


def nested():
    entry = {"k": 1.0}
    return {"a": [({"b": entry},)], None: 2}, lambda value: value["a"][0][0]["b"]["k"], entry, "k"


def deep_attributes():
    inner, outer = Holder(), Holder()
    outer.a, inner.b, inner.b.k = inner, Holder(), 1.0
    return outer, lambda value: value.a.b.k, vars(inner.b), "k"


def partials():
    entry = {"k": 1.0}
    return partial(lambda entry: entry["k"], entry), lambda value: value(), entry, "k"


def bound_methods():
    owner = Holder()
    owner.k = 1.0
    return MethodType(lambda self: self.k, owner), lambda value: value(), vars(owner), "k"


def closures():
    entry = {"k": 1.0}
    return (lambda: entry["k"]), lambda value: value(), entry, "k"


def dotted():
    made = Dotted(k=1.0)
    return made, lambda value: value.k, made, "k"


def tables_of_classes():
    return Holder(), lambda value: value.table["k"], Holder.table, "k"


def imported_modules():
    SETTINGS.k = 1.0
    return None, lambda value: SETTINGS.k, vars(SETTINGS), "k"


HELD = [nested, deep_attributes, partials, bound_methods, closures, dotted, tables_of_classes, imported_modules]


@pytest.mark.parametrize("make", HELD)
@pytest.mark.parametrize("where", ["variable", "argument", "attribute"])
def test_nested_state(make, where):
    """State read through a variable, an argument, or an attribute of an argument: changed, and restored."""
    value, read, holder, key = make()
    box = Holder()
    box.value = value
    captured = capture({
        "variable": lambda x: x * read(value), "argument": lambda x, argument: x * read(argument),
        "attribute": lambda x, argument: x * read(argument.value),
    }[where])  # fmt: skip
    given = {"variable": [], "argument": [value], "attribute": [box]}[where]
    for number in (1.0, 2.5, 1.0):
        for _ in range(3):
            holder[key] = number
            assert captured(ones(1), *given).item() == number
    assert captured.report().count("replayed") <= 3


def test_rebound_slots_and_functions():
    box = Holder()
    captured, other = capture(lambda x: x * box.held), capture(lambda x: double(x))  # noqa: F821
    for number in (2.0, 3.0, 2.0):
        box.held = number
        globals()["double"] = [None, None, lambda x: x * 2, lambda x: x * 3][int(number)]
        for _ in range(3):
            assert captured(ones(1)).item() == other(ones(1)).item() == number


def test_an_equal_object():
    """An equal object is not a change, and does not create another signature as an argument."""
    box = Holder()
    captured = capture(lambda x, part, scale: (x * box.k)[part] * scale)
    for number in range(6):
        box.k = 1.5 + number // 6
        assert captured(ones(4), slice(number // 6, 3), np.float32(2)).tolist() == [3.0] * 3
    assert "1 signature" in captured.report() and "replayed 5 times" in captured.report()


def test_the_order_of_keywords_and_dicts_of_other_classes():
    captured = capture(lambda **named: (sum([3**at * value for at, value in enumerate(named.values())]), named))
    for _ in range(3):
        for names in ("ab", "ba"):
            total, given = captured(**{name: ones(1) * (name == "b") for name in names})
            assert list(given) == list(names) and total.item() == (3.0 if names == "ab" else 1.0)
    batches = capture(lambda batch: Dotted(y=batch.x * 2))
    results = [batches(Dotted(x=ones(1) * number)) for number in range(4)]
    assert [(type(result), result.y.item()) for result in results] == [(Dotted, 2.0 * number) for number in range(4)]
    assert "1 signature" in batches.report()
