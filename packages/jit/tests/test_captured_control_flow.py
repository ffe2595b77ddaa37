"""Control flow inside a capture: replays take the same branches and iterations as the function."""

import re
import signal
import threading
from contextlib import nullcontext

import pytest
from flow_programs import DIFFERENTIABLE, FUNCTIONS, below, gradients, signed
from jit_toys import check, same

from facula_errors.testing import raises
from facula_jit import CaptureError, capture, cond, while_loop
from facula_tensor import (
    arange,
    equal,
    get_rng_state,
    manual_seed,
    no_grad,
    ones,
    rand,
    randn,
    set_rng_state,
    tensor,
    zeros,
)
from facula_tensor.functional import batch_norm, dropout, linear


@pytest.mark.parametrize("name", FUNCTIONS)
def test_replays_are_the_function(name):
    check(FUNCTIONS[name], signed, calls=10, on_break="error")


def test_a_loop_without_iterations_in_the_first_call():
    check(lambda n, x: while_loop(lambda n, x: n > 0, lambda n, x: (n - 1, x * 2), (n, x)),
          lambda number: (tensor((number * 3) % 5), ones(2)), calls=8, on_break="error")  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("inside", [True, False])
def test_gradients_equal_the_functions(name, inside):
    function, whole = gradients(DIFFERENTIABLE[name], inside)
    captured = capture(function, on_break="error")
    for number in range(10):
        x, y = signed(number)
        for a, b in zip(whole(captured, x, y), whole(function, x, y)):
            assert (a - b).abs().max() <= 1e-6 * (1 + b.abs().max()), number
    assert "replayed 9 times" in captured.report(), captured.report()


def test_the_skipped_function_does_not_poison_results():
    v = tensor([0.0, 1.0]).requires_grad_()

    def step(x):
        v.grad = None
        cond(x > 0, lambda v: v.log(), lambda v: v * 2, (v,)).sum().backward()
        return v.grad.clone()

    captured = capture(step, on_break="error")
    found = [captured(tensor(sign)).tolist() for sign in (-1.0, 1.0, -1.0)]
    assert found == [[2.0, 2.0], [float("inf"), 1.0], [2.0, 2.0]]


def test_each_function_makes_its_changes():
    def make():
        state = zeros(3)

        def step(x):
            def add(x):
                state.add_(x)
                return state.clone()

            def scale(x):
                state.mul_(2)
                return state + 1

            return cond(x.sum() > 0, add, scale, (x,))

        return step, state

    (step, state), (other, others) = make(), make()
    captured = capture(other, on_break="error")
    for number in range(12):
        x, _ = signed(number)
        assert same(step(x[:3]), captured(x[:3])) and same(state, others), number


def test_only_the_chosen_function_updates_statistics():
    mean, variance = zeros(3), ones(3)

    def step(x):
        return cond(x.sum() > 0, lambda x: batch_norm(x, mean, variance, training=True), lambda x: x * 2, (x,))

    captured = capture(step, on_break="error")
    for sign in (-1.0, -1.0, 1.0):
        before = mean.clone()
        captured(randn(5, 3).abs() * sign)
        assert same(mean, before) == (sign < 0)


def test_one_condition_runs_few_launches():
    captured = capture(lambda x: cond(x.sum() > 0, lambda: x + 1, lambda: x - 1), on_break="error")
    captured(ones(2)), captured(ones(2))
    assert captured.report().splitlines()[1].startswith("  (float32 (2,)): 7 launches, replayed once")


BREAKS = {
    "draws": (lambda x: cond(x.sum() > 0, lambda: rand(2), lambda: x * 1), "draw different numbers of random values"),
    "loop draws": (
        lambda x: while_loop(lambda h: h.sum() < 5, lambda h: (h + rand(2) + 1,), (x,)),
        "draws random numbers in each step",
    ),
    "constants": (lambda x: cond(x.sum() > 0, lambda: (x, 1), lambda: (x, 2)), "cond return .* and .*return tensors"),
    "backward": (lambda x: cond(x.sum() > 0, lambda: _go_back(), lambda: x * 1), r"does backward\(\)"),
    "other raises": (lambda x: cond(x.sum() > 0, lambda: x * 1, lambda: x @ ones(7)), "false_fn of cond.*matmul"),
    "reads": (lambda x: cond(x.sum() > 0, lambda: x * x.sum().item(), lambda: x), "item reads elements"),
    "gradients": (lambda x: while_loop(below(9), lambda h: (h * WEIGHT,), (x,)), "use scan"),
    "carried gradients": (lambda x: while_loop(below(9), lambda h: (h * 3,), (x * WEIGHT,)), "use scan"),
    "number": (lambda x: while_loop(lambda n, h: h.sum() < 9, lambda n, h: (n + 1, h + n), (1, x)), "carry a tensor"),
    "loop raises": (lambda x: while_loop(lambda h: h.sum() > 5, lambda h: (h @ ones(7),), (x,)), "not run, raises"),
    "leaks": (lambda x: _leaks(x), "a result is computed in one of two functions"),
    "leaks inside": (lambda x: _leaks(x) + 1, "reads what is computed in one of two functions"),
    "seeds": (lambda x: cond(x.sum() > 0, lambda: (manual_seed(1), rand(2))[1], lambda: rand(2)), "generator's state"),
}  # fmt: skip
WEIGHT = tensor([2.0, 3.0]).requires_grad_()


def _leaks(x):
    kept = []
    cond(x.sum() > 0, lambda: (kept.append(x * 2), x)[1], lambda: (kept.append(x * 3), x)[1])
    return kept[-1]


def _go_back():
    WEIGHT.grad = None
    (WEIGHT * 2).sum().backward()
    return WEIGHT.grad.clone()


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.parametrize("sign", [1, -1])
def test_functions_that_cannot_be_captured_run_eagerly(name, sign):
    function, message = BREAKS[name]
    x = ones(2) * sign
    if name == "other raises" and sign < 0:
        return  # the function itself raises an error
    results = []
    for captured in (False, True):
        WEIGHT.grad = None
        manual_seed(0)
        with pytest.warns(UserWarning, match=message) if captured else nullcontext():
            found = capture(function)(x) if captured else function(x)
        results.append(str((found, get_rng_state(), WEIGHT.grad)))
    assert results[0] == results[1]
    with raises(CaptureError, "capture") as caught:
        capture(function, on_break="error")(x)
    assert re.search(message, str(caught.value))


def test_errors_name_both_results_that_differ():
    with raises(ValueError, "cond", "true_fn and the result of false_fn", "float32 (2,) and float32 (1,)"):
        capture(lambda x: cond(x.sum() > 0, lambda: x, lambda: x[:1]))(ones(2))


def test_an_optimizers_step_is_not_run_dry():
    class Optimizer:
        param_groups = ()

    steps = []

    def step(x):
        from facula_storage.extend import current_recorder

        def update():
            recorder = current_recorder()
            if recorder is not None:
                recorder.optimizes(Optimizer())
            steps.append(1)
            return x + 1

        return cond(x.sum() > 0, lambda: x * 2, update)

    with pytest.warns(UserWarning, match="an optimizer's step"):
        assert capture(step)(ones(2)).tolist() == [2.0, 2.0]
    assert steps == []


def test_a_training_step_with_a_condition():
    def make():
        manual_seed(0)
        w, b, ema = randn(3, 4).requires_grad_(), zeros(3).requires_grad_(), zeros(3)

        def step(x):
            w.grad = b.grad = None
            h = linear(x, w, b)
            h = cond(h.sum() > 0, lambda h: dropout(h, 0.5, True).relu(), lambda h: dropout(h, 0.2, True) * b, (h,))
            loss = (h * h).mean()
            loss.backward()
            with no_grad():
                w.sub_(w.grad * 0.1)
                b.sub_(b.grad * 0.1)
                cond(loss > 0.2, lambda: ema.mul_(0.9), lambda: ema.add_(b))
            return loss.detach()

        return step, (w, b, ema)

    (step, own), (other, others) = make(), make()
    captured = capture(other, on_break="error")
    for number in range(30):
        manual_seed(number)
        x = randn(5, 4)
        state = get_rng_state()
        wanted = step(x)
        after = get_rng_state()
        set_rng_state(state)
        assert (captured(x) - wanted).abs() < 1e-6
        assert equal(get_rng_state(), after)
    assert all([(p - q).abs().max() < 1e-5 for p, q in zip(own, others)])


def test_tensors_are_freed():
    import gc
    import weakref

    w = tensor([1.0, 2.0]).requires_grad_()
    gc.disable()
    try:
        captured = capture(lambda x: cond(x.sum() > 0, lambda x: x * w, lambda x: x + w, (x,)), on_break="error")
        x = ones(2, requires_grad=True)
        captured(x).sum().backward()
        captured(-x.detach().clone().requires_grad_()).sum().backward()
        gone = weakref.ref(x)
        del x
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="asks for signals to a thread")
def test_an_endless_loop_ends_with_ctrl_c():
    captured = capture(lambda x: while_loop(lambda x: x.sum() > 0, lambda x: (x * 1,), (x,)), on_break="error")
    captured(-ones(2))
    timer = threading.Timer(0.2, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            captured(ones(2))
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert captured(-arange(2.0))[0].tolist() == [0.0, -1.0]
