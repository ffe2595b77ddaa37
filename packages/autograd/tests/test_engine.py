"""Results of backward passes, their order, and refused calls."""

import autograd_helpers as helpers
import pytest
from autograd_helpers import Box, add_all, many, traced
from hypothesis import given, settings
from hypothesis import strategies as st

from facula_autograd import FreedGraphError, GradientError, Variable, backward, grad, no_grad
from facula_autograd._graph.node import AccumulateGrad
from facula_errors.testing import raises


def test_product_and_sum():
    x, y = Box(3.0, True), Box(2.0, True)
    (x * y * x + y).backward()
    assert x.grad.number == 12.0
    assert y.grad.number == 10.0


def test_grad_accumulates_in_place_over_passes():
    x = Box(3.0, True)
    (x * x).backward()
    first = x.grad
    (x * x).backward()
    assert x.grad is first
    assert first.number == 12.0


STEPS = st.lists(
    st.tuples(st.sampled_from("*+mtc"), st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=40
)


def build(steps, leaves):
    """Build a random graph: each step uses two earlier values."""
    values = list(leaves)
    for kind, i, j in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        if kind == "*":
            values.append(a * b)
        elif kind == "+":
            values.append(a + b)
        elif kind == "m" and isinstance(a, Box):
            values.extend(many(a, 2))
        elif kind == "t" and isinstance(a, Box):
            values.append(add_all(a, b, a))
        elif kind == "c" and isinstance(a, Box):
            values.append(helpers.recorded_ops.clone(a))
        else:
            values.append(a + b)
    return values


class Dual:
    """A brute-force reference: a number with its derivatives by every leaf, computed forward."""

    def __init__(self, number, tangent):
        self.number, self.tangent = number, tangent

    def __add__(self, other):
        return Dual(self.number + other.number, [a + b for a, b in zip(self.tangent, other.tangent, strict=True)])

    def __mul__(self, other):
        tangent = [self.number * b + other.number * a for a, b in zip(self.tangent, other.tangent, strict=True)]
        return Dual(self.number * other.number, tangent)


def duals(steps, numbers):
    values = [Dual(x, [float(i == k) for k in range(len(numbers))]) for i, x in enumerate(numbers)]
    for kind, i, j in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        if kind == "*":
            values.append(a * b)
        elif kind == "m":
            values.extend([a, a])
        elif kind == "t":
            values.append(a + b + a)
        elif kind == "c":
            values.append(a)
        else:
            values.append(a + b)
    return values


@settings(deadline=None, max_examples=150)
@given(STEPS, st.integers(0, 3), st.booleans())
def test_random_graphs_against_forward_derivatives(steps, hooked, use_grad):
    numbers = [0.5, -0.25, 1.0]
    leaves = [Box(x, True) for x in numbers]
    seen = []
    for leaf in leaves[:hooked]:
        leaf.register_hook(lambda g: seen.append(g.number))
    out, expected = build(steps, leaves)[-1], duals(steps, numbers)[-1].tangent
    if use_grad:
        found = [0.0 if g is None else g.number for g in grad(out, leaves, allow_unused=True)]
    else:
        out.backward()
        found = [0.0 if leaf.grad is None else leaf.grad.number for leaf in leaves]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    reached = [x for x, leaf in zip(found[:hooked], leaves, strict=False) if leaf.grad is not None or use_grad]
    # Each hook runs at most once, with the complete sum.
    assert len(seen) <= hooked
    assert all(any(s == pytest.approx(x) for x in reached) for s in seen)


@settings(deadline=None, max_examples=60)
@given(STEPS, st.integers(0, 10**6))
def test_random_graphs_with_inner_inputs(steps, which):
    numbers = [0.5, -0.25, 1.0]
    leaves = [Box(x, True) for x in numbers]
    values = build(steps, leaves)
    inner, out = values[which % len(values)], values[-1]
    (found,) = grad(out, inner, allow_unused=True, retain_graph=True)
    if not inner.is_leaf:
        inner.retain_grad()
    out.backward()
    expected = inner.grad
    assert (None if found is None else found.number) == (None if expected is None else expected.number)


def test_nodes_run_newest_first():
    x = Box(1.0, True)
    a = traced(x, "a")
    b = traced(x, "b")
    c = traced(a, "c")
    helpers.CALLS.clear()
    (c + b + a).backward()
    assert helpers.CALLS == ["c", "b", "a"]
    assert x.grad.number == 3.0


def test_several_roots_and_gradients():
    x, y = Box(3.0, True), Box(2.0, True)
    backward([x * y, x + y, x], [Box(1.0), Box(10.0), Box(100.0)])
    assert x.grad.number == 112.0
    assert y.grad.number == 13.0


def test_second_backward_names_both_lines():
    x = Box(3.0, True)
    z = x * x
    z.backward()
    with raises(FreedGraphError, "backward", "retain_graph=True") as caught:
        z.backward()
    assert caught.value.operator == "mul"
    assert "test_engine.py" in caught.value.forward
    assert "test_second_backward_names_both_lines" in caught.value.freed_by
    assert caught.value.forward != caught.value.freed_by
    assert "mul" in repr(z.grad_fn)


def test_retained_graphs_and_rules_without_saved_values_run_again():
    x = Box(3.0, True)
    z = x * x
    z.backward(retain_graph=True)
    z.backward()
    assert x.grad.number == 12.0
    y = Box(1.0, True)
    s = y + y
    s.backward()
    s.backward()
    assert y.grad.number == 4.0


def test_create_graph_gives_third_derivatives():
    x = Box(2.0, True)
    (first,) = grad(x * x * x * x, x, create_graph=True)
    (second,) = grad(first, x, create_graph=True)
    (third,) = grad(second, x)
    assert (first.number, second.number, third.number) == (32.0, 48.0, 48.0)
    assert not third.requires_grad


def test_create_graph_under_no_grad_still_records():
    x = Box(2.0, True)
    y = x * x
    with no_grad():
        (first,) = grad(y, x, create_graph=True)
    assert first.requires_grad


def test_grad_computes_only_requested_gradients():
    x, w = Box(3.0, True), Box(2.0, True)
    helpers.CALLS.clear()
    out = traced(x, "unwanted") * traced(w, "wanted")
    (g,) = grad(out, w)
    assert g.number == 3.0
    assert helpers.CALLS == ["wanted"]
    assert x.grad is None
    assert w.grad is None


def test_grad_hides_unwanted_edges_from_the_rule():
    x, w = Box(3.0, True), Box(2.0, True)
    made = []
    original = helpers.Raw.mul
    helpers.Raw.mul = lambda self, a, b: made.append(1) or original(self, a, b)
    try:
        out = x * w
        made.clear()
        grad(out, w)
    finally:
        helpers.Raw.mul = original
    assert len(made) == 1


def test_grad_frees_the_nodes_that_it_ran():
    x, w = Box(3.0, True), Box(2.0, True)
    out = x * w
    grad(out, w)
    with pytest.raises(FreedGraphError):
        grad(out, x)


def test_backward_with_inputs():
    x, w = Box(3.0, True), Box(2.0, True)
    h = x * w
    (h * h).backward(inputs=[x, h])
    assert (x.grad.number, w.grad) == (24.0, None)
    assert h._grad.number == 12.0


def test_the_same_value_as_output_and_input():
    x = Box(3.0, True)
    y = x * x
    assert [g.number for g in grad(y, (y, x, x))] == [1.0, 6.0, 6.0]
    assert [g.number for g in grad(x, x)] == [1.0]


def test_unused_inputs():
    x, y = Box(3.0, True), Box(2.0, True)
    with raises(GradientError, "grad", "input 1", "allow_unused"):
        grad(x * x, (x, y))
    assert grad(x * x, (x, y), allow_unused=True)[1] is None
    assert grad(x * x, (x, y), materialize_grads=True)[1].number == 0.0
    with raises(ValueError, "grad", "allow_unused=True"):
        grad(x * x, (x, y), allow_unused=False, materialize_grads=True)


def test_refusals():
    x = Box(3.0, True)
    with raises(GradientError, "backward", "requires grad"):
        Box(1.0).backward()
    with raises(GradientError, "backward", "output 1"):
        backward([x * x, Box(2.0)])
    with raises(GradientError, "backward", "2 outputs and 1"):
        backward([x, x], [Box(1.0)])
    with raises(GradientError, "backward", "the box of up"):
        (x * x).backward(Box("up"))
    with raises(GradientError, "grad", "input 0"):
        grad(x * x, Box(1.0))
    with raises(GradientError, "requires_grad_", "floating-point"):
        Box(1).requires_grad_()
    with raises(GradientError, "requires_grad_", "detach"):
        (x * x).requires_grad_(False)
    with raises(GradientError, "grad", "the box of up"):
        x.grad = Box("up")
    with raises(GradientError, "grad", "at least one"):
        grad(x * x, ())
    with raises(GradientError, "grad", "is_grads_batched"):
        grad(x * x, x, is_grads_batched=True)
    for wrong in (lambda: grad("text", x), lambda: grad(x * x, "text"), lambda: (x * x).backward(3.0)):
        with raises(TypeError, "...", "of type"):
            wrong()
    with raises(TypeError, "grad", "None or a gradient"):
        x.grad = 3.0
    assert x.grad is None


def test_next_functions_lead_through_the_graph():
    x, y = Box(3.0, True), Box(2.0, True)
    z = x * y
    node = (z + Box(1.0)).grad_fn
    assert node.name() == "add"
    assert node.next_functions == ((z.grad_fn, 0), (None, 0))
    (first, _), (second, _) = z.grad_fn.next_functions
    assert (first.variable, second.variable) == (x, y)
    assert (first.name(), first.next_functions) == ("AccumulateGrad", ())
    assert first != second
    again = z.grad_fn.next_functions[0][0]
    assert first == again
    assert len({first, second, again}) == 2


def test_non_scalars_need_a_gradient():
    import numpy as np

    x = Variable(np.ones(3), requires_grad=True)
    with raises(GradientError, "backward", "scalar", "shape (3,)"):
        (x * 2).backward()
    with raises(GradientError, "backward", "(3,)", "(2,)"):
        (x * 2).backward(Variable(np.ones(2)))
    (x * 2).backward(Variable(np.ones(3, "f4")))
    assert x.grad.value.dtype == "f8"
    z = Variable(np.ones(1, "c16"), requires_grad=True)
    with raises(GradientError, "backward", "real scalar", "abs()"):
        (z * 2).backward()
    (z * 2).backward([Variable(np.ones(1, "c16"))])
    assert z.grad.value == 2


def test_failing_rules_are_named():
    def broken(F, node, g):
        raise ZeroDivisionError("oh")

    x, out = Box(1.0, True), Box(1.0)
    node = helpers.record(out, helpers.Rule("broken", broken, True, False), 1)
    node.e0 = x
    with pytest.raises(ZeroDivisionError) as caught:
        out.backward()
    (note,) = caught.value.__notes__
    assert "broken" in note
    assert "test_engine.py" in note


def test_the_engine_works_after_an_interrupted_pass():
    def interrupt(g):
        raise KeyboardInterrupt

    x = Box(3.0, True)
    y = x * x
    handle = y.register_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        y.backward()
    handle.remove()
    y.backward()
    assert x.grad.number == 6.0
    assert not helpers.active_modes


def test_leaf_switched_off_after_use():
    x = Box(3.0, True)
    y = x * x
    x.requires_grad_(False)
    y.backward()
    assert x.grad.number == 6.0


def test_public_attributes_of_nodes():
    x, y = Box(3.0, True), Box(2.0)
    z = x * y
    assert z.grad_fn.name() == "mul"
    assert z.grad_fn.next_functions == ((AccumulateGrad(x), 0), (None, 0))
    assert "test_public_attributes_of_nodes" in z.grad_fn.where
    assert x.is_leaf
    assert not z.is_leaf
    assert x.grad_fn is None
    s = add_all(x, y, z)
    assert s.grad_fn.next_functions == ((AccumulateGrad(x), 0), (None, 0), (z.grad_fn, 0))
    with pytest.warns(UserWarning, match="retain_grad"):
        assert z.grad is None


def test_rules_of_several_outputs_get_one_entry_each():
    from facula_autograd.extend import Gradients

    lengths = []

    def look(F, node, g):
        lengths.append((type(g), [None if part is None else part.number for part in g]))
        return helpers.MANY.backward(F, node, g)

    x = Box(3.0, True)
    outs = [Box(3.0) for _ in range(3)]
    helpers.record_many(outs, helpers.Rule("look", look, True, False), 1).e0 = x
    (outs[0] * Box(5.0) + outs[2] + outs[0]).backward()
    assert lengths == [(Gradients, [6.0, None, 1.0])]
    assert x.grad.number == 7.0
