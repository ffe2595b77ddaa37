"""Gradients through captured functions equal those without a capture."""

import numpy as np
import pytest
from jit_toys import pair, same

from facula_autograd import FreedGraphError, Function, MutationError, grad
from facula_errors.testing import raises
from facula_jit import capture
from facula_tensor import (
    full,
    manual_seed,
    no_grad,
    ones,
    rand,
    randn,
    tensor,
    zeros,
)
from facula_tensor.functional import gelu


@pytest.mark.parametrize("wants", [(True, False), (False, True), (True, True)])
def test_gradients_outside(wants):
    w = randn(6, 3).requires_grad_()

    def function(x, y):
        return (x @ w).tanh().sum(0) * y.sum(), (x * y).exp()

    captured = capture(function, on_break="error")
    for number in range(4):
        x, y = [leaf.requires_grad_(on) for leaf, on in zip(pair(number), wants)]
        found = []
        for call in (function, captured):
            a, b = call(x, y)
            inputs = [t for t in (x, y, w) if t.requires_grad]
            found.append(grad(a.sum() * 2 + b.mean(), inputs, retain_graph=True))
            found[-1] += grad(a.sum(), inputs, allow_unused=True)
        assert same(list(found[0]), list(found[1])), number


def test_two_forwards_before_a_backward():
    captured = capture(lambda x: (x * x).sin().sum(), check=0)
    x = randn(5).requires_grad_()
    captured(x)
    for _ in range(2):
        leaves = [randn(5).requires_grad_() for _ in range(3)]
        losses = [captured(start) for start in leaves]
        for leaf, loss in reversed(list(zip(leaves, losses))):
            loss.backward()
            again = leaf.detach().requires_grad_()
            (again * again).sin().sum().backward()
            assert same(leaf.grad, again.grad)
    assert len(captured._entries.popitem()[1].replays[0].frames) == 3


def test_a_result_as_the_next_argument():
    weight = randn(3).requires_grad_()

    def function(x):
        return (weight * x).tanh()

    captured = capture(function, on_break="error")
    for _ in range(4):
        found = []
        for call in (function, captured):
            weight.grad = None
            call(call(call(ones(3)))).sum().backward()
            found.append(weight.grad)
        assert same(*found)


def test_results_are_differentiated_one_after_the_other():
    x = randn(3).requires_grad_()
    captured = capture(lambda x: (x.sin(), x.exp()))
    for _ in range(3):
        a, b = captured(x)
        (first,), (second,) = grad(a.sum(), x), grad(b.sum(), x)
        assert same(first, x.cos()) and same(second, x.exp())


def through(forward, step, retain=False):
    """Return the effects of a step with a backward pass through a captured forward, and those without captures."""
    found = []
    for run, go_back in ((forward, step), (capture(forward), capture(step))):
        manual_seed(3)
        for number in range(6):
            results = run(full((3,), float(number)))
            found.append(go_back(*results).tolist())
            if retain:
                found.append(go_back(*results).tolist())
    half = len(found) // 2
    assert found[:half] == found[half:]
    return go_back.report()


WEIGHT, OTHER = randn(3).requires_grad_(), randn(3).requires_grad_()


def drawn(x):
    return (((WEIGHT * x) * rand(3)).exp().sum(),)


def two_results(x):
    return (WEIGHT * x).sum(), (WEIGHT * OTHER).exp().sum()


def go_back(*losses):
    WEIGHT.grad = None
    losses[0].backward()
    return WEIGHT.grad + 1


def go_back_from_all(*losses):
    return grad([loss * 2 for loss in losses], WEIGHT, retain_graph=True)[0]


@pytest.mark.parametrize(
    ("forward", "step", "retain"),
    [(drawn, go_back, False), (two_results, go_back, False), (two_results, go_back_from_all, True)],
)
def test_the_backward_of_one_capture_inside_another(forward, step, retain):
    assert "replayed" in (report := through(forward, step, retain))
    assert "eagerly" not in report


def test_backward_through_a_chain_of_captures_inside_another():
    first, second = capture(lambda x: (WEIGHT * x).exp(), check=0), capture(lambda y: (y * y).sum(), check=0)
    step = capture(go_back)
    kept = []
    for number in range(6):
        x = full((3,), number / 4)
        loss = second(first(x))
        kept = [*kept[-1:], loss]  # two sets of saved values alternate
        expected = 2 * x * (WEIGHT * x * 2).exp() + 1
        assert step(loss).tolist() == pytest.approx(expected.tolist(), rel=1e-5)
        with raises(RuntimeError, "backward", "released by an earlier backward"):
            loss.backward()
    assert "replayed 4 times" in step.report() or "replayed 3 times" in step.report()


@pytest.mark.filterwarnings("ignore:capture")
def test_backward_through_earlier_graphs_runs_eagerly():
    step = capture(go_back)
    for number in range(5):
        loss = (WEIGHT * full((3,), float(number))).sum()
        assert step(loss).tolist() == [number + 1.0] * 3
    assert "from before the call" in step.report()


def test_saved_values_of_two_forwards_are_separate():
    forward, step = capture(lambda x: ((WEIGHT * x).exp().sum(),)), capture(go_back)
    for _ in range(3):
        step(*forward(ones(3)))
    losses = forward(x := ones(3))
    x.mul_(2)
    with raises(MutationError, "backward", "changed in place"):
        step(*losses)


def test_variables_of_the_caller_are_not_guarded():
    names = {"captured": capture(lambda x: (WEIGHT * x).sum()), "gelu": capture(gelu), "x": ones(3)}
    exec("for number in range(5):\n    captured(x).backward()\n    gelu(x)", names)  # a line of a module
    assert "replayed 4 times" in names["captured"].report()
    assert "replayed 4 times" in names["gelu"].report()  # all its lines are in the library


def test_each_of_several_results_is_freed_separately():
    captured, kept = capture(lambda x: ((WEIGHT * x).exp().sum(), (WEIGHT * x).sum())), []
    for number in range(5):
        kept.append(captured(full((3,), float(number)))[0])
        kept[-1].backward()
        with pytest.raises(FreedGraphError):
            kept[-1].backward()
    assert len(captured._entries.popitem()[1].replays[0].frames) <= 1  # its saved values were freed by the pass
    step = capture(go_back)
    for _ in range(5):
        loss, other = captured(ones(3))
        step(loss)
        with pytest.raises(FreedGraphError):
            step(loss)
        other.backward()


@pytest.mark.filterwarnings("ignore:capture")
@pytest.mark.parametrize("hooked", [lambda losses: losses[0], lambda losses: WEIGHT])
def test_hooks_that_come_between_two_captures(hooked):
    def run(wrap):
        forward, step, found = wrap(two_results), wrap(go_back), []
        for number in (0, 1, 2, 3, 4, 5):
            losses = forward(full((3,), number / 4))
            handle = hooked(losses).register_hook(lambda g: g * 3) if number in (3, 4) else None
            found.append(step(*losses).tolist())
            if handle is not None:
                handle.remove()
        return found

    assert run(capture) == run(lambda function: function)


def test_an_unused_result_has_no_gradient():
    m, n = randn(3).requires_grad_(), randn(3).requires_grad_()

    def function(x):
        return (m * x).sum(), (n * x).log().sum(), (m * n).sum()

    captured = capture(function)
    for _ in range(3):
        for which in ((0,), (1,), (0, 2), (0, 1, 2)):
            found = []
            for call in (function, captured):
                m.grad = n.grad = None
                results = call(zeros(3))
                sum([results[place] for place in which]).backward()
                found.append((m.grad, n.grad))
            assert all([(a is None) == (b is None) for a, b in zip(*found)])
            assert all([a is None or same(a, b) for a, b in zip(*found)])


def test_an_argument_that_the_function_holds_anyway():
    state = zeros(2)
    captured = capture(lambda x: state.copy_(x + 1) * 1)
    captured(state)
    for number in range(4):
        assert captured(full((2,), float(number))).tolist() == [number + 1.0] * 2
        assert state.tolist() == [number + 1.0] * 2


def test_a_change_before_backward_is_detected():
    w = randn(3).requires_grad_()
    captured = capture(lambda x: (x * w).exp().sum())
    x = ones(3, requires_grad=True)
    captured(x)
    loss = captured(x)
    with no_grad():
        w.add_(1)
    with raises(RuntimeError, "backward", "changed in place after the call by add_ at", "test_gradients_outside.py"):
        loss.backward()


def test_an_argument_that_is_asked_for_gradients():
    def function(x):
        x.requires_grad_()
        return grad((x * x).sum(), x)[0]

    captured = capture(function)
    with pytest.warns(UserWarning, match="requires_grad of an argument"):
        captured(ones(2))
    assert captured(ones(2)).tolist() == [2.0, 2.0]


def test_one_tensor_as_two_arguments_outside():
    captured = capture(lambda x, y: (x * y * 2).sum())
    b, c = randn(3).requires_grad_(), randn(3).requires_grad_()
    captured(b, c)
    for _ in range(3):
        b.grad = None
        captured(b, b).backward()
        assert same(b.grad, b.detach() * 2 + b.detach() * 2)


def _goes_back(x):
    loss = (x * x).sum()
    loss.backward()
    return loss.detach()


def _reads_its_gradient(x):
    before = 0.0 if x.grad is None else x.grad.sum().detach()
    (x * x).sum().backward()
    return x.grad * 2 + before


def _clears_first(x):
    x.grad = None
    (x * x * x).sum().backward()
    return x.grad * 0.5


def _zeroes_first(x):
    if x.grad is not None:
        x.grad.zero_()
    (x * x).sum().backward()
    return x.detach() - x.grad


def _goes_back_twice(x):
    y = x * 2
    y.sum().backward(retain_graph=True)
    first = x.grad.sum().detach()
    (y * y).sum().backward()
    return first


ACTIONS = ("cleared", "kept", "replaced", "zeroed", "halved", "another leaf", "changed")


def _gradients_of_calls(function, numbers):
    """Return results and `.grad` after each call; between calls, `.grad` is cleared, kept, replaced or changed."""
    leaf, found = tensor([0.5, 1.5, 2.0]).requires_grad_(), []
    for number, action in enumerate(numbers):
        found.append((function(leaf).tolist(), leaf.grad.tolist()))
        match ACTIONS[action]:
            case "cleared":
                leaf.grad = None
            case "replaced":
                leaf.grad = tensor([float(number), 1.0, 2.0])
            case "zeroed":
                leaf.grad.zero_()
            case "halved":
                leaf.grad.mul_(0.5)
            case "another leaf":
                leaf = tensor([number % 3 + 0.5, 2.0, 1.0]).requires_grad_()
            case "changed":
                with no_grad():
                    leaf.add_(0.25)
    return found


@pytest.mark.filterwarnings("ignore:capture:UserWarning")
@pytest.mark.parametrize("on_break", ["eager", "split"])
@pytest.mark.parametrize("function", [_goes_back, _reads_its_gradient, _clears_first, _zeroes_first, _goes_back_twice])
def test_backward_on_a_leaf_argument_whose_gradient_changes_between_calls(function, on_break):
    rng = np.random.default_rng(0)
    sequences = [[action] * 12 for action in range(len(ACTIONS))]
    sequences += [[1, 1, 0] * 4, *rng.integers(0, len(ACTIONS), (12, 12)).tolist()]
    for numbers in sequences:
        found = _gradients_of_calls(capture(function, on_break=on_break), numbers)
        assert found == _gradients_of_calls(function, numbers), numbers


def test_state_that_backward_reads_may_change_after_the_call():
    factor = [2.0]

    class Scaled(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            return gradient * factor[0]

    captured = capture(lambda x: Scaled.apply(x), check=0)
    for number in range(8):
        factor[0] = 2.0
        x = ones(3).requires_grad_()
        y = captured(x)
        if number == 6:
            factor[0] = 3.0
            with pytest.warns(UserWarning, match="state that its backward pass reads has changed since the call"):
                y.sum().backward()
        else:
            y.sum().backward()
        assert x.grad.tolist() == [factor[0]] * 3, number
