"""Members of modules: attributes, registration, member views, and invalid operations."""

import copy
import pickle
from collections import OrderedDict

import pytest
from nn_toys import Net, Scale, same

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises


def names(pairs):
    return [name for name, _ in pairs]


def test_members_are_registered_by_kind():
    net = Net()
    assert names(net.named_parameters()) == [
        "body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias", "scale.weight",
    ]  # fmt: skip
    assert names(net.named_buffers()) == ["scale.count", "scale.cache"]
    assert names(net.named_modules()) == ["", "body", "body.0", "body.1", "body.2", "scale"]
    assert names(net.named_children()) == ["body", "scale"]
    assert vars(net.scale)["weight"] is net.scale.weight
    assert net.scale.bias is None


def test_iterators_without_names():
    net = Net()
    assert [type(module).__name__ for module in net.children()] == ["Sequential", "Scale"]
    assert len(list(net.modules())) == 6
    assert [p is q for p, (_, q) in zip(net.parameters(), net.named_parameters(), strict=True)] == [True] * 5
    assert len(list(net.buffers())) == 2
    assert list(net.parameters(recurse=False)) == []
    assert names(net.named_parameters(prefix="net"))[-1:] == ["net.scale.weight"]


def test_shared_parameter_is_listed_once():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    net.append(net[0])
    assert names(net.named_parameters()) == ["0.weight", "0.bias", "1.bias"]
    assert len(names(net.named_parameters(remove_duplicate=False))) == 6
    assert names(net.named_modules()) == ["", "0", "1"]
    assert names(net.named_modules(remove_duplicate=False)) == ["", "0", "1", "2"]
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias", "2.weight", "2.bias"]


def test_reassignment_preserves_the_order():
    module = nn.Linear(2, 2)
    module.weight = nn.Parameter(ft.zeros(2, 2))
    assert names(module.named_parameters()) == ["weight", "bias"]
    del module.weight
    module.weight = nn.Parameter(ft.zeros(2, 2))
    assert names(module.named_parameters()) == ["bias", "weight"]


def test_name_may_change_its_kind():
    module = nn.Module()
    module.thing = nn.Parameter(ft.ones(1))
    module.thing = nn.Buffer(ft.zeros(1))
    assert not list(module.parameters()) and names(module.named_buffers()) == ["thing"]
    module.thing = nn.ReLU()
    assert not list(module.buffers()) and names(module.named_children()) == ["thing"]
    del module.thing
    assert not hasattr(module, "thing") and not list(module.children())
    module.thing = 3
    assert module.thing == 3 and module.state_dict() == {}


def test_plain_tensors_are_not_members():
    module = nn.Module()
    module.thing = ft.ones(2)
    assert module.state_dict() == {} and not list(module.buffers())


def test_tensor_assigned_to_a_buffer_becomes_a_buffer():
    module = Scale()
    module.count = ft.ones(1, dtype=ft.int64)
    module.cache = ft.ones(2)
    assert same(module.state_dict()["count"], ft.ones(1, dtype=ft.int64))
    assert "cache" not in module.state_dict()
    module.count = None
    assert list(module.state_dict()) == ["weight"]


def test_buffer_class_registers_buffers():
    module = nn.Module()
    module.kept, module.passing = nn.Buffer(ft.ones(2)), nn.Buffer(ft.ones(2), persistent=False)
    assert list(module.state_dict()) == ["kept"]
    assert isinstance(module.kept, ft.Tensor) and not module.kept.requires_grad
    assert type(module.kept + 1) is ft.Tensor
    with raises(TypeError, "Buffer", "expected data to be a Tensor", value="list"):
        nn.Buffer([1.0])


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("weight", 3, "Scale.weight: expected a Parameter or None, since it is a parameter; got int"),
        ("weight", ft.ones(2), "Scale.weight: expected a Parameter or None ... got Tensor; wrap it in Parameter"),
        ("count", 3, "Scale.count: expected a Tensor or None, since it is a buffer; got int"),
        ("child", nn.ReLU, "Scale.child: got the class ReLU, not an instance of it (write ReLU"),
        ("child", 3, "Scale.child: expected a Module or None, since it is a module; got int"),
    ],
)
def test_member_cannot_be_replaced_by_another_type(name, value, said):
    module = Scale()
    module.child = nn.ReLU()
    before = vars(module)[name]
    with raises(TypeError, said):
        setattr(module, name, value)
    assert vars(module)[name] is before


@pytest.mark.parametrize("value", [nn.ReLU(), nn.Parameter(ft.ones(1)), nn.Buffer(ft.ones(1))])
def test_assignment_before_init_raises(value):
    class Early(nn.Module):
        def __init__(self):
            self.number = 3  # plain values may come early
            self.thing = value
            super().__init__()

    with raises(AttributeError, "Early", "cannot assign", "'thing'", "begin __init__ with super"):
        Early()


def test_module_without_init_raises():
    class Without(nn.Module):
        def __init__(self):
            pass

    with raises(AttributeError, "Without", "Module.__init__() was not called"):
        list(Without().parameters())


def test_registration_rejects_invalid_arguments():
    module = Scale()
    with raises(TypeError, "register_parameter", "expected a Parameter or None for 'a'", value="Tensor"):
        module.register_parameter("a", ft.ones(1))
    with raises(TypeError, "register_buffer", "expected a Tensor or None for 'a'", value="list"):
        module.register_buffer("a", [1])
    with raises(TypeError, "register_module", "expected a Module or None for 'a'", value="int"):
        module.add_module("a", 1)
    with raises(TypeError, "register_buffer", "expected the name as a str", value="int"):
        module.register_buffer(1, ft.ones(1))
    for name in ("", "a.b"):
        with raises(KeyError, "register_module", "expected a name that is not empty and has no dot"):
            module.register_module(name, nn.ReLU())
    for name in ("forward", "weight", "training"):
        with raises(KeyError, "register_buffer", f"Scale has an attribute '{name}' already"):
            module.register_buffer(name, ft.ones(1))
    computed = nn.Parameter(ft.ones(2))
    computed.node = (computed * 2).node
    with raises(ValueError, "register_parameter", "expected a leaf for 'a'"):
        module.register_parameter("a", computed)
    assert names(module.named_parameters()) == ["weight"]


def test_names_of_non_persistent_buffers():
    module = Scale()
    unsaved = module._non_persistent_buffers_set
    assert unsaved == {"cache"} and "cache" in unsaved and "count" not in unsaved and repr(unsaved) == "{'cache'}"
    unsaved.add("count")
    assert "count" not in module.state_dict() and unsaved - {"count"} == unsaved.difference(["count"]) == {"cache"}
    unsaved.discard("cache")
    unsaved.discard("nothing")
    assert "cache" in module.state_dict() and set(unsaved) == unsaved.copy() == {"count"}
    unsaved.update(["cache"])
    module._non_persistent_buffers_set |= {"count"}
    assert len(unsaved) == 2 and unsaved.union(["other"]) == unsaved | {"other"}
    module._non_persistent_buffers_set = {"cache"}
    assert unsaved == {"cache"} and "count" in module.state_dict()
    with raises(KeyError, "_non_persistent_buffers_set", "the name of a buffer", "register_buffer", value="'weight'"):
        unsaved.add("weight")


def test_member_views_read_and_write():
    module = Scale()
    assert list(module._parameters.items()) == [("weight", module.weight), ("bias", None)]
    assert set(module._buffers) == {"count", "cache"}
    module._parameters["weight"] = nn.Parameter(ft.zeros(2))
    assert same(module.weight, ft.zeros(2))
    module._parameters["more"] = nn.Parameter(ft.zeros(1))
    assert names(module.named_parameters()) == ["weight", "more"]
    weight = module._parameters.pop("weight")
    assert not hasattr(module, "weight") and "weight" not in module._parameters
    module.weight = weight * 1  # as hooks assign recomputed weights
    assert names(module.named_parameters()) == ["more"]
    module._modules["child"] = nn.ReLU()
    assert module.child is module._modules["child"] and len(module._modules) == 1
    assert module._buffers.copy() == dict(module._buffers)
    assert module._non_persistent_buffers_set == {"cache"}
    for view, name in ((module._parameters, "count"), (module._buffers, "more"), (module._modules, "nothing")):
        with pytest.raises(KeyError, match=name):
            view[name]
        with pytest.raises(KeyError, match=name):
            del view[name]


def test_member_views_are_dicts():
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Tanh())
    view, first = module._modules, module[0]
    assert all(isinstance(one, dict) for one in (view, first._parameters, first._buffers))
    assert list(reversed(view)) == list(reversed(view.keys())) == ["2", "1", "0"] and "1" in view and 1 not in view
    assert next(reversed(view.values())) is module[2] and next(reversed(view.items())) == ("2", module[2])
    assert dict(view) == {**view} == view.copy() == view == json_like(view) and bool(view) and not first._buffers
    assert type(view | {"a": 1}) is type({"a": 1} | view) is dict and (view | {"0": 1})["0"] == 1
    assert copy.copy(view) == view and type(copy.copy(view)) is dict and repr(view) == repr(dict(view))
    assert view.get("0") is first and view.get("7", 3) == 3 and repr(view.keys()) == "dict_keys(['0', '1', '2'])"
    assert view.setdefault("0", None) is first and view.popitem()[0] == "2" and len(module) == 2
    view |= {"late": nn.ReLU()}
    assert list(view) == list(module._modules) == ["0", "1", "late"] and module.late is view["late"]
    first._parameters.clear()
    assert not list(first.parameters()) and not first._parameters and not hasattr(first, "weight")
    with pytest.raises(KeyError):
        first._parameters.popitem()
    assert pickle.loads(pickle.dumps(nn.Linear(2, 2)._parameters)).keys() == {"weight", "bias"}


def json_like(view):
    """Copy a dict as code does that does not know the classes of this package."""
    return OrderedDict((key, view[key]) for key in view)


def test_member_views_can_be_assigned():
    module = Scale()
    module.child, module.other = nn.ReLU(), nn.Tanh()
    module._modules = OrderedDict(reversed(module._modules.items()))
    assert names(module.named_children()) == ["other", "child"]
    module._parameters = {"bias": nn.Parameter(ft.ones(1)), "weight": module.weight}
    assert names(module.named_parameters()) == ["bias", "weight"] and module.bias.tolist() == [1]
    module._buffers = {name: one for name, one in module._buffers.items()}
    assert module._non_persistent_buffers_set == {"cache"} and list(module.state_dict())[:2] == ["bias", "weight"]
    module._buffers = {}
    assert not list(module.buffers()) and not hasattr(module, "count")
    del module._modules["child"]
    module._modules = {}
    assert not list(module.children()) and not hasattr(module, "other")
    with raises(TypeError, "Scale", "expected a dict of members", value="list"):
        module._parameters = [module.weight]
    assert names(module.named_parameters()) == ["bias", "weight"]


def test_paths():
    net = Net()
    assert net.get_submodule("") is net
    assert net.get_submodule("body.0") is net.body[0]
    assert net.get_parameter("body.0.weight") is net.body[0].weight
    assert net.get_buffer("scale.count") is net.scale.count
    with raises(AttributeError, "get_submodule('body.7')", "Sequential has no module '7'"):
        net.get_submodule("body.7")
    with raises(AttributeError, "get_parameter('scale.bias')", "Scale has no parameter 'bias'"):
        net.get_parameter("scale.bias")
    with raises(AttributeError, "get_buffer('scale.weight')", "Scale has no buffer 'weight'"):
        net.get_buffer("scale.weight")


def test_missing_attribute_directly_and_inside_a_property():
    class Module(nn.Module):
        @property
        def size(self):
            return self.wieght.shape

    with pytest.raises(AttributeError, match="'Module' object has no attribute 'nothing'"):
        Module().nothing
    with pytest.raises(AttributeError, match="'Module' object has no attribute 'wieght'"):
        Module().size


def test_subclass_may_override_getattr():
    class Wrapper(nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.module, name)

    wrapper = Wrapper(nn.Linear(3, 2))
    assert wrapper.out_features == 2 and wrapper.weight is wrapper.module.weight


def test_module_shadows_a_class_attribute():
    class Module(nn.Module):
        act = None

        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()

    assert names(Module().named_children()) == ["act"]


def test_dir_lists_members():
    net = nn.Sequential(nn.ReLU())
    net.extra = nn.ReLU()
    assert "extra" in dir(net) and "forward" in dir(net) and "0" not in dir(net)


def test_overridden_getattr_is_called_for_members():
    """As in PyTorch: libraries register or replace parameters when they are read."""
    seen = []

    class Watching(nn.Linear):
        def __getattr__(self, name):
            found = super().__getattr__(name)
            seen.append(name)
            return found * 2 if name == "bias" else found

    class Delegating(nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.module, name)

    module = Watching(2, 3)
    seen.clear()
    assert module.in_features == 2 and seen == []
    result = module(ft.ones(1, 2))
    assert set(seen) == {"weight", "bias"}
    parameters = dict(module.named_parameters())
    assert ft.equal(result, ft.ones(1, 2) @ parameters["weight"].T + 2 * parameters["bias"])
    assert Delegating(module).out_features == 3 and Delegating(module).module is module
    with pytest.raises(AttributeError, match="no attribute 'size'"):
        Delegating(nn.Linear(1, 1)).size
