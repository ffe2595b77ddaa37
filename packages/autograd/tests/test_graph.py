"""Hooks on several values, gradient edges and attributes of nodes. Expected lists are PyTorch 2.13's results."""

import gc
import weakref

import pytest
from autograd_helpers import Box, write_

from facula_autograd import (
    GradientError,
    MutationError,
    Variable,
    backward,
    enable_grad,
    grad,
    set_multithreading_enabled,
)
from facula_autograd._engine.multi_grad_hooks import multi_hooks
from facula_autograd.graph import GradientEdge, get_gradient_edge, increment_version, register_multi_grad_hook
from facula_errors.testing import raises


def numbers(gradients):
    return [None if g is None else g.number for g in gradients]


class Product:
    """Computes x w = y, with an additional value u, and a hook on all four."""

    def __init__(self, mode="all"):
        self.x, self.w, self.u = (Box(float(k), True) for k in (2, 3, 5))
        self.y, self.seen = self.x * self.w, []
        take = (lambda gs: self.seen.append(numbers(gs))) if mode == "all" else lambda g: self.seen.append(g.number)
        self.handle = register_multi_grad_hook([self.x, self.w, self.y, self.u], take, mode=mode)


@pytest.mark.parametrize(
    ("run", "seen"),
    [
        (lambda p: p.y.backward(), [[3.0, 2.0, 1.0, None]]),
        (lambda p: p.y.backward(inputs=[p.x]), [[3.0, None, 1.0, None]]),
        (lambda p: grad(p.y + p.y, p.y), [[None, None, 2.0, None]]),
        (lambda p: grad(p.y, [p.w, p.x]), [[3.0, 2.0, 1.0, None]]),
        (lambda p: (p.y + p.u).backward(), [[3.0, 2.0, 1.0, 1.0]]),
        (lambda p: p.u.backward(), [[None, None, None, 1.0]]),
        (lambda p: [p.y.backward(retain_graph=True), p.y.backward()], [[3.0, 2.0, 1.0, None]] * 2),
        (lambda p: [p.handle.remove(), p.handle.remove(), p.y.backward()], []),
    ],
)
def test_hook_on_several_values(run, seen):
    product = Product()
    run(product)
    assert product.seen == seen


def test_a_hook_with_mode_any_receives_the_first_gradient():
    product = Product("any")
    product.y.backward(retain_graph=True)
    product.y.backward(retain_graph=True)
    with product.handle:
        product.y.backward(inputs=[product.w], retain_graph=True)
    product.y.backward()
    assert product.seen == [1.0, 1.0, 1.0]


def test_a_pass_inside_a_hook_is_separate():
    x, y = Box(2.0, True), Box(3.0, True)
    seen = []
    register_multi_grad_hook([x, y], lambda gs: seen.append(numbers(gs)))
    z = x * y
    z.register_hook(enable_grad(lambda g: grad(x * x, x) and None))
    z.backward()
    assert seen == [[4.0, None], [3.0, 2.0]]


def test_repeated_values_and_edges():
    x = Box(2.0, True)
    y, seen = x * x, []
    register_multi_grad_hook([x, x, get_gradient_edge(y), get_gradient_edge(x)], lambda gs: seen.append(numbers(gs)))
    y.backward()
    assert seen == [[4.0, 4.0, 1.0, 4.0]]


def test_hooks_keep_no_value_alive():
    gc.collect()
    gc.disable()
    try:
        x, w = Box(2.0, True), Box(3.0, True)
        y = x * w
        register_multi_grad_hook([x, w, y], lambda gs: None)
        y.backward()
        graph = weakref.ref(y.grad_fn)
        del x, w, y
        assert graph() is None
        Box(1.0, True).backward()  # a pass drops hooks whose values are gone
        assert multi_hooks == []
    finally:
        gc.enable()


def test_errors_of_hooks():
    x = Box(1.0, True)
    with raises(GradientError, "register_multi_grad_hook", "value 1 (the box of 2.0) does not"):
        register_multi_grad_hook([x, Box(2.0)], print)
    assert x.hooks is None, "nothing was changed"
    with raises(ValueError, "register_multi_grad_hook", "mode to be 'all' or 'any'", value="'some'"):
        register_multi_grad_hook([x], print, mode="some")
    with raises(TypeError, "register_multi_grad_hook", "expected a callable", value="int"):
        register_multi_grad_hook([x], 3)
    with raises(TypeError, "register_multi_grad_hook", "expected tensors to be a sequence", value="NoneType"):
        register_multi_grad_hook(None, print)


# ---- edges


def test_edges_replace_values():
    x = Variable(3.0, True)
    y = x * x
    z = y * y
    at_x, at_y, at_z = map(get_gradient_edge, (x, y, z))
    assert (at_y.node, at_y.output_nr) == (y.grad_fn, 0) and at_x.node.variable is x
    assert [g.value for g in grad(z, [at_y, at_x], retain_graph=True)] == [18.0, 108.0]
    assert grad(at_z, at_y, retain_graph=True)[0].value == 18.0
    assert grad(GradientEdge(z.grad_fn, 0), x, Variable(2.0), retain_graph=True)[0].value == 216.0
    backward(at_z, inputs=at_x, retain_graph=True)
    z.backward(inputs=[at_x], retain_graph=True)
    assert x.grad.value == 216.0
    del y, z
    assert grad(at_z, at_x)[0].value == 108.0, "the edge holds the graph"


def test_inputs_by_name():
    """As `dict(module.named_parameters())`."""
    x, w = Variable(3.0, True), Variable(2.0, True)
    (x * w).backward(inputs={"x": x})
    backward(x * w, inputs={"x": x})
    assert (x.grad.value, w.grad) == (4.0, None)


def test_errors_of_edges():
    x = Box(2.0, True)
    y = x * x
    with raises(GradientError, "get_gradient_edge", "the box of 1.0, which does not"):
        get_gradient_edge(Box(1.0))
    with raises(TypeError, "get_gradient_edge", value="int"):
        get_gradient_edge(3)
    with raises(NotImplementedError, "GradientEdge", "an edge that was not made by get_gradient_edge does not know"):
        backward(GradientEdge(y.grad_fn))
    with raises(TypeError, "GradientEdge", "expected a Node as its node", value="int"):
        grad(y, GradientEdge(3))
    (unused,) = grad(y, get_gradient_edge(Box(1.0, True) * x), materialize_grads=True)
    assert unused.number == 0.0


# ---- nodes and values


def test_metadata_of_a_node_lives_as_long_as_the_node():
    x = Box(2.0, True)
    before, after = x * x, x * x
    before.grad_fn.metadata["line"] = 1
    for y in (before, after):
        y.backward()
    after.grad_fn.metadata["line"] = 2
    assert [y.grad_fn.metadata for y in (before, after)] == [{"line": 1}, {"line": 2}]
    assert x.grad.number == 8.0 and after.grad_fn.name() == "mul"
    with raises(RuntimeError, "backward", "released by an earlier backward pass"):
        after.backward()


def test_files_with_the_same_text_are_told_apart():
    roots = {name: Box(2.0, True) * Box(3.0, True) for name in ("one.py", "two.py")}
    for name, root in roots.items():
        exec(compile("root.backward()", name, "exec"), {"root": root})
    for name, root in roots.items():
        with raises(RuntimeError, "backward", f"started at {name}:1"):
            root.backward()


def test_increment_version():
    class Counting(Box):
        pass

    from autograd_helpers import BoxAdapter

    from facula_autograd.extend import register_adapter

    class CountingAdapter(BoxAdapter):
        def increment_version(self, v):
            write_(v, v.number)

    register_adapter(Counting, CountingAdapter())
    x, k = Box(2.0, True), Counting(3.0)
    y = x * k
    increment_version([k, x])
    with pytest.raises(MutationError):
        y.backward()
    for wrong in (3, [x, "k"]):
        with raises(TypeError, "increment_version", "expected values"):
            increment_version(wrong)


def test_set_multithreading_enabled_is_accepted():
    @set_multithreading_enabled(True)
    def run():
        with set_multithreading_enabled(False):
            return 3

    assert run() == 3
    with raises(TypeError, "set_multithreading_enabled", "expected True or False"):
        set_multithreading_enabled(1)
