"""Attributes that programs set on tensors."""

import copy
import gc
import pickle
import sys
import weakref

import pytest

import facula_tensor as ft
from facula_storage.extend import dict_descriptor, new_instance


class Marked(ft.Tensor):
    pass


MAKERS = {
    "tensor": lambda: ft.ones(2),
    "leaf": lambda: ft.ones(2, requires_grad=True),
    "parameter": lambda: ft.Parameter(ft.ones(2)),
    "subclass": lambda: ft.ones(2).as_subclass(Marked),
    "view": lambda: ft.ones(2, 2)[0],
}


@pytest.mark.parametrize("kind", MAKERS)
def test_copies_keep_attributes(kind):
    x = MAKERS[kind]()
    x.tag, x.notes = 1, [1, 2]
    assert vars(x) == {"tag": 1, "notes": [1, 2]} and hasattr(x, "tag") and "tag" in dir(x)
    shallow, deep, again = copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))
    for copied in (shallow, deep, again):
        assert (copied.tag, copied.notes, type(copied)) == (1, [1, 2], type(x)) and copied.tolist() == x.tolist()
    assert shallow.notes is x.notes and deep.notes is not x.notes
    assert copy.deepcopy([x, x])[0].tag == 1
    del x.tag
    with pytest.raises(AttributeError, match="has no attribute 'tag'"):
        x.tag
    x.__dict__ = {"other": 3}
    assert x.other == 3 and not hasattr(x, "notes")


def test_results_have_no_attributes():
    x = ft.ones(2)
    x.tag = 1
    for derived in (x + 1, x.view(2, 1), x.detach(), x.clone(), x[0]):
        assert not hasattr(derived, "tag")
    x.data = ft.zeros(2)
    x += 1
    assert x.tag == 1


def test_a_tensor_without_attributes_has_no_dict():
    x = ft.ones(2)
    (x + x).sum(), x.view(1, 2), repr(x), copy.copy(x), copy.deepcopy(x), pickle.dumps(x)
    assert x._own_attributes is None and ft.Parameter(x)._own_attributes is None
    x.tag = 1
    assert x._own_attributes is vars(x) == {"tag": 1}
    pointers = (sys.getsizeof(x) - object().__sizeof__()) // 8
    assert pointers <= 13  # includes two words of the collector; two more precede them


def test_names_of_the_class_are_not_attributes():
    x = ft.ones(2)
    for name in ("shape", "dtype", "grad_fn", "is_leaf", "_own_attributes"):
        with pytest.raises(AttributeError):
            setattr(x, name, 1)
    assert x._own_attributes is None


def test_cycles_of_attributes_are_collected():
    x, y = ft.ones(2), ft.ones(2)
    x.other, y.other = y, x
    link = weakref.ref(x)
    del x, y
    gc.collect()
    assert link() is None
    x = ft.ones(2)
    x.note = held = Marked
    before = sys.getrefcount(held)
    gc.disable()
    del x
    gc.enable()
    assert sys.getrefcount(held) == before - 1


def test_the_descriptor_shows_if_a_dict_exists():
    with pytest.raises(TypeError, match="dict_descriptor: expected a class; got 1"):
        dict_descriptor(1)
    kind = type("Slotted", (), {"__slots__": ("a", "__dict__")})
    kind.own = dict_descriptor(kind)
    one = new_instance(kind)
    one.a = 1
    assert one.own is None
    one.b = 2
    assert one.own is vars(one) == {"b": 2}
    with pytest.raises(TypeError, match="doesn't apply"):
        kind.own.__get__(1)
