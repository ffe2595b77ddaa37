"""Memory for the gradients of leaves, and functions that run when a backward pass ends."""

import numpy as np
import pytest

from facula_autograd import GradientError, Variable, backward, enable_grad, grad
from facula_autograd.extend.graphs import observe_backward
from facula_autograd.extend.hooks import after_backward, set_gradient_home
from facula_errors.testing import raises


def leaf(*numbers):
    return Variable(np.array(numbers), requires_grad=True)


def with_home(*numbers):
    x, home = leaf(*numbers), Variable(np.full(len(numbers), 9.0))
    set_gradient_home(x, home)
    return x, home


def test_a_gradient_is_written_to_its_home():
    x, home = with_home(1.0, 2.0)
    memory = home.value
    (x * x).sum().backward()
    assert x.grad is home and home.value is memory and memory.tolist() == [2, 4]
    (x * x).sum().backward()
    assert x.grad is home and memory.tolist() == [4, 8]
    x.grad = None
    (x * 3 + x * x).sum().backward()
    assert x.grad is home and home.value is memory and memory.tolist() == [5, 7]
    x.grad = None
    backward((x * 3).sum(), inputs=[x])
    assert x.grad is home and memory.tolist() == [3, 3]


def test_hooks_see_the_home():
    x, home = with_home(1.0, 2.0)
    seen = []
    x.register_hook(lambda g: g * 10)
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad))
    set_gradient_home(x, home, lambda leaf: seen.append("arrived"))
    x.sum().backward()
    assert seen == [home, "arrived"] and home.value.tolist() == [10, 10]
    grad((x * x).sum(), x)
    set_gradient_home(x, None)
    x.sum().backward()
    assert seen == [home, "arrived", home]
    set_gradient_home(x, None, lambda leaf: seen.append("without a home"))
    x.sum().backward()
    assert seen[3:] == [home, "without a home"]


def test_other_gradients_stay_in_their_own_memory():
    x, home = with_home(1.0, 2.0)
    (found,) = grad((x * x).sum(), x)
    assert found is not home and x.grad is None and home.value.tolist() == [9, 9]
    x.grad = own = Variable(np.ones(2))
    x.sum().backward()
    assert x.grad is own and own.value.tolist() == [2, 2] and home.value.tolist() == [9, 9]
    x.grad = None
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x).sum().backward(create_graph=True)
    assert x.grad is not home and x.grad.requires_grad
    x.grad = None
    set_gradient_home(x, None)
    x.sum().backward()
    assert x.grad is not home and home.value.tolist() == [9, 9]


def test_unsuitable_homes_are_refused():
    with raises(GradientError, "set_gradient_home", "expected memory like"):
        set_gradient_home(leaf(1.0, 2.0), Variable(np.ones(3)))
    with raises(RuntimeError, "set_gradient_home", "expected a leaf"):
        set_gradient_home(Variable(np.ones(3)), Variable(np.ones(3)))


def test_a_function_runs_once_when_the_outermost_pass_ends():
    x, order = leaf(1.0, 2.0), []

    def inner(g):
        y = leaf(1.0)
        y.register_hook(lambda g: after_backward(lambda error: order.append(("queued inside", error))))
        with enable_grad():
            y.sum().backward()
        order.append("inner pass ended")

    def ended(error):
        order.append(("queued outside", error, x.grad is not None))
        after_backward(lambda error: order.append("queued by the function"))

    (x * x).register_hook(lambda g: None)
    h = x * x
    h.register_hook(lambda g: after_backward(ended))
    h.register_hook(inner)
    former = observe_backward(None)
    h.sum().backward()
    observe_backward(former)
    assert order == [
        "inner pass ended", ("queued outside", None, True), ("queued inside", None), "queued by the function",
    ]  # fmt: skip
    order.clear()
    x.sum().backward()
    assert order == []


def test_a_function_gets_the_error_of_its_pass():
    x, seen = leaf(1.0), []

    def fail(g):
        after_backward(seen.append)
        raise ValueError("in a hook")

    handle = x.register_hook(fail)
    with pytest.raises(ValueError, match="in a hook"):
        x.sum().backward()
    assert [str(error) for error in seen] == ["in a hook"]
    handle.remove()
    x.register_hook(lambda g: after_backward(lambda error: [][0]))
    with pytest.raises(IndexError):
        x.sum().backward()
    with raises(RuntimeError, "after_backward", "expected a backward pass in this thread"):
        after_backward(print)
