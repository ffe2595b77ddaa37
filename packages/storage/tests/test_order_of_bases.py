"""Method resolution orders assigned once by a metaclass."""

import gc
from weakref import ref

import pytest

from facula_storage.extend import reorder_bases


class Further:
    __slots__ = ()
    further = 1


class Order(type):
    def mro(cls):
        return [*super().mro()[:-1], Further, object]


class Refusing(type):
    def mro(cls):
        raise KeyError("no order")


def classes():
    first = type("First", (), {})
    return first, type("Second", (first,), {})


def test_classes_and_those_derived_before_and_after():
    first, second = classes()
    assert not hasattr(second(), "further")
    reorder_bases(first, Order)
    third = type("Third", (second, int), {})
    assert first.__mro__ == (first, Further, object) and second.__mro__ == (second, first, Further, object)
    assert third.__mro__ == (third, second, first, Further, int, object)
    assert type(first) is type(second) is type(third) is type and first.__bases__ == (object,)
    assert first.further == second().further == third().further == 1 and "further" not in dir(third)


def test_failures_change_nothing():
    first, second = classes()
    with pytest.raises(KeyError, match="no order"):
        reorder_bases(first, Refusing)
    assert type(first) is type and first.__mro__ == (first, object) and second.__mro__ == (second, first, object)
    with pytest.raises(
        TypeError, match=r"^reorder_bases: expected a class derived from <class 'type'>; got <class 'int'"
    ):
        reorder_bases(first, int)
    with pytest.raises(TypeError):
        reorder_bases(int, Order)  # whose bases cannot be set


def test_classes_are_freed():
    first, second = classes()
    reorder_bases(first, Order)
    gone = [ref(first), ref(second)]
    del first, second
    gc.collect()
    assert [one() for one in gone] == [None, None]
