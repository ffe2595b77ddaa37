"""Helpers for tests of captures: comparison with the function, arguments, a training step."""

from facula_jit import capture, load, save
from facula_tensor import (
    equal,
    get_rng_state,
    manual_seed,
    no_grad,
    randn,
    set_rng_state,
    zeros,
)
from facula_tensor.functional import linear


def same(a, b):
    """Return True if two results of any type are equal bit for bit."""
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "detach"):
        a, b = a.detach().numpy(), b.detach().numpy()
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b


def check(function, make, calls=4, replays=None, **options):
    """Compare a function with its capture for several calls with different arguments; return the capture."""
    captured = capture(function, **options)
    for number in range(calls):
        args = make(number)
        state = get_rng_state()
        wanted = function(*args)
        after = get_rng_state()
        set_rng_state(state)
        assert same(captured(*args), wanted), number
        assert equal(get_rng_state(), after)
    counts = [int(replay.served) for kind in captured._entries.values() for replay in kind.replays]
    assert sum(counts) == (calls - 1 if replays is None else replays), captured.report()
    return captured


def pair(number):
    manual_seed(number)
    return randn(4, 6), randn(4, 6)


def step_of(rate=0.1):
    manual_seed(0)
    w, b = randn(5, 6).requires_grad_(), zeros(5).requires_grad_()

    def step(x, y):
        w.grad = b.grad = None
        loss = ((linear(x, w, b).tanh() - y[:, :5]) ** 2).mean()
        loss.backward()
        with no_grad():
            w.sub_(w.grad * rate)
            b.sub_(b.grad * rate)
        return loss.detach()

    return step, (w, b)


def saved(captured, tmp_path, **options):
    """Save and load a captured function."""
    path = tmp_path / "graph.facula"
    save(captured, path, **options)
    return load(path)


def called(function, *args, times=3):
    """Return a captured function after some calls."""
    captured = capture(function, on_break="error")
    for _ in range(times):
        captured(*args)
    return captured
