"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

import itertools
from collections import OrderedDict

import pytest
from nn_toys import same

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises


def layers(*widths):
    return [nn.Linear(a, b) for a, b in itertools.pairwise(widths)]


def keys(module):
    return [name for name, _ in module.named_children()]


@pytest.mark.parametrize("make", [lambda modules: nn.Sequential(*modules), nn.ModuleList])
def test_module_list_operations(make):
    a, b, c, d = modules = layers(2, 2, 2, 2, 2)
    row = make(modules[:3])
    assert len(row) == 3 and list(row) == [a, b, c] and keys(row) == ["0", "1", "2"]
    assert row[0] is a and row[-1] is c
    assert list(row[1:]) == [b, c] and type(row[1:]) is type(row) and keys(row[1:])[0] in "01"
    assert row.append(d) is row and row[3] is d
    row[0] = d
    assert row[0] is d and keys(row)[0] == "0"
    del row[0]
    assert list(row) == [b, c, d] and keys(row) == ["0", "1", "2"]
    del row[1:]
    assert list(row) == [b]
    row.insert(0, a)
    row.insert(2, d)
    assert list(row) == [a, b, d] and keys(row) == ["0", "1", "2"]
    row.insert(-1, c)
    assert list(row) == [a, b, c, d]
    assert row.pop(1) is b and list(row) == [a, c, d]
    row += [b]
    row.extend(make([a]))
    assert list(row) == [a, c, d, b, a]
    assert list(make([a]) + make([b])) == [a, b]
    for place in (5, -6):
        with raises(
            IndexError, type(row).__name__, f"index {place} is out of range for 5 module(s)", "expected -5 to 4"
        ):
            row[place]
        with pytest.raises(IndexError):
            row[place] = a
        with pytest.raises(IndexError):
            del row[place]
    with raises(IndexError, type(row).__name__, "it is empty"):
        make([])[0]
    with raises(IndexError, f"{type(row).__name__}.insert", "index 9 is out of range", "expected -5 to 5"):
        row.insert(9, a)
    with raises(TypeError, type(row).__name__, "an integer or a slice as index", value="str"):
        row["0"]
    for call, value in ((row.append, 3), (row.insert, (0, 3)), (row.extend, [3])):
        with raises(TypeError, "...", "expected a Module"):
            call(*value) if isinstance(value, tuple) else call(value)
    with raises(TypeError, f"{type(row).__name__}.extend", "expected several modules", value="one"):
        row.extend(a)
    assert list(row) == [a, c, d, b, a]


def test_sequential_calls_modules_in_order():
    first, second = nn.Linear(3, 2), nn.Linear(2, 4)
    x = ft.ones(5, 3)
    assert same(nn.Sequential(first, nn.ReLU(), second)(x), second(first(x).relu()))
    assert nn.Sequential()(x) is x


def test_sequential_with_names():
    a, b, c = layers(2, 2, 2, 2)
    net = nn.Sequential(OrderedDict(first=a, second=b))
    assert keys(net) == ["first", "second"] and net.first is a and net[1] is b
    assert keys(net[1:]) == ["second"]
    net[1] = c
    assert net.second is c
    net.append(b)
    assert keys(net) == ["first", "second", "2"]
    del net[1]
    net.append(nn.ReLU()).insert(0, nn.ReLU())
    assert keys(net) == ["4", "first", "2", "3"]
    del net[3], net[0]
    assert keys(net) == ["first", "2"] and next(iter(net.state_dict())) == "first.weight"


def test_sequential_multiplication():
    a = nn.ReLU()
    assert list(nn.Sequential(a) * 3) == list(3 * nn.Sequential(a)) == [a, a, a]


def test_sequential_rejects_non_modules():
    with raises(TypeError, "register_module", "expected a Module or None for '1'", value="builtin_function_or_method"):
        nn.Sequential(nn.ReLU(), print)
    with raises(TypeError, "Sequential", "expected modules as separate arguments; got a list", "Sequential(*modules)"):
        nn.Sequential([nn.ReLU()])


def test_repr_groups_equal_modules():
    shelf = nn.ModuleList([*layers(2, 2, 2), nn.ReLU(), nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU())])
    assert (
        repr(shelf)
        == """\
ModuleList(
  (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)
  (2): ReLU()
  (3-4): 2 x Sequential(
    (0): ReLU()
  )
)"""
    )
    assert repr(nn.ModuleList()) == "ModuleList()"
    assert repr(nn.Sequential()) == "Sequential()"
    with pytest.raises(NotImplementedError):
        shelf(1)


def test_module_dict():
    a, b, c = layers(2, 2, 2, 2)
    table = nn.ModuleDict({"a": a, "b": b})
    assert list(table) == ["a", "b"] and table["a"] is a and table.a is a and len(table) == 2
    assert list(table.items()) == [("a", a), ("b", b)] and list(table.values()) == [a, b]
    assert "a" in table and "c" not in table
    table["c"] = c
    table.update([("a", c)])
    assert table["a"] is c and list(table.keys()) == ["a", "b", "c"]
    assert table.pop("c") is c
    del table["a"]
    assert keys(table) == ["b"]
    with raises(KeyError, "ModuleDict", "a"):
        table["a"]
    with raises(KeyError, "register_module", "ModuleDict has an attribute 'pop' already"):
        table["pop"] = a
    with raises(TypeError, "register_module", "expected a Module or None for 'x'", value="int"):
        table["x"] = 3
    table.clear()
    assert len(table) == 0 and {table: 1}[table] == 1


def test_parameter_list():
    parameter = nn.Parameter(ft.ones(2))
    listed = nn.ParameterList([parameter, ft.zeros(3)])
    assert listed[0] is parameter and isinstance(listed[1], nn.Parameter) and len(listed) == 2
    assert [name for name, _ in listed.named_parameters()] == ["0", "1"]
    listed.append(ft.ones(1)).extend([ft.ones(4)])
    listed += [3.0]
    assert len(listed) == 5 and listed[-1] == 3.0 and len(list(listed.parameters())) == 4
    listed[0] = ft.zeros(5)
    assert listed[0].shape == (5,) and len(listed[:2]) == 2
    assert list(listed.state_dict()) == ["0", "1", "2", "3"]
    with raises(IndexError, "ParameterList", "index 5 is out of range for 5 value(s)"):
        listed[5]
    with raises(TypeError, "ParameterList.extend", "expected several values", value="one tensor"):
        listed.extend(ft.ones(3))
    assert repr(nn.ParameterList([ft.ones(2, 3)])) == (
        "ParameterList(\n    (0): Parameter containing: [facula.float32 of size 2x3]\n)"
    )


def test_parameter_dict():
    table = nn.ParameterDict({"a": ft.ones(2), "b": nn.Parameter(ft.zeros(1))})
    assert list(table) == ["a", "b"] and isinstance(table["a"], nn.Parameter) and table.a is table["a"]
    table["c"] = 3
    assert [name for name, _ in table.named_parameters()] == ["a", "b"] and table["c"] == 3
    assert table.pop("c") == 3 and table.get("c") is None
    table.update({"d": ft.ones(1)})
    del table["a"]
    assert list(table.keys()) == ["b", "d"] and list(table.state_dict()) == ["b", "d"]
    with pytest.raises(KeyError):
        table["forward"]
    with raises(KeyError, "ParameterDict", "has an attribute 'keys' already"):
        table["keys"] = ft.ones(1)
    with raises(TypeError, "ParameterDict", "expected the key as a str", value="int"):
        table[1] = ft.ones(1)


@pytest.mark.parametrize("holder", [nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict])
def test_containers_have_no_forward(holder):
    with raises(NotImplementedError, holder.__name__, "is a container without a forward"):
        holder()(1)


def test_slices_shared_modules_and_missing_keys():
    modules = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])
    assert [type(one) for one in modules.pop(slice(0, 2))] == [nn.ReLU, nn.Tanh]
    assert len(modules) == 1
    assert type(modules.pop(key=-1)) is nn.Sigmoid
    shared = nn.ReLU()
    twice = nn.Sequential(shared, shared)
    assert [len(list(twice.modules(remove_duplicate=one))) for one in (True, False)] == [2, 3]
    with raises(KeyError, "ModuleDict", "there is no module 'b'", "there are a"):
        nn.ModuleDict({"a": shared})["b"]
    with raises(TypeError, "ParameterList", "expected an integer or a slice as index", value="str 'a'"):
        nn.ParameterList()["a"]


def test_containers_are_generic():
    """In annotations and in constructor calls, without an effect."""
    layers = nn.ModuleList[nn.Linear]([nn.Linear(2, 2)])
    assert type(layers) is nn.ModuleList and list(layers.state_dict()) == ["0.weight", "0.bias"]
    assert nn.ModuleDict[nn.Linear]({"a": nn.Linear(2, 2)})["a"].in_features == 2

    class Layers(nn.ModuleList[nn.Linear]):
        pass

    assert isinstance(Layers([nn.Linear(2, 2)])[:1], Layers)
