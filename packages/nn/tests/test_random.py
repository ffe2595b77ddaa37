"""Random operations on lists of modules and module attributes, compared with lists and dicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facula_nn as nn
import facula_tensor as ft

PLACES = st.integers(-5, 5)
CHANGES = st.one_of(
    st.tuples(st.just("append")),
    st.tuples(st.just("extend"), st.integers(0, 3)),
    st.tuples(st.just("insert"), PLACES),
    st.tuples(st.just("pop"), PLACES),
    st.tuples(st.just("set"), PLACES),
    st.tuples(st.just("delete"), st.slices(5)),
)


@given(st.sampled_from([nn.Sequential, nn.ModuleList]), st.lists(CHANGES, max_size=12), st.slices(5))
def test_sequential_list_operations(kind, changes, part):
    row, listed = kind(), []
    for name, *arguments in changes:
        new = [nn.Identity() for _ in range(arguments[0] if name == "extend" else 1)]
        place = arguments[0] if arguments else None
        if name == "append":
            row.append(new[0])
            listed.append(new[0])
        elif name == "extend":
            row.extend(new)
            listed.extend(new)
        elif name == "delete":
            del row[place]
            del listed[place]
        elif not -len(listed) <= place < len(listed) + (name == "insert"):
            call = {"insert": lambda: row.insert(place, new[0]), "pop": lambda: row.pop(place)}
            with pytest.raises(IndexError):
                call.get(name, lambda: row.__setitem__(place, new[0]))()
        elif name == "insert":
            row.insert(place, new[0])
            listed.insert(place, new[0])
        elif name == "pop":
            assert row.pop(place) is listed.pop(place)
        else:
            row[place] = listed[place] = new[0]
        assert list(row) == listed and len(row) == len(listed)
        assert list(row._modules) == [str(k) for k in range(len(listed))]
        assert [row[k] for k in range(-len(listed), len(listed))] == listed * 2
    assert list(row[part]) == listed[part]


MAKERS = {
    "parameter": lambda: nn.Parameter(ft.ones(1)),
    "buffer": lambda: nn.Buffer(ft.ones(1)),
    "passing": lambda: nn.Buffer(ft.ones(1), persistent=False),
    "module": lambda: nn.Identity(),
    "tensor": lambda: ft.ones(1),
    "number": lambda: 3,
    "none": lambda: None,
}
# Values that may replace a member without a change of its kind; other values of the same kind always may.
FITS = {"parameter": {"none"}, "module": {"none"}, "buffer": {"none", "tensor"}, "passing": {"none", "tensor"}}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([*MAKERS, "delete"])), max_size=15))
def test_fields_become_attributes(steps):
    module, kinds, values = nn.Module(), {}, {}
    for name, what in steps:
        if what == "delete":
            if name in values:
                delattr(module, name)
                del values[name]
                kinds.pop(name, None)
            else:
                with pytest.raises(AttributeError):
                    delattr(module, name)
        else:
            value = MAKERS[what]()
            former = kinds.get(name)
            if what in FITS:
                if former and {former, what} != {"buffer", "passing"} and former != what:
                    del kinds[name]  # it moves to the end of its new kind
                kinds[name] = what
            elif former and what not in FITS[former]:
                with pytest.raises(TypeError):
                    setattr(module, name, value)
                continue
            setattr(module, name, value)
            values[name] = value
        there = {name: kind for name, kind in kinds.items() if values[name] is not None}
        assert {name for name in "abc" if hasattr(module, name)} == values.keys()
        assert all(getattr(module, name) is value for name, value in values.items())
        assert [name for name, _ in module.named_parameters()] == [n for n, k in there.items() if k == "parameter"]
        assert [name for name, _ in module.named_buffers()] == [
            n for n, k in there.items() if k in ("buffer", "passing")
        ]
        assert [name for name, _ in module.named_children()] == [n for n, k in there.items() if k == "module"]
        saved = [n for n, k in there.items() if k == "parameter"] + [n for n, k in there.items() if k == "buffer"]
        assert list(module.state_dict()) == saved
