"""`checkpoint`: gradients equal those of a plain call, values are recomputed once, and invalid use is an error."""

import gc
import weakref

import pytest
from autograd_helpers import Box, write_

from facula_autograd import (
    Function,
    GradientError,
    MutationError,
    Variable,
    checkpoint,
    checkpoint_sequential,
    detect_anomaly,
    grad,
    no_grad,
    noop_context_fn,
    set_checkpoint_debug_enabled,
)
from facula_autograd.extend import current_mode, replace_mode
from facula_errors.testing import raises


class Calls:
    """Computes a b + b b, and counts its calls."""

    def __init__(self):
        self.count = 0

    def __call__(self, a, b):
        self.count += 1
        return a * b + b * b


def test_gradients_equal_those_of_a_plain_call():
    for make in (lambda v: Box(v, True), lambda v: Variable(v, True)):
        f, x, y = Calls(), make(3.0), make(2.0)
        out = checkpoint(f, x * y, y)
        assert f.count == 1
        out.backward(retain_graph=True)
        assert f.count == 2
        first = [getattr(v.grad, "number", getattr(v.grad, "value", None)) for v in (x, y)]
        assert first == [4.0, 16.0]  # x y y + y y
        out.backward()
        assert f.count == 3


def test_second_derivatives():
    x = Variable(3.0, True)
    (first,) = grad(checkpoint(lambda x: x * x * x, x * x), x, create_graph=True)
    assert first.value == 6 * 3**5
    (second,) = grad(first, x)
    assert second.value == 30 * 3**4


def test_values_are_not_kept():
    made = []

    def f(x):
        middle = x * Box(2.0)
        made.append(weakref.ref(middle.cell) if hasattr(middle.cell, "__weakref__") else weakref.ref(middle))
        return middle * middle

    x = Box(3.0, True)
    gc.disable()
    try:
        out = checkpoint(f, x)
        assert made[0]() is None
        out.backward()
        assert [r() for r in made] == [None, None]
    finally:
        gc.enable()
    assert x.grad.number == 24.0


def test_nested_checkpoints():
    f, x = Calls(), Variable(3.0, True)
    checkpoint(lambda x: checkpoint(f, x * x, x) * x, x).backward()
    assert x.grad.value == 4 * 3**3 + 3 * 3**2  # (x^3 + x^2) x


def test_functions_inside():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * 2.0

    x = Variable(3.0, True)
    checkpoint(lambda x: Square.apply(x * x), x).backward()
    assert x.grad.value == 4 * 3**3


def test_the_original_mode_is_restored():
    seen = []

    def f(x):
        seen.append((current_mode().autocast, current_mode().anomaly))
        return x * x

    x = Variable(3.0, True)
    with replace_mode(autocast="half"), detect_anomaly():
        y = checkpoint(f, x)
    with no_grad():
        y.backward()
    assert seen == [("half", (True, False)), ("half", None)]
    with no_grad():
        assert not checkpoint(f, x).requires_grad


def test_contexts_of_the_caller():
    log = []

    class Says:
        def __init__(self, word):
            self.word = word

        def __enter__(self):
            log.append(self.word)

        def __exit__(self, *exc):
            log.append("end")

    x = Variable(3.0, True)
    checkpoint(lambda x: x * x, x, context_fn=lambda: (Says("first"), Says("again")), use_reentrant=False).backward()
    assert log == ["first", "end", "again", "end"]


def test_a_function_that_changes_behaviour_is_an_error():
    turns = iter([1, 2])

    def f(x):
        for _ in range(next(turns)):
            x = x * x
        return x

    x = Variable(3.0, True)
    y = checkpoint(f, x, early_stop=False)
    with raises(GradientError, "checkpoint", "expected f to save the same values", "2 values", "now 4"):
        y.backward()
    assert x.grad is None


def test_a_changed_argument_is_an_error():
    x, y = Box(3.0, True), Box(2.0)
    z = checkpoint(lambda x, y: x * y * y, x, y)
    write_(y, 5.0)
    with raises(MutationError, "checkpoint", "the box of 5.0"):
        z.backward()


def test_flags():
    with raises(TypeError, "checkpoint", "preserve_rng_state"):
        checkpoint(lambda x: x, Variable(1.0), preserve_rng_state="yes")


@pytest.mark.parametrize(("segments", "runs"), [(1, [1, 1, 1, 1, 1]), (2, [2, 2, 1, 1, 1]), (5, [2, 2, 2, 2, 1])])
def test_checkpoint_sequential_recomputes_all_but_the_last_part(segments, runs):
    counts = [0] * 5

    def square(at):
        def function(x):
            counts[at] += 1
            return x * x

        return function

    x = Variable(1.5, requires_grad=True)
    out = checkpoint_sequential([square(at) for at in range(5)], segments, x, use_reentrant=False)
    out.backward()
    assert out.item() == pytest.approx(1.5**32) and x.grad.item() == pytest.approx(32 * 1.5**31)
    assert counts == runs


@pytest.mark.parametrize("segments", [0, 3, 1.0])
def test_segments_have_at_least_one_function(segments):
    with raises(ValueError, "checkpoint_sequential", "expected segments to be an int from 1 to 2"):
        checkpoint_sequential([abs, abs], segments, Variable(1.0))


def test_noop_contexts_have_no_effect():
    x = Variable(2.0, requires_grad=True)
    with set_checkpoint_debug_enabled(True):
        checkpoint(lambda x: x * x * x, x, context_fn=noop_context_fn).backward()
    assert x.grad.value == 12.0
