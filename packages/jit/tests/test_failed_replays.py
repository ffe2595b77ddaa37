"""State after an error inside a replay: that of an eager call which raises at the same operator."""

from functools import partial

import pytest
from jit_toys import same

from facula_autograd import MutationError
from facula_errors.testing import raises
from facula_jit import capture
from facula_tensor import bernoulli, manual_seed, no_grad, ones, rand, randn, tensor, zeros
from facula_tensor.extend.sampling import default_generators

GOOD, BAD = tensor([1, 2]), tensor([1, 9])


class Program:
    """Two weights and steps that read one of them at given indices, which raises if there is none."""

    def __init__(self, step, wrap):
        manual_seed(0)
        self.w, self.v = randn(4, requires_grad=True), randn(4, requires_grad=True)
        self.state = ones(2)
        self.step = wrap(partial(step, self))

    def call(self, places):
        try:
            return self.step(places).tolist()
        except IndexError as error:
            return str(error).partition(":")[2]

    def left(self):
        grads = [None if leaf.grad is None else leaf.grad.tolist() for leaf in (self.w, self.v)]
        state = default_generators[self.w.device]
        return grads, self.w.tolist(), self.state.tolist(), (state._key, state._offset)


def cleared_first(self, places):
    self.w.grad = self.v.grad = None
    loss = self.w[places].square().sum() + self.v.sum()
    loss.backward()
    return loss.detach()


def raises_between(self, places):
    self.w.grad = None
    (self.w * 2).sum().backward()
    self.v.grad = None
    loss = self.v[places].sum()
    loss.backward()
    return loss.detach()


def raises_after_changes(self, places):
    self.w.grad = None
    (self.w * self.w).sum().backward()
    with no_grad():
        self.w.sub_(self.w.grad * 0.1)
        self.state.mul_(2)
        drawn = rand(2)
        taken = self.v[places] * drawn
        self.state.add_(rand(2))
    self.w.grad = None
    return taken.detach()


def accumulates(self, places):
    loss = self.w[places].sum() + (self.v * 3).sum()
    loss.backward()
    return loss.detach()


@pytest.mark.parametrize("step", [cleared_first, raises_between, raises_after_changes, accumulates])
def test_state_after_an_error_is_that_of_an_eager_call(step):
    eager, captured = Program(step, lambda function: function), Program(step, partial(capture, check=0))
    calls = [GOOD] * 4 + [BAD, BAD, GOOD, GOOD, BAD, GOOD]
    if step is raises_after_changes:
        calls[4] = None  # see the test below: a gradient that is cleared later
    for places in calls:
        found = []
        for program in (eager, captured):
            manual_seed(1)
            if places is None:
                program.w.grad = ones(4)
            found.append((program.call(GOOD if places is None else places), program.left()))
        (wanted, state), (got, left) = found
        if step is raises_after_changes and places is BAD:  # its gradient is a temporary of the replay
            assert state[0][0] is not None and left[0][0] is None
            state[0][0] = None
            eager.w.grad = None
        assert (got, left) == (wanted, state)
    assert "replayed" in captured.step.report()


@pytest.mark.parametrize("is_first", [True, False])
def test_only_versions_of_changes_before_the_error_advance(is_first):
    w, x = ones(3), tensor([1.0, 2.0, 3.0], requires_grad=True)

    def step(places):
        if is_first:
            w.mul_(1)
        found = x.detach()[places].sum()
        if not is_first:
            w.mul_(1)
        return found

    captured = capture(step, check=0)
    for _ in range(4):
        captured(GOOD)
    y = (x * w).sum()
    with raises(IndexError, "take", "out of range"):
        captured(BAD)
    if is_first:
        with raises(MutationError, "backward of mul", "mul_"):
            y.backward()
    else:
        y.backward()


def test_a_draw_that_raises_advances_the_generator():
    def step(p):
        return bernoulli(p) + rand(3)

    captured = capture(step, check=0)
    good, bad, found = zeros(3), ones(3) * 2, []
    for _ in range(4):
        captured(good)
    for function in (step, captured):
        manual_seed(3)
        with pytest.raises(RuntimeError):
            function(bad)
        found.append(rand(4))
    assert same(*found)
