"""Backward passes through captured functions that are recorded, run inside transforms, or have hooks."""

import pytest
from jit_toys import same

from facula_autograd import grad, gradgradcheck
from facula_autograd.graph import register_multi_grad_hook
from facula_errors.testing import raises
from facula_jit import CaptureError, capture
from facula_tensor import (
    eye,
    float64,
    forward_ad,
    full,
    get_rng_state,
    manual_seed,
    no_grad,
    ones,
    rand,
    randn,
    tensor,
    zeros,
)
from facula_tensor.derivatives import hessian, hvp, jacobian
from facula_tensor.func import jacrev

pytestmark = pytest.mark.filterwarnings("ignore:capture", "ignore:backward")


def weights():
    manual_seed(0)
    return randn(4).requires_grad_(), randn(4).requires_grad_()


def penalty():
    w, b = weights()

    def use(function, x, create):
        w.grad = b.grad = None
        out = function(x.requires_grad_())
        (slope,) = grad(out.sum(), x, create_graph=create)
        if create:
            ((slope.norm() - 1) ** 2).backward()
        return slope, w.grad, b.grad

    return lambda x: ((x * w).tanh() * b).sum(), use


def drawn():
    w, _ = weights()

    def use(function, x, create):
        (slope,) = grad(function(x.requires_grad_()), x, create_graph=create)
        return slope, grad(slope.sum(), [x, w]) if create else None, rand(2)

    return lambda x: ((x * w).exp() * rand(4)).sum(), use


def by_name():
    w, _ = weights()

    def use(function, x, create):
        y = (x.requires_grad_() * w).sin()  # reaches the leaves that the function uses, too
        y.register_hook(lambda g: g * 2)
        found = function({"x": y, "power": 3}, scales=[x * 2])["sum"]
        slopes = grad(found, [x, w], create_graph=create)
        return slopes, grad((slopes[0] * slopes[1]).sum(), x) if create else None

    return lambda named, scales: {"sum": (named["x"] ** named["power"] * w * scales[0]).sum()}, use


def hooked_argument():
    def use(function, x, create):
        seen = []
        y = function(x.requires_grad_())
        x.register_hook(lambda g: seen.append(g.tolist()) or g * x)
        (slope,) = grad(y, x, create_graph=create)
        return slope, grad(slope.sum(), x) if create else None, seen

    return lambda x: (x**3).sum(), use


def of_several():
    w, _ = weights()

    def use(function, x, create):
        one, other = function(x.requires_grad_())
        (slope,) = grad(other.sum(), x, create_graph=create)
        return slope, grad(slope.sum(), x) if create else None, grad(one.sum(), x)

    return lambda x: ((x * w).sin(), (x * w).exp()), use


def mapped():
    w, _ = weights()

    def use(function, x, create):
        out = function(x.requires_grad_())
        return grad(out, x, eye(4) if create else ones(4), is_grads_batched=create)

    return lambda x: (x * w).sin(), use


def forward_over_reverse():
    def use(function, x, create):
        out = function(x.requires_grad_())
        with forward_ad.dual_level():
            given = forward_ad.make_dual(tensor(2.0), tensor(3.0)) if create else tensor(2.0)
            return tuple(forward_ad.unpack_dual(grad(out, x, given)[0]))

    return lambda x: (x.sin() * x).sum(), use


PROGRAMS = (penalty, drawn, by_name, hooked_argument, of_several, mapped, forward_over_reverse)


@pytest.mark.parametrize("on_break", ["eager", "split"])
@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("program", PROGRAMS)
def test_create_graph(program, first, on_break):
    found = []
    for wrap in (lambda function: function, lambda function: capture(function, on_break=on_break)):
        function, use = program()
        function = wrap(function)
        for number in range(6):
            manual_seed(number)
            found.append((use(function, randn(4), number >= first), get_rng_state()))
    assert same(found[:6], found[6:]), [at for at in range(6) if not same(found[at], found[at + 6])]
    # the graph of the first call is that of the recorded run
    if first or program not in (mapped, forward_over_reverse):
        assert "runs eagerly: a backward pass" in function.report()
        assert "test_differentiated_again.py" in function.report()


DERIVATIVES = {
    "jacobian": lambda f, x: jacobian(f, x, create_graph=True),
    "hessian": lambda f, x: hessian(lambda x: f(x).sum(), x),
    "hvp": lambda f, x: hvp(lambda x: f(x).sum(), x, ones(4)),
    "jacrev": lambda f, x: jacrev(f)(x),
    "gradgradcheck": lambda f, x: gradgradcheck(f, (x.to(float64).requires_grad_(),)),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_of_a_captured_function(name):
    captured = capture(lambda x: (x**3).sin())
    for number in range(4):
        manual_seed(number)
        x = randn(4)
        assert same(DERIVATIVES[name](captured, x), DERIVATIVES[name](captured.function, x)), number


def test_a_call_that_cannot_run_again():
    seen, w, b = zeros(()), *weights()

    def counts(x):
        seen.add_(1)
        return (x * w).exp().sum()

    captured, x = capture(counts, check=0), ones(4, requires_grad=True)
    losses = [captured(x) for _ in range(3)]
    with raises(
        RuntimeError,
        "backward",
        "(test_a_call_that_cannot_run_again",
        "counts)",
        "would be repeated",
        "repeat this one",
    ):
        grad(losses[-1], x, create_graph=True)
    assert seen.item() == 3
    assert same(grad(captured(x), x, create_graph=True), grad(counts(x), x))  # the remedy in the message
    moved = capture(lambda x: (x * w + b).sum(), check=0)
    losses = [moved(x) for _ in range(3)]
    with no_grad():
        b.add_(1)
    with raises(RuntimeError, "backward", "different results"):
        grad(losses[-1], x, create_graph=True)


@pytest.mark.parametrize("calls", [1, 3])
def test_an_error_in_a_pass_with_create_graph(calls):
    captured, x = capture(lambda x: (x**3).sum(), on_break="error"), ones(3, requires_grad=True)
    for _ in range(calls):
        loss = captured(x)
    with raises(CaptureError, "capture", "create_graph=True") as caught:
        grad(loss, x, create_graph=True)
    assert "test_differentiated_again.py" in caught.value.where
    assert grad(captured(x), x, create_graph=True)[0].requires_grad


# ------------------------------------------------------------------------------------------------------------- hooks
def on_an_inner_tensor(x, w, log):
    (y := x * w).register_hook(lambda g: log.append(g.tolist()))
    return y.exp()


def on_the_result(x, w, log):
    (y := x * w).register_hook(lambda g: log.append(g.tolist()))
    return y


def on_a_node(x, w, log):
    (y := x * w).grad_fn.register_hook(lambda given, arrived: log.append(len(given)))
    return y.exp()


def kept(x, w, log):
    (y := x * w).retain_grad()
    return y, y.exp()


def on_several(x, w, log):
    y, z = x * w, x + w
    register_multi_grad_hook((y, z), lambda gradients: log.append(len(gradients)))
    return y * z


@pytest.mark.parametrize("function", [on_an_inner_tensor, on_the_result, on_a_node, kept, on_several])
def test_hooks_that_a_function_registers(function):
    found = []
    for wrap in (lambda function: function, capture):
        (w, _), log = weights(), []
        run = wrap(lambda x: function(x, w, log))
        for number in range(5):
            w.grad = None
            results = run(full((4,), number / 4))
            results = results if isinstance(results, tuple) else (results,)
            results[-1].sum().backward()
            found.append((w.grad, results[0].grad if len(results) > 1 else None, list(log)))
    assert same(found[:5], found[5:])
    assert "eagerly: hooks read the gradient of " in run.report()


def test_state_of_hooks_is_guarded():
    w, log = weights()[0], []

    def step(x):
        w.grad = None
        (x * w).sum().backward()
        return w.grad.clone()

    captured = capture(step)
    w.register_hook(lambda g: log.append(1))
    for _ in range(5):
        captured(ones(4))
    assert len(log) == 5 and "is changed by the function" in captured.report()


def test_hooks_before_and_inside():
    captured = capture(lambda y: (y.register_hook(lambda g: g * 3), y.sum().backward()))
    for _ in range(3):
        x = ones(2, requires_grad=True)
        y = x * 2
        y.register_hook(lambda g: g * 5)
        captured(y)
        assert x.grad.tolist() == [30.0, 30.0]
    assert "a hook is registered on a tensor computed before the call" in captured.report()


def test_a_tensor_that_a_transform_wraps_among_variables():
    box, found = [None], []
    captured = capture(lambda x: x * box[0])
    for number in range(3):
        with forward_ad.dual_level():
            box[0] = forward_ad.make_dual(full((2,), float(number)), ones(2))
            found.append(forward_ad.unpack_dual(captured(ones(2) * 3)).tangent.tolist())
    assert found == [[3.0, 3.0]] * 3 and "wrapped by a transform" in captured.report()
