"""State dicts: contents, loading of all entries or none, extra state, and hooks."""

import pickle
import warnings

import pytest
from nn_toys import Net, Scale, same

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises

KEYS = ["body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias", "scale.weight", "scale.count"]


def snapshot(module):
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def test_contents_of_a_state_dict():
    net = Net()
    state = net.state_dict()
    assert list(state) == KEYS
    assert not any(tensor.requires_grad for tensor in state.values())
    assert state["scale.weight"].data_ptr() == net.scale.weight.data_ptr()
    assert net.state_dict(keep_vars=True)["scale.weight"] is net.scale.weight
    assert next(iter(net.state_dict(prefix="net."))) == "net.body.0.weight"
    destination = {"epoch": 3}
    assert net.state_dict(destination=destination) is destination and len(destination) == 7


def test_round_trip_copies_values():
    net, other = Net(), Net()
    keys = other.load_state_dict(net.state_dict())
    assert repr(keys) == "<All keys matched successfully>" and keys == ([], [])
    assert all(same(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))
    assert other.scale.weight is not net.scale.weight and other.scale.weight.requires_grad
    net.scale.weight.data.fill_(9.0)
    assert not same(net.scale.weight, other.scale.weight)


def test_loading_casts_to_the_modules_dtype():
    net = Net()
    net.load_state_dict(Net().double().state_dict())
    assert net.scale.weight.dtype is ft.float32


def test_loading_modifies_in_place():
    net = Net()
    out = (net.scale.weight * net.scale.weight).sum()
    net.load_state_dict(Net().state_dict())
    with raises(RuntimeError, "backward of mul", "copy_"):
        out.backward()


def test_one_error_lists_all_mismatches_before_any_change():
    net = Net()
    before = snapshot(net)
    state = {**Net().state_dict(), "extra": ft.ones(1), "body.1.weight": ft.ones(1)}
    del state["scale.count"], state["body.0.bias"]
    state["body.2.weight"] = ft.ones(3, 3)
    state["body.2.bias"] = [1.0, 2.0]
    state["scale.weight"] = ft.ones(2, dtype=ft.complex64)
    with raises(RuntimeError, "load_state_dict", "the dict does not fit Net", "nothing was changed") as caught:
        net.load_state_dict(state)
    error = caught.value
    assert error.missing_keys == ["body.0.bias", "scale.count"]
    assert error.unexpected_keys == ["extra", "body.1.weight"]
    assert error.misfits == [
        "'body.2.weight': expected shape (2, 3); got (3, 3)",
        "'body.2.bias': expected a Tensor; got list",
        "'scale.weight': expected float32; got complex64, whose imaginary parts would be lost",
    ]
    for wrong in (*error.missing_keys, *error.unexpected_keys, *error.misfits):
        assert wrong in str(error)
    assert all(same(before[name], tensor) for name, tensor in net.state_dict().items())
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.misfits == error.misfits


def test_not_strict():
    net = Net()
    keys = net.load_state_dict({"scale.weight": ft.full((2,), 5.0), "other": 3}, strict=False)
    assert keys.missing_keys == [key for key in KEYS if key != "scale.weight"]
    assert keys.unexpected_keys == ["other"]
    assert repr(keys).startswith("_IncompatibleKeys(missing_keys=['body.0.weight'")
    assert same(net.scale.weight, ft.full((2,), 5.0))
    with raises(RuntimeError, "load_state_dict", "values that do not fit:\n    'scale.weight': expected shape (2,)"):
        net.load_state_dict({"scale.weight": ft.ones(3)}, strict=False)


@pytest.mark.parametrize("state", [[("weight", 1)], None, 3])
def test_non_mappings_are_rejected(state):
    with raises(TypeError, "load_state_dict", "expected a mapping from names to tensors"):
        Net().load_state_dict(state)
    with raises(TypeError, "load_state_dict", "got str; read the file first, with load(path)"):
        Net().load_state_dict("weights.pth")


def test_loaded_dict_is_not_modified():
    state = Net().state_dict()
    before = dict(state)
    net = Net()
    net.register_load_state_dict_pre_hook(lambda m, state, *rest: state.clear())
    with pytest.raises(RuntimeError):
        net.load_state_dict(state)
    assert state == before


def test_assign_uses_the_given_tensors():
    net = Net().to("meta")
    net.scale.weight.requires_grad_(False)
    state = Net().double().state_dict()
    count = state["scale.count"]
    net.load_state_dict(state, assign=True)
    assert net.scale.weight.dtype is ft.float64 and not net.scale.weight.requires_grad
    assert net.body[0].weight.requires_grad and isinstance(net.body[0].weight, nn.Parameter)
    assert net.body[0].weight.data_ptr() == state["body.0.weight"].data_ptr()
    assert net.scale.count is count
    parameter = nn.Parameter(ft.ones(2))
    net.load_state_dict({**state, "scale.weight": parameter}, assign=True)
    assert net.scale.weight is parameter


def test_read_only_memory_is_rejected():
    import numpy as np

    net = Scale()
    array = np.ones(2, dtype=np.float32)
    array.flags.writeable = False
    net.cache = None
    net.weight = nn.Parameter(ft.from_numpy(array))
    with raises(RuntimeError, "load_state_dict", "'weight': its memory in the module is read-only"):
        net.load_state_dict(Scale().state_dict())
    net.load_state_dict(Scale().state_dict(), assign=True)
    assert same(net.weight, ft.ones(2))


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def get_extra_state(self):
        return {"seen": self.seen}

    def set_extra_state(self, state):
        self.seen = state["seen"]


def test_extra_state():
    net, other = nn.Sequential(Counts()), nn.Sequential(Counts())
    net[0].seen = 5
    state = net.state_dict()
    assert state == {"0._extra_state": {"seen": 5}}
    other.load_state_dict(state)
    assert other[0].seen == 5
    with raises(RuntimeError, "load_state_dict", "missing keys", "0._extra_state"):
        other.load_state_dict({})
    with raises(RuntimeError, "load_state_dict", "unexpected keys", "_extra_state"):
        nn.ReLU().load_state_dict({"_extra_state": 3})


def test_child_may_override_state_dict():
    class Hidden(nn.Linear):
        def state_dict(self, *, destination=None, prefix="", keep_vars=False):
            destination = {} if destination is None else destination
            destination[prefix + "kernel"] = self.weight.detach()
            return destination

    assert list(nn.Sequential(Hidden(2, 2)).state_dict()) == ["0.kernel"]


def test_state_dict_hooks():
    seen = []
    net = Net()
    net.scale.register_state_dict_pre_hook(lambda *args: seen.append(args))
    net.scale.register_state_dict_post_hook(lambda m, state, prefix, meta: state.pop(prefix + "count"))
    state = net.state_dict()
    assert seen == [(net.scale, "scale.", False)] and "scale.count" not in state


def test_load_hooks():
    net, seen = Net(), []

    def rename(module, state, prefix, meta, strict, missing, unexpected, misfits):
        state[prefix + "weight"] = state.pop(prefix + "kernel")

    net.scale.register_load_state_dict_pre_hook(rename)
    net.scale.register_load_state_dict_post_hook(lambda module, keys: seen.append((module, keys)))
    state = dict(Net().state_dict())
    state["scale.kernel"] = state.pop("scale.weight") * 4
    net.load_state_dict(state)
    assert same(net.scale.weight, ft.full((2,), 4.0))
    assert seen == [(net.scale, ([], []))]


def test_load_post_hooks_run_for_children_first():
    net, seen = Net(), []
    for name, module in net.named_modules():
        module.register_load_state_dict_post_hook(lambda module, keys, name=name: seen.append(name))
    net.load_state_dict(Net().state_dict())
    assert sorted(seen) == sorted(name for name, _ in net.named_modules())
    assert seen.index("body.0") < seen.index("body") < seen.index("")
    assert seen[-1] == ""


def test_loading_into_a_meta_module_warns():
    net, state = Net().to("meta"), Net().state_dict()
    with pytest.warns(UserWarning, match=r"\(body\.0\.weight, .*'meta'.*assign=True") as caught:
        net.load_state_dict(state)
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net.load_state_dict(net.state_dict())
        net.load_state_dict(state, assign=True)
    assert same(net.scale.weight, state["scale.weight"])


class Foreign:
    """A tensor of another library, which exports DLPack or explains why it cannot."""

    def __init__(self, tensor, error=None):
        self.tensor, self.error = tensor, error

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **options):
        if self.error is not None:
            raise self.error
        return self.tensor.__dlpack__(**options)


def test_tensors_of_other_libraries_are_loaded():
    net, state = Net(), Net().state_dict()
    net.load_state_dict({name: Foreign(tensor) for name, tensor in state.items()})
    assert all(same(tensor, state[name]) for name, tensor in net.state_dict().items())
    state["scale.weight"] = Foreign(state["scale.weight"], BufferError("it asks for gradients"))
    with raises(RuntimeError, "load_state_dict", "'scale.weight': expected a Tensor", value="test_state.Foreign"):
        net.load_state_dict(state)


def test_meta_state_is_rejected():
    net, state = Net(), Net().state_dict()
    before = snapshot(net)
    state["scale.weight"] = state["scale.weight"].to("meta")
    with raises(RuntimeError, "load_state_dict", "'scale.weight': it is on device 'meta', and has no elements to copy"):
        net.load_state_dict(state)
    assert all(same(tensor, before[name]) for name, tensor in net.state_dict().items())


class Renamed(nn.Linear):
    """A module whose weight has another name in files, and whose bias is not saved."""

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "kernel"] = destination.pop(prefix + "weight")
        del destination[prefix + "bias"]

    def _load_from_state_dict(self, state_dict, prefix, meta, strict, missing_keys, unexpected_keys, error_msgs):
        if prefix + "refused" in state_dict:
            error_msgs.append("refused by the module")
        state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel")
        state_dict[prefix + "bias"] = self.bias
        super()._load_from_state_dict(state_dict, prefix, meta, strict, missing_keys, unexpected_keys, error_msgs)


def test_subclasses_save_and_load_their_own_state():
    net, other = (nn.Sequential(Renamed(2, 2), nn.Linear(2, 1)) for _ in range(2))
    state = net.state_dict()
    assert sorted(state) == ["0.kernel", "1.bias", "1.weight"]
    assert other.load_state_dict(state) == ([], [])
    assert same(other[0].weight, net[0].weight) and same(other[1].bias, net[1].bias)
    state["1.weight"] = ft.zeros(1, 2)
    with raises(RuntimeError, "load_state_dict", "refused by the module"):
        other.load_state_dict({**state, "0.refused": 1})
    assert same(other[1].weight, net[1].weight)


class Alone(nn.Module):
    """A module that loads without calling the method that it overrides."""

    def __init__(self):
        super().__init__()
        self.child, self.seen = nn.Linear(1, 1), None

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        self.seen = state_dict[prefix + "seen"]


def test_custom_loading_defines_its_own_keys():
    net = nn.Sequential(Alone())
    state = {**net.state_dict(), "0.seen": 3}
    assert net.load_state_dict(state) == ([], []) and net[0].seen == 3
    with raises(RuntimeError, "load_state_dict", "unexpected keys", "0.child.more"):
        net.load_state_dict({**state, "0.child.more": 1})


def test_custom_loading_rejects_another_dict():
    class Copies(nn.Linear):
        def _load_from_state_dict(self, state_dict, *rest):
            super()._load_from_state_dict(dict(state_dict), *rest)

    net = Copies(1, 1)
    with raises(TypeError, "_load_from_state_dict", "expected the state_dict that load_state_dict passed"):
        net.load_state_dict(net.state_dict())


def test_batch_norm_state_without_count():
    net = nn.Sequential(nn.BatchNorm1d(2))
    net(ft.ones(3, 2))
    state = net.state_dict()
    del state["0.num_batches_tracked"]
    other = nn.Sequential(nn.BatchNorm1d(2))
    assert other.load_state_dict(state) == ([], [])
    assert same(other[0].running_mean, net[0].running_mean) and int(other[0].num_batches_tracked) == 0
    assert net.load_state_dict(state) == ([], []) and int(net[0].num_batches_tracked) == 1
