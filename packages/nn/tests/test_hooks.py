"""Hooks around forward, on gradients, and the handles that remove them."""

import copy
import pickle

import pytest
from nn_toys import Net, same

import facula_nn as nn
import facula_tensor as ft
from facula_autograd import grad
from facula_errors.testing import raises


class Add(nn.Module):
    def forward(self, a, b=None, *, scale=1):
        return a * scale + (0 if b is None else b)


def ones_like_hook(module, args, output):
    return output + 1


def test_forward_hooks_receive_and_replace_values():
    seen = []
    module = Add()
    pre = module.register_forward_pre_hook(lambda m, args: seen.append(("pre", m, args)))
    post = module.register_forward_hook(lambda m, args, output: seen.append(("post", m, args, output)))
    assert module(2, 3) == 5
    assert seen == [("pre", module, (2, 3)), ("post", module, (2, 3), 5)]
    pre.remove()
    post.remove()
    post.remove()
    assert module(2, 3) == 5 and len(seen) == 2
    with module.register_forward_pre_hook(lambda m, args: (args[0] * 10, args[1])):
        assert module(2, 3) == 23
    with module.register_forward_pre_hook(lambda m, args: 7):  # a single argument need not be a tuple
        assert module(2) == 7
    with module.register_forward_hook(lambda m, args, output: output * 2):
        assert module(2, 3) == 10
    assert module(2, 3) == 5


def test_hooks_with_kwargs():
    module = Add()
    with module.register_forward_pre_hook(lambda m, a, k: (a, {**k, "scale": 3}), with_kwargs=True):
        assert module(2, b=1) == 7
    with module.register_forward_hook(lambda m, a, k, out: (a, k, out), with_kwargs=True):
        assert module(2, b=1) == ((2,), {"b": 1}, 3)
    with module.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True):
        with raises(RuntimeError, "register_forward_pre_hook", "(args, kwargs)", "3"):
            module(2)


def test_order_and_prepend():
    seen = []
    module = Add()
    for name, prepend in (("a", False), ("b", False), ("c", True)):
        module.register_forward_hook(lambda m, args, out, name=name: seen.append(name), prepend=prepend)
        module.register_forward_pre_hook(lambda m, args, name=name: seen.append(name), prepend=prepend)
    module(1)
    assert "".join(seen) == "cabcab"


def test_always_called_hooks():
    seen = []
    module = Add()
    module.register_forward_hook(lambda m, args, out: seen.append(("always", out)), always_call=True)
    module.register_forward_hook(lambda m, args, out: seen.append(("sometimes", out)))
    with pytest.raises(TypeError):
        module(None)
    assert seen == [("always", None)]
    module(1)
    assert seen[1:] == [("always", 1), ("sometimes", 1)]

    def broken(m, args, out):
        raise KeyError("other")

    module.register_forward_hook(broken, always_call=True)
    with pytest.raises(TypeError), pytest.warns(UserWarning, match="KeyError"):
        module(None)
    with pytest.raises(KeyError, match="other"):
        module(1)


@pytest.mark.parametrize("name", [name for name in dir(nn.Module) if name.startswith("register_") and "hook" in name])
def test_hook_must_be_callable(name):
    with raises(TypeError, name, "expected a callable", value="int"):
        getattr(nn.ReLU(), name)(3)


def test_the_tables_can_be_cleared():
    module = Add()
    module.register_forward_hook(lambda m, args, out: 100)
    module.register_forward_pre_hook(lambda m, args: (50,))
    module._forward_hooks.clear()
    assert module(1) == 50
    module._forward_pre_hooks.clear()
    assert module(1) == 1


TABLES = {
    "_forward_pre_hooks": "register_forward_pre_hook", "_forward_hooks": "register_forward_hook",
    "_backward_pre_hooks": "register_full_backward_pre_hook", "_backward_hooks": "register_full_backward_hook",
    "_state_dict_pre_hooks": "register_state_dict_pre_hook", "_state_dict_hooks": "register_state_dict_post_hook",
    "_load_state_dict_pre_hooks": "register_load_state_dict_pre_hook",
    "_load_state_dict_post_hooks": "register_load_state_dict_post_hook",
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_contain_the_hook_functions(name):
    """Programs written for PyTorch find their hook in the table, remove it, and restore it."""
    seen = []
    module = nn.Linear(2, 1)

    def hook(*arguments):
        seen.append(arguments)

    def use():
        seen.clear()
        module(ft.ones(1, 2, requires_grad=True)).sum().backward()
        module.load_state_dict(module.state_dict())
        return len(seen)

    getattr(module, TABLES[name])(hook)
    table = getattr(module, name)
    assert isinstance(table, dict) and list(table.values()) == [hook] and use() == 1
    ((key, found),) = table.items()
    del table[key]
    assert found is hook and use() == 0
    table[key] = hook
    assert use() == 1
    setattr(module, name, {})
    assert not table and use() == 0
    handle = getattr(module, TABLES[name])(hook)
    setattr(module, name, dict(getattr(module, name)))
    assert use() == 1
    handle.remove()
    assert use() == 0


def test_tables_of_flags():
    module = Add()
    module.register_forward_hook(lambda m, a, k, out: (k, out), with_kwargs=True, always_call=True)
    module.register_forward_pre_hook(lambda m, a: None)
    (key,) = module._forward_hooks
    assert module._forward_hooks_with_kwargs == module._forward_hooks_always_called == {key: True}
    assert module._forward_pre_hooks_with_kwargs == {} and module(1, scale=2) == ({"scale": 2}, 2)
    for other in (copy.copy(module), module):
        module._forward_hooks[key] = lambda m, a, out: out + 1
        del other._forward_hooks_with_kwargs[key]
    assert module(1) == 2


def test_legacy_state_dict_hooks():
    module = nn.Sequential(nn.Linear(2, 1))

    def renamed(module, state, prefix, metadata):
        return {f"new.{name}": value for name, value in state.items()}

    def back(state, prefix, metadata, strict, missing, unexpected, errors):
        for name in list(state):
            state[name.removeprefix("new.")] = state.pop(name)

    handle = module._register_state_dict_hook(renamed)
    state = module.state_dict()
    assert list(state) == ["new.0.weight", "new.0.bias"]
    handle.remove()
    module._register_load_state_dict_pre_hook(back)
    module._register_load_state_dict_pre_hook(lambda m, *rest: m is module or 1 / 0, with_module=True)
    assert module.load_state_dict(state) == ([], [])
    with raises(TypeError, "_register_load_state_dict_pre_hook", "expected a callable", value="int"):
        module._register_load_state_dict_pre_hook(3)


def test_hooks_are_copied_and_pickled():
    module = nn.ReLU()
    module.register_forward_hook(ones_like_hook)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert same(other(ft.zeros(2)), ft.ones(2))
        other._forward_hooks.clear()
    assert same(module(ft.zeros(2)), ft.ones(2))


# ------------------------------------------------------------------------------------------------ gradients
def test_backward_hooks_receive_both_gradients():
    seen = []
    linear = nn.Linear(3, 2)
    linear.register_full_backward_hook(lambda m, grad_input, grad_output: seen.append((m, grad_input, grad_output)))
    x = ft.ones(4, 3, requires_grad=True)
    (linear(x) * 2).sum().backward()
    ((module, (grad_input,), (grad_output,)),) = seen
    assert module is linear
    assert same(grad_output, ft.full((4, 2), 2.0))
    assert same(grad_input, grad_output @ linear.weight.detach())
    assert same(x.grad, grad_input)


def test_gradients_are_the_same_with_hooks():
    x = ft.randn(5, 4, requires_grad=True)
    net = Net()
    net(x).sum().backward()
    expected = [parameter.grad.clone() for parameter in net.parameters()] + [x.grad]
    net.zero_grad()
    x.grad = None
    count = []
    for module in net.modules():
        module.register_full_backward_hook(lambda m, i, o: count.append(m))
        module.register_full_backward_pre_hook(lambda m, o: count.append(m))
    net(x).sum().backward()
    assert len(count) == 12 and count[0] is net
    assert all(same(a, b.grad) for a, b in zip(expected, [*net.parameters(), x], strict=True))


def test_backward_hooks_may_replace_gradients():
    relu = nn.ReLU()
    x = ft.ones(2, requires_grad=True)
    with relu.register_full_backward_pre_hook(lambda m, grad_output: (grad_output[0] * 3,)):
        relu(x).sum().backward()
    assert same(x.grad, ft.full((2,), 3.0))
    x.grad = None
    with relu.register_full_backward_hook(lambda m, grad_input, grad_output: grad_input[0] * 5):
        relu(x).sum().backward()
    assert same(x.grad, ft.full((2,), 5.0))
    with relu.register_full_backward_hook(lambda m, i, o: (i[0], i[0])):
        with raises(RuntimeError, "register_full_backward_hook", "1 gradients", value=2):
            relu(x).sum().backward()


def test_several_arguments_and_results():
    class Both(nn.Module):
        def forward(self, a, b, number, c):
            return [a * number, b + c, "text"]

    seen = []
    module = Both()
    module.register_full_backward_hook(lambda m, i, o: seen.append((i, o)))
    a, b, c = ft.ones(1, requires_grad=True), ft.ones(2), ft.ones(2, requires_grad=True)
    result = module(a, b, 3.0, c)
    assert type(result) is list and result[2] == "text"
    result[1].sum().backward()
    ((grad_input, grad_output),) = seen
    assert grad_input[1] is grad_input[2] is None and same(grad_input[3], ft.ones(2))
    assert grad_output[0] is None and grad_output[2] is None and same(grad_output[1], ft.ones(2))
    assert same(c.grad, ft.ones(2))


def test_no_argument_requires_a_gradient():
    seen = []
    linear = nn.Linear(3, 2)
    linear.register_full_backward_hook(lambda m, i, o: seen.append((i, o[0].shape)))
    linear(ft.ones(1, 3)).sum().backward()
    assert seen == [((None,), (1, 2))]
    with linear.register_full_backward_hook(lambda m, i, o: i):
        with raises(RuntimeError, "register_full_backward_hook", "expected the hook to return None where no argument"):
            linear(ft.ones(1, 3)).sum().backward()


def test_hooks_without_gradients_record_nothing():
    linear = nn.Linear(3, 2)
    linear.register_full_backward_hook(lambda m, i, o: None)
    with ft.no_grad():
        assert linear(ft.ones(1, 3)).node is None


def test_second_derivatives_through_hooks():
    module = Add()
    module.register_full_backward_hook(lambda m, i, o: (i[0] * 2,))
    x = ft.tensor([3.0], requires_grad=True)
    (first,) = grad(module(x * x * x), [x], create_graph=True)
    (second,) = grad(first, [x])
    assert first.tolist() == [54.0] and second.tolist() == [36.0]


def test_boundary_tensors_with_hooks_cannot_be_modified_in_place():
    """As in PyTorch: a modification would not be visible on the other side."""
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 2))
    x = ft.randn(5, 3, requires_grad=True)
    net(x).sum().backward()
    with net[0].register_full_backward_hook(lambda m, i, o: None), raises(RuntimeError, "relu"):
        net(x)
    with net[1].register_full_backward_hook(lambda m, i, o: None), raises(RuntimeError, "relu"):
        net(x)
    with net[2].register_full_backward_hook(lambda m, i, o: None):
        net(x).sum().backward()


def test_call_impl_runs_hooks():
    class Outer(Add):
        def __call__(self, *args, **kwargs):
            return self._call_impl(*args, **kwargs) * 10

    module = Outer()
    module.register_forward_hook(ones_like_hook)
    assert module(2, 3, scale=2) == 80
