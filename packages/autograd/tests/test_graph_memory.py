"""Graphs are freed with their last reference, without the collector and without recursion."""

import gc
import threading
import weakref

import pytest
from autograd_helpers import MUL, Box, add_all, many, recorded_ops

from facula_autograd import FreedGraphError, MutationError, grad
from facula_autograd.extend import Node, edge_to, next_seq


def long_chain(x, count):
    """Return the end of a chain of `count` nodes after `x`, each of which saves a value with a node."""
    node = None
    previous = x
    for _ in range(count):
        out = Box(1.0)
        node = out.node = Node()
        node.rule, node.seq = MUL, next_seq()
        node.e0, node.e1 = edge_to(previous), None
        node.s1, node.v1 = previous, 0
        previous = out
    return previous


@pytest.mark.parametrize(
    ("count", "stack", "differentiate"),
    [(100_000, None, False), (100_000, None, True), (100_000, 256 * 1024, False), (1_000_000, 256 * 1024, True)],
)
def test_a_long_chain(count, stack, differentiate):
    """With recursion, the chain of 100,000 nodes would overflow each of these stacks."""
    done = []

    def work():
        x = Box(1.0, True)
        y = long_chain(x, count)
        watch = weakref.ref(y.node)
        if differentiate:
            y.backward()
            assert x.grad.number == 1.0
        del y
        done.append(watch() is None)

    if stack is None:
        work()
    else:
        old = threading.stack_size(stack)
        try:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(old)
    assert done == [True]


def wide(x):
    return add_all(x, x * x, *many(x, 3)) * x


@pytest.mark.parametrize("build", [lambda x: x * x, lambda x: x + x, lambda x: recorded_ops.clone(x) * x, wide])
@pytest.mark.parametrize("end", ["dropped", "backward", "retained", "grad", "hooked", "error", "second", "mutated"])
def test_no_cycles(build, end):
    gc.collect()
    gc.disable()
    try:
        x = Box(3.0, True)
        if end == "hooked":
            x.register_hook(lambda g: g)
        y = build(x)
        gone = [weakref.ref(x), weakref.ref(y), weakref.ref(y.node)]
        if end == "backward" or end == "hooked":
            y.backward()
        elif end == "retained":
            y.backward(retain_graph=True)
        elif end == "grad":
            grad(y, x)
        elif end == "error":
            y.register_hook(lambda g: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                y.backward()
        elif end == "second":
            y.backward()
            if y.node.rule.name == "freed":
                with pytest.raises(FreedGraphError):
                    y.backward()
        elif end == "mutated":
            x.cell.version += 1
            if y.node.rule.saves:
                with pytest.raises(MutationError):
                    y.backward()
        del x, y
        assert [r() for r in gone] == [None] * 3
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("product", [lambda h, w: h * w, lambda h, w: w * h])
def test_saved_values_are_freed_during_the_pass(product):
    gc.disable()
    try:
        x, w = Box(3.0, True), Box(2.0, True)
        h = x * w
        watch = weakref.ref(h)
        y = product(h, w)
        del h
        alive = []
        x.register_hook(lambda g: alive.append(watch() is not None))
        y.backward()
        assert alive == [False]
        assert watch() is None
    finally:
        gc.enable()
