"""Custom backward passes that run outside of the captured function: their effects, and the state that they read."""

import random
import warnings
from io import StringIO

import pytest

from facula_autograd import Function
from facula_errors.testing import raises
from facula_jit import CaptureError, capture
from facula_tensor import manual_seed, ones, rand, zeros


class State:
    """State that the Functions of the tests read and change: `k`, a list, a set, a dict, an array, a tensor, text."""

    total = 0

    def __init__(self):
        self.k, self.entries, self.seen, self.counts = 2.0, [], set(), {}
        self.tensor, self.text = zeros(3), StringIO()

    def found(self):
        return self.k, self.entries, self.seen, self.counts, self.tensor.tolist(), self.text.getvalue(), self.total


def _of_context(ctx, state, g):
    return g * ctx.k


def _of_owner(ctx, state, g):
    return g * ctx.owner.k


def _of_made(ctx, state, g):
    return g * ctx.made["owner"][0].k


def _of_closure(ctx, state, g):
    return ctx.scale(g)


def _of_state(ctx, state, g):
    return g * state.k


def _appends(ctx, state, g):
    state.entries.append(state.k)
    return g * len(state.entries)


def _counts(ctx, state, g):
    state.k += 1
    return g * state.k


def _counts_in_class(ctx, state, g):
    State.total += 1
    return g * State.total


def _counts_in_context(ctx, state, g):
    ctx.k += 1
    return g * ctx.k


def _counts_in_containers(ctx, state, g):
    state.seen.add(state.k)
    state.counts[state.k] = state.counts.get(state.k, 0) + 1
    return g * state.counts[state.k]


def _draws(ctx, state, g):
    return g * rand(3)


def _draws_in_python(ctx, state, g):
    return g * random.random()


def _prints(ctx, state, g):
    print("gone back", file=state.text)
    return g * state.k


def _adds_in_place(ctx, state, g):
    state.tensor.add_(1)
    return g * state.tensor


EFFECTS = (
    _appends, _counts, _counts_in_class, _counts_in_context, _counts_in_containers, _draws, _draws_in_python, _prints,
    _adds_in_place,
)  # fmt: skip


def _history(backward, changes, capturing):
    """Return the gradients of calls through a Function with this backward; state changes between some calls and their
    backward.
    """

    class Own(Function):
        @staticmethod
        def forward(ctx, x, owner):
            ctx.k, ctx.owner, ctx.made, ctx.scale = owner.k, owner, {"owner": [owner]}, lambda g: g * owner.k
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return backward(ctx, state, g), None

    state, State.total, found = State(), 0, []
    random.seed(0), manual_seed(0)
    function = capturing(lambda x: Own.apply(x, state) * 1)
    for number in range(10):
        y = function(x := ones(3).requires_grad_())
        if changes and number in (3, 5, 6):
            state.k += 1
        if number % 4:
            y.sum().backward()
            found.append(x.grad.tolist())
    return found, state.found(), random.random(), rand(1).item()


@pytest.mark.parametrize("backward", EFFECTS)
@pytest.mark.parametrize("options", [{}, {"check": 0}, {"on_break": "split"}])
def test_effects_of_a_backward_pass_happen_as_often_as_in_eager_code(backward, options):
    with warnings.catch_warnings(action="ignore"):
        assert _history(backward, False, lambda f: capture(f, **options)) == _history(backward, False, lambda f: f)


def test_a_backward_pass_with_effects_breaks_the_capture():
    for backward in EFFECTS:
        with raises(CaptureError, "capture", "test_backward_effects.py"):
            _history(backward, False, lambda f: capture(f, on_break="error"))


@pytest.mark.parametrize("backward", [_of_context, _of_owner, _of_made, _of_closure, _of_state])
def test_state_may_change_between_a_call_and_its_backward_pass(backward):
    """A pass reads the values of its call from the context, and present values from other state."""
    made = []

    def capturing(function):
        made.append(capture(function, check=0))
        return made[0]

    assert _history(backward, False, capturing) == _history(backward, False, lambda f: f)
    assert "replayed 9 times" in made.pop().report()
    with pytest.warns(UserWarning, match="state that its backward pass reads has changed since the call"):
        found = _history(backward, True, capturing)
    assert found == _history(backward, True, lambda f: f)


def test_what_a_context_has_is_that_of_the_call():
    """As in gradient reversal: the pass replays although the factor has changed since the call."""

    class Reversed(Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return -ctx.factor * g, None

    class Model:
        factor = 1.0

        def __call__(self, x):
            return Reversed.apply(x, self.factor)

    def gradients(captured, model):
        for number in range(12):
            y = captured(x := ones(3).requires_grad_())
            if number % 4 == 3:
                model.factor += 1.0
            y.sum().backward()
            yield x.grad.tolist()

    model = Model()
    captured = capture(model, check=0)
    assert list(gradients(captured, model)) == list(gradients(eager := Model(), eager))
    assert captured.report().count("replayed 3 times") == 3
