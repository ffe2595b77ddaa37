"""Failing and nested passes: the engine keeps no state of them and continues to work."""

import gc
import sys
import weakref

import pytest
from autograd_helpers import Box
from interrupts import Interrupter

from facula_autograd import FreedGraphError, Function, backward, enable_grad, grad, is_grad_enabled
from facula_autograd.extend import active_modes


def program(x, y):
    """A graph with all special cases: hooks, a Function, a retained gradient, a shared leaf."""

    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return Box(x.number**3)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * Box(3.0) * x * x

    middle = x * y
    middle.register_hook(lambda g: g * Box(1.0))
    middle.retain_grad()
    return Cube.apply(middle) * y + middle


def test_a_pass_interrupted_anywhere():
    wanted = [3 * 3.0**2 * 2**4 + 2, 4 * 3.0**3 * 2**3 + 3]  # the derivatives of x^3 y^4 + x y
    tried = 0
    while True:
        x, y = Box(3.0, True), Box(2.0, True)
        x.register_hook(lambda g: g * Box(1.0))
        out = program(x, y)
        interrupter = Interrupter(tried)
        interrupter.run(out.backward)
        assert not active_modes
        assert is_grad_enabled()
        if not interrupter.raised:
            break
        # A leaf with a hook has the complete gradient or none; other leaves have the part that arrived.
        assert x.grad is None or x.grad.number == wanted[0]
        x.grad = y.grad = None
        again = program(x, y)
        again.backward(retain_graph=True)
        assert [x.grad.number, y.grad.number] == wanted
        tried += 1
    assert [x.grad.number, y.grad.number] == wanted
    assert tried > 100


def test_a_failed_pass_leaves_no_state():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return Box(x.number)

        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError("mine")

    gc.disable()
    try:
        x, y = Box(3.0, True), Box(2.0, True)
        middle = x * y
        out = Fails.apply(middle * y) + y
        refs = [weakref.ref(v) for v in (middle.node, out.node, middle)]
        with pytest.raises(ZeroDivisionError, match="mine"):
            out.backward()
        assert y.grad.number == 1.0  # it had arrived
        assert x.grad is None
        del middle, out
        assert [r() for r in refs] == [None] * 3
    finally:
        gc.enable()


def test_a_retry_with_the_retained_graph():
    x, turns = Box(3.0, True), iter([True, False])

    def hook(g):
        if next(turns):
            raise ZeroDivisionError

    y = x * x
    y.register_hook(hook)
    z = y * y
    with pytest.raises(ZeroDivisionError):
        z.backward(retain_graph=True)
    z.backward()
    assert x.grad.number == 4 * 27.0
    with pytest.raises(FreedGraphError):
        z.backward()


def nested(depth):
    """A Function whose backward creates and differentiates another one, `depth` times."""

    class Nested(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return Box(x.number**2)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with enable_grad():
                inner = Box(x.number, True)
                value = inner * inner if depth == 0 else nested(depth - 1).apply(inner)
                value.backward()
            return g * inner.grad

    return Nested


def test_nested_passes():
    x = Box(3.0, True)
    nested(20).apply(x).backward()
    assert x.grad.number == 6.0


def test_the_engine_is_clean_after_too_deep_nesting():
    x = Box(3.0, True)
    limit = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        nested(limit).apply(x).backward()
    assert not active_modes
    assert is_grad_enabled()
    assert x.grad is None
    nested(1).apply(x).backward()
    assert x.grad.number == 6.0


def test_passes_from_hooks():
    x, y = Box(3.0, True), Box(2.0, True)
    other = x * x
    z = x * y

    def from_a_node(g):
        with enable_grad():
            backward(other, retain_graph=True)  # reaches the leaf to which this pass leads

    def from_a_leaf(leaf):
        with enable_grad():
            assert [g.number for g in grad(leaf * leaf, leaf)] == [4.0]

    z.register_hook(from_a_node)
    y.register_post_accumulate_grad_hook(from_a_leaf)
    z.backward()
    assert x.grad.number == 6.0 + 2.0
    assert y.grad.number == 3.0


def test_a_pass_over_the_running_graph():
    x = Box(3.0, True)
    y = x * x
    seen = []

    def hook(g):
        if not seen:
            seen.append("this pass's own hook")
            seen.append(grad(y, x, retain_graph=True)[0].number)

    y.register_hook(hook)
    (y * y).backward()
    assert seen[1] == 6.0
    assert x.grad.number == 4 * 27.0


def test_errors_in_leaf_hooks_name_the_leaf():
    x = Box(3.0, True)

    def hook(g):
        raise ZeroDivisionError

    x.register_hook(hook)
    with pytest.raises(ZeroDivisionError) as caught:
        (x * x).backward()
    assert caught.value.__notes__ == ["in the hooks of a leaf (the box of 3.0)"]
