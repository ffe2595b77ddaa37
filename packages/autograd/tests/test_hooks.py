"""Hooks run once, on the complete gradient, and can be removed."""

import gc
import weakref

import numpy as np
import pytest
from autograd_helpers import Box, double_, traced, write_

from facula_autograd import (
    GradientError,
    MutationError,
    Variable,
    enable_grad,
    grad,
    is_grad_enabled,
    saved_tensors_hooks,
)
from facula_autograd.extend import set_context
from facula_errors.testing import raises


def test_weight_used_three_times():
    w, seen = Box(2.0, True), []
    w.register_hook(lambda g: seen.append(g.number))
    x = Box(3.0)
    (w * x + w * x * w).backward()
    assert seen == [15.0]
    assert w.grad.number == 15.0


def test_a_leaf_hook_runs_as_early_as_possible():
    w, x, order = Box(2.0, True), Box(3.0, True), []
    early = traced(x, "early")
    early.register_hook(lambda g: order.append("early"))
    w.register_hook(lambda g: order.append("w"))
    x.register_hook(lambda g: order.append("x"))
    ((early * w) * w).backward()
    assert order == ["w", "early", "x"]


def test_hooks_of_many_leaves_of_one_node():
    leaves = [Box(float(k), True) for k in range(300)]
    seen = []
    total = leaves[0]
    for k, leaf in enumerate(leaves):
        leaf.register_hook(lambda g, k=k: seen.append((k, g.number)))
        total = total + leaf
    total.backward()
    assert sorted(seen) == [(0, 2.0)] + [(k, 1.0) for k in range(1, 300)]


def test_hooks_replace_gradients_in_order():
    x = Box(3.0, True)
    h = x * x
    h.register_hook(lambda g: g * Box(2.0))
    h.register_hook(lambda g: g + Box(1.0))
    h.backward()
    assert x.grad.number == 18.0


@pytest.mark.parametrize("answer", [5.0, "text", np.ones(2), np.ones(3, np.float32)], ids=str)
def test_invalid_replacements_are_refused(answer):
    x = Variable(np.ones(3), requires_grad=True)
    for value in (x, x * x):
        value.register_hook(lambda g: Variable(answer) if isinstance(answer, np.ndarray) else answer)
        with raises(GradientError, "hook", "expected None or a gradient like the one it was shown"):
            (value * 2).sum().backward()


def test_leaf_as_root():
    x, seen = Box(3.0, True), []
    x.register_hook(lambda g: seen.append(g.number))
    x.backward()
    assert seen == [1.0]
    assert x.grad.number == 1.0


def test_remove():
    x, seen = Box(3.0, True), []
    handle = x.register_hook(seen.append)
    handle.remove()
    handle.remove()
    with (x * x).register_hook(seen.append):
        pass
    (x * x).backward()
    assert not seen


def test_a_hook_added_during_a_pass():
    x, seen = Box(3.0, True), []
    h = x * x
    (h * x).register_hook(lambda g: None)
    out = h * x

    def late(g):
        x.register_hook(lambda g: seen.append(g.number))

    h.register_hook(late)
    out.backward()
    assert seen == [18.0]  # only the gradients that had not yet arrived
    assert x.grad.number == 27.0


def test_node_hooks():
    x, seen = Box(3.0, True), []
    out = x * x
    out.grad_fn.register_hook(lambda ins, outs: seen.append(([g.number for g in ins], outs[0].number)))
    out.grad_fn.register_prehook(lambda outs: (outs[0] * Box(10.0),))
    out.backward()
    assert seen == [([30.0, 30.0], 10.0)]
    assert x.grad.number == 60.0
    y = Box(1.0, True)
    out = y * y
    out.grad_fn.register_hook(lambda ins, outs: (Box(1.0),))
    with raises(RuntimeError, "register_hook", "tuple of 2"):
        out.backward()


def test_retain_grad():
    x = Box(3.0, True)
    h = x * x
    h.retain_grad()
    assert h.retains_grad
    out = h * h
    out.backward(retain_graph=True)
    assert h.grad.number == 18.0
    out.backward()
    assert h.grad.number == 36.0
    x.retain_grad()
    assert not x.retains_grad
    with raises(RuntimeError, "retain_grad", "requires grad"):
        Box(1.0).retain_grad()


def test_retain_grad_follows_an_in_place_operator():
    x = Box(3.0, True)
    h = x + Box(1.0)
    h.retain_grad()
    double_(h)
    (h * Box(5.0)).backward()
    assert h.grad.number == 5.0
    assert x.grad.number == 10.0


def test_hooks_under_grad():
    x, w, seen = Box(3.0, True), Box(2.0, True), []
    x.register_hook(lambda g: seen.append("x"))
    w.register_hook(lambda g: seen.append("w") or g * Box(2.0))
    h = x * w
    h.register_hook(lambda g: seen.append("h"))
    assert [g.number for g in grad(h * h, (w, h))] == [72.0, 12.0]
    assert seen == ["h", "w"]


def test_hooks_run_without_recording_by_default():
    x, seen = Box(3.0, True), []
    x.register_hook(lambda g: seen.append(is_grad_enabled()))
    y = x * x
    y.register_hook(lambda g: seen.append(is_grad_enabled()))
    y.grad_fn.register_hook(lambda ins, outs: seen.append(is_grad_enabled()))
    with enable_grad():
        y.backward(retain_graph=True)
    grad(y, x, create_graph=True)
    assert seen == [False] * 3 + [True] * 3


def test_post_accumulate_hook_sees_the_sum():
    x, seen = Box(3.0, True), []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.number))
    (x * x + x).backward()
    (x * x).backward(inputs=[x])
    grad(x * x, x)
    assert seen == [7.0, 13.0]
    with raises(RuntimeError, "register_post_accumulate_grad_hook", "leaf"):
        (x * x).register_post_accumulate_grad_hook(print)


def test_backward_inside_a_hook():
    x, w, seen = Box(3.0, True), Box(2.0, True), []

    def inner(g):
        with enable_grad():
            (w * w).backward()
        seen.append(grad(x * x, x)[0].number if is_grad_enabled() else w.grad.number)

    x.register_hook(inner)
    y = x * w
    y.register_hook(inner)
    (y * y).backward()
    assert x.grad.number == 24.0
    assert w.grad.number == 2 * 4.0 + 36.0
    assert len(seen) == 2


def test_hooks_make_no_cycle():
    gc.collect()
    gc.disable()
    try:
        x = Box(3.0, True)
        handle = x.register_hook(lambda g: g)
        h = x * x
        h.retain_grad()
        other = h.register_hook(lambda g: g)
        (h * x).backward()
        gone = [weakref.ref(x), weakref.ref(h), weakref.ref(h.node)]
        del x, h
        assert [r() for r in gone] == [None, None, None]
        handle.remove()
        other.remove()
    finally:
        gc.enable()


def test_a_hook_needs_a_value_that_requires_grad():
    with raises(RuntimeError, "register_hook", "requires grad"):
        Box(1.0).register_hook(print)
    with raises(TypeError, "register_hook", "callable"):
        Box(1.0, True).register_hook(3)
    y = Box(1.0, True) * Box(2.0)
    y.backward()
    with raises(RuntimeError, "register_hook", "released"):
        y.register_hook(print)


def test_saved_value_hooks():
    log = []

    def pack(value):
        log.append("pack")
        return value.number

    def unpack(number):
        log.append("unpack")
        return Box(number)

    x, y = Box(3.0, True), Box(2.0, True)
    with saved_tensors_hooks(pack, unpack):
        z = x * y
    assert log == ["pack", "pack"]
    write_(x, 100.0)  # the backward pass uses the packed number
    (z * Box(1.0)).backward()
    assert (x.grad.number, y.grad.number) == (2.0, 3.0)
    assert log == ["pack", "pack", "unpack", "unpack"]


def test_pack_hooks_must_not_change_values():
    for x in (Box(3.0, True), Box(3.0, True) * Box(1.0)):
        with (
            saved_tensors_hooks(lambda v: write_(v, 5.0), lambda v: v),
            raises(
                RuntimeError,
                "saved_tensors_hooks",
                "expected pack_hook not to change",
                "the box of 5.0",
                "write_ at",
                "clone",
            ),
        ):
            x * x


def test_mutated_saved_value():
    x, y = Box(3.0, True), Box(2.0, True)
    z = x * y
    write_(y.detach(), 5.0)
    with pytest.raises(MutationError) as caught:
        z.backward()
    error = caught.value
    assert (error.operator, error.saved) == ("mul", "the second operand")
    assert "test_mutated_saved_value" in error.forward
    assert error.mutation.startswith("write_ at ")
    assert error.forward in str(error)
    assert error.mutation in str(error)
    assert error.mutation.split(" at ")[1] != error.forward


def test_context_of_a_node():
    log = []

    class Stream:
        def __enter__(self):
            log.append("in")

        def __exit__(self, *exc):
            log.append("out")

    x = Box(3.0, True)
    y = x * x
    set_context(y.node, Stream())
    y.backward(retain_graph=True)
    y.backward()
    assert log == ["in", "out"] * 2
    assert x.grad.number == 12.0


def test_post_accumulate_hooks_return_nothing():
    x = Box(3.0, True)
    x.register_post_accumulate_grad_hook(lambda leaf: 3)
    with raises(TypeError, "register_post_accumulate_grad_hook", "None"):
        (x * x).backward()


def test_retains_grad_outlives_the_graph():
    x = Box(3.0, True)
    y = x * x
    y.retain_grad()
    y.backward()
    assert y.retains_grad
    assert y.grad.number == 1.0


@pytest.mark.parametrize(
    "register",
    [
        lambda x, product: x.register_hook,
        lambda x, product: x.register_post_accumulate_grad_hook,
        lambda x, product: product.grad_fn.register_hook,
        lambda x, product: product.grad_fn.register_prehook,
    ],
    ids=["values", "leaves", "after nodes", "before nodes"],
)
def test_hooks_that_change_hooks_while_running(register):
    x, log = Box(3.0, True), []
    product = x * x
    add = register(x, product)

    def first(*gradients):
        log.append("first")
        own.remove()
        other.remove()
        add(lambda *gradients: log.append("new"))

    own = add(first)
    other = add(lambda *gradients: log.append("other"))
    product.backward(retain_graph=True)
    assert log == ["first", "other"]  # the hooks registered when the gradient arrived
    product.backward()
    assert log == ["first", "other", "new"]
