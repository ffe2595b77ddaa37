"""Modules, hooks, handles and the graphs of their calls are freed without the garbage collector."""

import copy
import gc
import weakref

import pytest
from nn_toys import Net

import facula_nn as nn
import facula_tensor as ft


@pytest.fixture(autouse=True)
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def gone(make):
    """Return whether the result of `make`, and all modules and tensors created by it, are freed on deletion."""
    make()  # fills permanent caches and plans
    before = sum(isinstance(one, (nn.Module, ft.Tensor)) for one in gc.get_objects())
    kept = weakref.ref(make())
    after = sum(isinstance(one, (nn.Module, ft.Tensor)) for one in gc.get_objects())
    return kept() is None and after <= before


def trained():
    net = Net()
    net(ft.ones(2, 4)).sum().backward()
    return net


def never_differentiated():
    net = Net()
    net.kept = net(ft.ones(2, 4))
    return net


def viewed():
    net = Net()
    net._parameters, net._modules.items(), repr(net), dir(net), list(net.named_modules())
    return net


def converted():
    return copy.deepcopy(Net().double())


def loaded():
    net = Net()
    net.load_state_dict(Net().state_dict())
    return net


def refused():
    net = Net()
    for wrong in (
        lambda: net(ft.ones(2, 9)),
        lambda: net.load_state_dict({}),
        lambda: net.body[9],
        lambda: net.nothing,
    ):
        try:
            wrong()
        except Exception as error:
            kept = error
            del kept
    return net


def hooked():
    net = Net()
    handles = [net.register_forward_hook(lambda m, args, out: None), net.register_forward_pre_hook(lambda m, a: None)]
    for module in net.modules():
        handles.append(module.register_full_backward_hook(lambda m, i, o: None))
        handles.append(module.register_full_backward_pre_hook(lambda m, o: None))
    x = ft.ones(2, 4, requires_grad=True)
    net(x)  # a graph that is never differentiated
    net(x).sum().backward()
    handles[0].remove()
    return net


@pytest.mark.parametrize("make", [trained, viewed, converted, loaded, refused, hooked])
def test_modules_are_freed_immediately(make):
    assert gone(make)


def test_module_that_stores_its_result_is_freed():
    """The module's graph refers to leaves only, never to the module."""
    assert gone(never_differentiated)


def test_handle_keeps_no_module_alive():
    net = Net()
    kept = weakref.ref(net)
    handle = net.register_forward_hook(lambda m, args, out: None)
    del net
    assert kept() is None
    handle.remove()


def test_stored_error_does_not_keep_the_module_alive():
    net = Net()
    kept = weakref.ref(net)
    try:
        net(ft.ones(2, 9))
    except ValueError as error:
        saved = error
    saved.__traceback__ = None
    del net
    assert kept() is None and "Net.body.0" in saved.__notes__[0]
