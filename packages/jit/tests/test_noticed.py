"""Changes between calls are detected, and functions that cannot be replayed run eagerly with a reason."""

import random
from collections import deque
from contextlib import nullcontext
from random import Random

import numpy as np
import pytest
from jit_toys import check, pair, same

from facula_errors.testing import raises
from facula_jit import CaptureError, capture
from facula_tensor import (
    Generator,
    device,
    float64,
    from_numpy,
    manual_seed,
    no_grad,
    ones,
    rand,
    randn,
    set_default_device,
    set_default_dtype,
    tensor,
    zeros,
)
from facula_tensor.extend.sampling import default_states, restore_default_states


def swapped(w):
    w.data = randn(3)


def resized(w):
    w.data.resize_(400)
    w.data = w.data[:3]


CHANGES = {
    "data": swapped,
    "memory": resized,
    "requires_grad": lambda w: w.requires_grad_(not w.requires_grad),
    "values": lambda w: w.detach().fill_(9.0),
    "dtype": lambda w: setattr(w, "data", randn(3, dtype=float64)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_tensor_that_was_changed(name):
    w = randn(3)

    def function(x):
        return (x * w).sum(), w.requires_grad

    captured = capture(function)
    for number in range(9):
        x = randn(3)
        a, b = function(x), captured(x)
        assert same(a[0], b[0]) and a[1] == b[1], number
        if number % 3 == 2:
            CHANGES[name](w)


GENERATORS = {"python": Random(1), "python's own": random, "numpy": np.random.default_rng(1), "numpy's own": np.random}


@pytest.mark.parametrize("name", GENERATORS)
def test_a_random_generator_that_is_used(name):
    generator = GENERATORS[name]
    captured = capture(lambda x: x * generator.random(), on_break="error")
    with raises(CaptureError, "capture", "whose state cannot be compared"):
        for _ in range(9):
            captured(ones(3))


@pytest.mark.parametrize("call", [lambda x: print(x.shape), lambda x: open(0, closefd=False)], ids=["print", "open"])
def test_a_break_names_the_effect_of_a_function(call, request):
    name = request.node.callspec.id
    with raises(CaptureError, "capture", f"it uses {name}, whose effect a replay would not repeat", "call it outside"):
        capture(call, on_break="error")(ones(3))


def test_modes_and_the_default_dtype():
    w = randn(3).requires_grad_()
    captured = capture(lambda x: (x * w + zeros(3)).sum())
    for dtype in (w.dtype, float64, w.dtype):
        set_default_dtype(dtype)
        try:
            for _ in range(3):
                with no_grad():
                    assert not captured(ones(3)).requires_grad
                assert captured(ones(3)).requires_grad
                assert captured(ones(3)).dtype is dtype
        finally:
            set_default_dtype(w.dtype)


@pytest.mark.parametrize("lasting", [False, True])
def test_the_default_device(lasting):
    """With another default device, a captured function runs eagerly; later calls replay again."""
    captured = capture(lambda x: x + zeros(3))
    for _ in range(3):
        assert captured(ones(3)).tolist() == [1.0, 1.0, 1.0]
    if lasting:
        set_default_device("meta")
    with nullcontext() if lasting else device("meta"):
        assert captured(ones(3)).is_meta
        with raises(RuntimeError, "add", "expected all tensors on one device", value="'cpu' and 'meta'"):
            captured(ones(3, device="cpu"))
    set_default_device(None)
    assert captured(ones(3)).tolist() == [1.0, 1.0, 1.0]


def test_an_argument_in_written_memory():
    state = zeros(4)

    def function(x):
        state.copy_(x * 2)
        return x + state

    captured = capture(function)
    for _ in range(3):
        x = randn(4)
        assert same(captured(x), x * 3)
    state.fill_(1.0)
    assert captured(state).tolist() == [4.0] * 4


def test_other_generators():
    for source in (None, Generator()):
        captured = capture(lambda: rand(5, generator=source))
        for seed in range(3):
            (source or Generator()).manual_seed(seed)
            manual_seed(seed)
            found = [captured(), captured()]
            (source or Generator()).manual_seed(seed)
            manual_seed(seed)
            assert same(found, [rand(5, generator=source), rand(5, generator=source)])


BREAKS = {
    "item": lambda x: x * x.sum().item(),
    "truth": lambda x: x if x.sum() > 0 else -x,
    "print": lambda x: x + len(str(x)),
    "list": lambda x: tensor(x.tolist()),
    "NumPy": lambda x: from_numpy(x.numpy() * 2),
    "sizes": lambda x: x[x > 0],
    "index": lambda x: x + range(9)[(x > 0).sum()],
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_value_that_is_read(name):
    function = BREAKS[name]
    captured = capture(function)
    with pytest.warns(UserWarning, match=r"runs eagerly.*test_noticed.py:\d+"):
        captured(ones(3))
    for _ in range(3):
        x = randn(3)
        assert same(captured(x), function(x))
    assert "runs eagerly" in captured.report() and "test_noticed.py" in captured.report()
    with raises(CaptureError, "...", "test_noticed.py") as caught:
        capture(function, on_break="error")(ones(3))
    assert "test_noticed.py" in caught.value.where


@pytest.mark.filterwarnings("ignore:capture")
def test_a_tensor_that_the_program_keeps():
    kept = []
    captured = capture(lambda x: kept.append(x * 2))
    for _ in range(5):
        captured(ones(2))
    assert len(kept) == 5 and "is kept outside of the function" in captured.report()
    state = {}
    settled = capture(lambda x: state.setdefault("sum", zeros(2)).add_(x).clone())
    assert [settled(ones(2)).tolist() for _ in range(4)] == [[i + 1.0] * 2 for i in range(4)]
    assert "replayed 2 times" in settled.report()


@pytest.mark.filterwarnings("ignore:capture")
def test_state_that_changes_in_each_call():
    def function(x):
        return x * factors.pop()

    factors = [randn(2) for _ in range(20)]
    captured = capture(function)
    wanted = [ones(2) * factor for factor in reversed(factors)]
    assert same([captured(ones(2)) for _ in range(20)], wanted)
    assert "an entry of the variable 'factors' is changed by the function" in captured.report()


def test_the_report_says_why_a_call_was_captured_again():
    switch = [True]
    captured = capture(lambda x: x * 2 if switch[0] else x * 3)
    for flag in (True, True, False, False):
        switch[0] = flag
        captured(ones(2))
    assert "captured again because an entry of the variable 'switch' has changed" in captured.report()
    kept = []
    other = capture(lambda x: kept.append(x + 1))
    other(ones(2))
    assert "not captured yet: a tensor of shape (2,) created here is kept outside" in other.report()


FACTOR = 2.0


def test_rebound_variables(monkeypatch):
    weight = ones(2)
    captured = capture(lambda x: x * weight * FACTOR)
    for factor, weight in ((2.0, ones(2)), (3.0, ones(2)), (3.0, ones(2) * 5), (2.0, ones(2) * 5)):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        for _ in range(3):
            assert same(captured(ones(2)), ones(2) * weight * factor)


def test_default_arguments_that_are_changed():
    captured = capture(lambda x, options={"factor": 2.0}: x * options["factor"])
    for factor in (2.0, 3.0):
        captured.function.__defaults__[0]["factor"] = factor
        for _ in range(3):
            assert captured(ones(2)).tolist() == [factor] * 2


class Meter:
    """Stores counters of a program, and its reads of them."""

    def __init__(self):
        self.recent, self.total, self.limits = deque(maxlen=3), {"sum": 0.0}, deque([1.0])

    def __call__(self, x):
        return x * self.limits[0]


class Loop:
    """Trains, and stores its observations in attributes that its step does not read."""

    def __init__(self):
        self.meter, self.state, self.number = Meter(), {"number": 0, "seen": set()}, 0

    def step(self, x):
        return self.meter(x) + 1


@pytest.mark.filterwarnings("ignore:capture")
def test_reads_without_a_name():
    """By a method that an operator or call runs, twenty times a different one: each read is detected."""
    loop = Loop()
    captured = capture(loop.step)
    for number in range(20):
        loop.meter.limits = [float(number)]
        assert captured(ones(1)).item() == number + 1


def test_unread_counters_are_not_compared():
    """Attributes that no reachable line names are not compared; nested attributes that it reads are."""
    loop = Loop()
    captured = capture(loop.step)
    for number in range(30):
        if number % 10 == 9:
            loop.meter.limits[0] = float(number)
        assert captured(ones(1)).item() == loop.meter.limits[0] + 1
        loop.meter.recent.append(number)
        loop.meter.total["sum"] += 1.5
        loop.state["number"], loop.number = number, number
        loop.state["seen"].add(number)
    assert captured.report().count("replayed") == 4 and "eagerly" not in captured.report(), captured.report()


def test_a_list_that_gets_a_result():
    weight = ones(2, requires_grad=True)

    def step(x, found):
        found.append(x * weight)
        return found[0]

    captured, found = capture(step), []
    assert [captured(ones(2) * number, found).tolist() for number in range(4)] == [[0.0, 0.0]] * 4 and len(found) == 4


def test_hooks_that_come_and_go():
    weight = ones(2, requires_grad=True)

    def step(x):
        weight.grad = None
        (x * weight).sum().backward()
        return weight.grad.clone()

    captured = capture(step)
    first = weight.register_hook(lambda g: g * 2)
    found = [captured(ones(2)).tolist()[0] for _ in range(3)]
    first.remove()
    found += [captured(ones(2)).tolist()[0] for _ in range(3)]
    second = weight.register_hook(lambda g: g * 3)
    found += [captured(ones(2)).tolist()[0] for _ in range(3)]
    second.remove()
    weight.register_hook(lambda g: g * 4)
    found += [captured(ones(2)).tolist()[0] for _ in range(3)]
    assert found == [2.0] * 3 + [1.0] * 3 + [3.0] * 3 + [4.0] * 3


def draws_again(x):
    before = default_states()
    first = rand(3)
    restore_default_states(before)
    return first, rand(3), rand(2), x


def seeds(x):
    rand(2)
    manual_seed(7)
    return rand(3), x


@pytest.mark.parametrize("function", [draws_again, seeds])
def test_seeded_generators(function):
    check(lambda x, y: function(x), pair)


@pytest.mark.filterwarnings("ignore:capture")
def test_variables_that_the_function_changes():
    count = 0
    seen = type("Seen", (), {})()
    seen.calls = 0

    def by_closure(x):
        nonlocal count
        count += 1
        return x * count

    def by_attribute(x, one):
        one.calls += 1
        return x * one.calls

    captured, other = capture(by_closure), capture(by_attribute)
    assert [captured(ones(1)).item() for _ in range(6)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert [other(ones(1), seen).item() for _ in range(6)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert "the variable 'count' is changed" in captured.report() and "'calls' of a Seen" in other.report()
    entries = [0]

    def by_entry(x):
        entries[0] += 1
        return x * entries[0]

    captured = capture(by_entry)
    assert [captured(ones(1)).item() for _ in range(6)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
