"""Observers of backward passes."""

import pytest

from facula_autograd import FreedGraphError, Variable, backward, grad
from facula_autograd.extend import observe_backward, running_node
from facula_errors.testing import raises


class Observer:
    """Writes down the beginning and the end of passes and rules."""

    def __init__(self):
        self.events = []

    def run_pass(self, run, *arguments):
        self.events.append("pass")
        try:
            run(*arguments, self.run_rule)
        finally:
            self.events.append("end")

    def run_rule(self, backward, F, node, g):
        assert running_node() is node
        self.events.append((node.name(), node.seq))
        return backward(F, node, g)

    @property
    def names(self):
        return [event if isinstance(event, str) else event[0] for event in self.events]


@pytest.fixture
def observer():
    new = Observer()
    former = observe_backward(new)
    yield new
    observe_backward(former)


def leaf(number):
    return Variable(number, requires_grad=True)


def test_rules_run_inside_their_pass_in_descending_order(observer):
    x, y = leaf(3.0), leaf(2.0)
    ((x * y) * x + y).backward()
    assert x.grad == 12.0
    assert observer.names == ["pass", "add", "mul", "mul", "end"]
    numbers = [event[1] for event in observer.events[1:-1]]
    assert numbers == sorted(numbers, reverse=True)


def test_numbers_are_those_of_the_forward_nodes(observer):
    x = leaf(3.0)
    square = x * x
    total = square + x
    backward(total)
    assert observer.events[1:-1] == [("add", total.node.seq), ("mul", square.node.seq)]


def test_gradients_are_the_same_with_and_without_observer():
    def gradients():
        x, y = leaf(3.0), leaf(2.0)
        first = grad(x * y * x + y * y, (x, y), create_graph=True)
        return [g.item() for g in (*first, *grad(first[0] * first[1], (x, y)))]

    expected = gradients()
    former = observe_backward(Observer())
    try:
        assert gradients() == expected
    finally:
        observe_backward(former)


def test_passes_of_selected_inputs_and_hooks_are_observed(observer):
    x = leaf(3.0)
    x.register_hook(lambda g: g * 2)
    assert grad(x * x, x) == (12.0,)
    backward(x * x)
    assert observer.names.count("pass") == observer.names.count("end") == 2
    assert "AccumulateGrad" in observer.names


def test_passes_inside_a_pass_are_nested(observer):
    x, y = leaf(3.0), leaf(2.0)
    square = y * y
    x.register_hook(lambda g: square.backward())
    (x * x).backward()
    assert (x.grad, y.grad) == (6.0, 4.0)
    assert observer.names == ["pass", "mul", "AccumulateGrad", "pass", "mul", "end", "end"]


def test_an_error_names_the_operator_and_ends_the_pass(observer):
    x = leaf(3.0)
    y = x * x
    y.backward()
    with raises(FreedGraphError, "backward", "retain_graph=True"):
        y.backward()
    assert observer.names == ["pass", "mul", "end", "pass", "mul", "end"]


def test_the_former_observer_is_returned(observer):
    other = Observer()
    assert observe_backward(other) is observer
    assert observe_backward(None) is other
    (leaf(1.0) * 2).backward()
    assert not observer.events
    assert not other.events
    assert observe_backward(observer) is None
