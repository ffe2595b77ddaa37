"""Checked calls: a call runs eagerly instead of a replay, and its operations are compared with the capture."""

import ctypes
import pickle
from itertools import count

import pytest
from jit_toys import pair, same, step_of

from facula_errors.testing import raises
from facula_jit import CaptureError, allow, capture, load, save
from facula_tensor import arange, eye, full, linspace, manual_seed, no_grad, ones, rand, randn, tensor

WEIGHTS = ones(3), ones(3) * 2
STATE = {"factor": 2.0, "shape": (3,), "name": "sin", "data": [1.0, 2.0, 3.0]}


@allow
def state():
    """State that guards do not compare."""
    return STATE


CHANGES = {
    "number": (lambda x: x * state()["factor"], "factor", 3.0, "mul, was 2.0, and is 3.0"),
    "operator": (lambda x: getattr(x, state()["name"])(), "name", "cos", "was sin, and is cos"),
    "shape": (lambda x: x[:2] * full((state()["shape"][0], 2), 2.0)[0], "shape", (4,), "fill, was 6, and is 8"),
    "constant": (lambda x: x * tensor(state()["data"]), "data", [1.0, 2.0, 4.0], "a constant of 12 bytes"),
    "tensor of the program": (
        lambda x: x * WEIGHTS[state()["factor"] > 2],
        "factor",
        3.0,
        "was a tensor of the program of shape (3,), and is another one",
    ),
    "plain result": (lambda x: (x * 2, state()["factor"]), "factor", 3.0, "the result had 2.0, and has 3.0"),
    "more launches": (
        lambda x: x * 2 if state()["factor"] < 3 else x * 2 + x.sin(),
        "factor",
        3.0,
        "launches, and are",
    ),
}


@pytest.fixture
def changing(request):
    function, key, value, words = CHANGES[request.param]
    before = STATE[key]
    yield function, lambda: STATE.__setitem__(key, value), words
    STATE[key] = before


@pytest.mark.parametrize("changing", CHANGES, indirect=True)
def test_a_difference_is_an_error_with_its_line(changing):
    function, change, words = changing
    captured = capture(function, check=2, passes=())
    for _ in range(4):
        captured(ones(3))
    change()
    with raises(CaptureError, "capture", words) as caught:
        captured(ones(3)), captured(ones(3))
    if words.startswith(("the result", "launches")):
        return
    assert "test_checking.py" in caught.value.where
    assert pickle.loads(pickle.dumps(caught.value)).where == caught.value.where


def test_by_default_the_second_replay_is_checked_and_a_difference_warned_of(monkeypatch):
    monkeypatch.delenv("FACULA_CAPTURE_CHECK", raising=False)

    text = bytes(bytearray(b"2.0"))  # compared by identity, since bytes are immutable

    def function(x):
        return x * float(text)

    def change_to(number):
        ctypes.memmove(id(text) + bytes.__basicsize__ - 1, number, len(number))

    captured = capture(function)
    captured(ones(1)), captured(ones(1))
    change_to(b"3.0")
    with pytest.warns(UserWarning, match="a checked call differs from its capture"):
        assert captured(ones(1)).item() == 3.0  # the eager result
    change_to(b"2.0")
    assert [captured(ones(1)).item() for _ in range(2)] == [2.0, 2.0]
    assert "runs eagerly" in captured.report()


def test_a_training_step_is_the_eager_one_where_every_second_call_is_checked():
    step, own = step_of()
    other, others = step_of()
    captured = capture(other, check=2)
    for number in range(12):
        args = pair(number)
        assert same(step(*args), captured(*args)), number
        assert all(same(a, b) and same(a.grad, b.grad) for a, b in zip(own, others, strict=True))
    assert "(6 checked)" in captured.report() or "(5 checked)" in captured.report()


@pytest.mark.parametrize("interval", [1, 2, 3])
def test_a_difference_in_a_step_that_creates_gradients(interval):
    """Its replay makes way for the checked call, and what it is compared with stays."""
    weight, before = randn(3).requires_grad_(), STATE["data"]

    def step(x):
        weight.grad = None
        (x * weight * tensor(state()["data"])).sum().backward()
        return weight.grad * 2

    try:
        for data in ([1.0, 2.0, 4.0], [3.0, 2.0, 1.0]):
            captured = capture(step, check=interval)
            for _ in range(3 * interval):
                captured(ones(3))
            STATE["data"] = data
            with raises(CaptureError, "capture", "a constant of 12 bytes"):
                for _ in range(interval):
                    captured(ones(3))
            assert captured(ones(3)).tolist() == [2 * number for number in data]
    finally:
        STATE["data"] = before


def test_a_graph_from_before_a_checked_call_can_be_saved(tmp_path):
    step, (w, _) = step_of()
    captured = capture(step, check=3)
    captured(*pair(0)), captured(*pair(1))
    graph, gradient = captured.graph(), w.grad
    before = str(graph)
    captured(*pair(2)), captured(*pair(3))  # the first is checked, and replaces the capture
    assert str(captured.graph()) == str(graph) == before
    assert w.grad is not gradient
    save(graph, tmp_path / "graph")
    again = load(tmp_path / "graph")
    assert same(again(*pair(4)), captured(*pair(4)))


REPLACED = {  # ways to give a parameter or its gradient other memory
    "data of a gradient": lambda w: setattr(w.grad, "data", w.grad.clone()),
    "set_ of a gradient": lambda w: w.grad.set_(w.grad.clone()),
    "gradient": lambda w: setattr(w, "grad", w.grad.clone()),
    "data of a parameter": lambda w: setattr(w, "data", w.detach().clone()),
}


@pytest.mark.parametrize("interval", [1, 2, 3, None])
@pytest.mark.parametrize("name", REPLACED)
def test_memory_that_is_replaced_around_checked_calls(name, interval):
    for first in range(1, 6):
        step, own = step_of()
        other, others = step_of()
        captured = capture(other, check=interval, on_break="error")
        for number in range(9):
            if number in (first, first + 1):
                REPLACED[name](own[0]), REPLACED[name](others[0])
            args = pair(number)
            assert same(step(*args), captured(*args)), (first, number)
            assert all(same(a, b) and same(a.grad, b.grad) for a, b in zip(own, others, strict=True)), (first, number)


def test_draws_and_results_that_are_differentiated_outside():
    weight, other = [ones(3).requires_grad_() for _ in range(2)]
    captured = capture(lambda x: (x * weight * rand(3)).sum(), check=3)
    for number in range(9):
        x = randn(3)
        manual_seed(number)
        loss = captured(x)
        manual_seed(number)
        wanted = (x * other * rand(3)).sum()
        loss.backward(), wanted.backward()
        assert same(loss, wanted) and same(weight.grad, other.grad), number


def test_effects_happen_once():
    total, seen = ones(2), []

    @allow
    def note():
        seen.append(1)

    def add(x):
        note()
        with no_grad():
            total.add_(x)
        return total.clone()

    captured = capture(add, check=2)
    results = [captured(ones(2)).tolist()[0] for _ in range(9)]
    assert results == [float(number + 2) for number in range(9)]
    assert len(seen) == 1 + 4


@pytest.mark.parametrize("check", [-1, 1.5, "2", True])
def test_intervals_that_are_refused(check):
    with raises(ValueError, "capture", "expected check to be a number of calls"):
        capture(lambda x: x, check=check)


def test_the_environment_variable_sets_the_interval(monkeypatch):
    monkeypatch.setenv("FACULA_CAPTURE_CHECK", "1")
    captured = capture(lambda x: x * 2)
    for _ in range(5):
        captured(ones(2))
    assert "replayed 4 times (4 checked)" in captured.report()
    monkeypatch.setenv("FACULA_CAPTURE_CHECK", "often")
    with raises(ValueError, "FACULA_CAPTURE_CHECK", "expected the environment variable", value="'often'"):
        capture(lambda x: x)


@pytest.mark.parametrize(
    "make", [lambda: eye(3), lambda: arange(3.5, 6.0), lambda: arange(77, 80), lambda: linspace(0.5, 7, 3)]
)
def test_small_tensors_created_by_eager_code_are_not_a_difference(make):
    captured = capture(lambda x: x * make(), check=1)
    for _ in range(3):
        assert same(captured(ones(3)), ones(3) * make())
    assert "(2 checked)" in captured.report()


def test_checked_calls_count_where_changes_are_seldom():
    factor = [1.0]
    captured = capture(lambda x: x * factor[0], check=2)
    for number in range(192):
        factor[0] = 1.0 + number // 16
        assert captured(ones(2)).tolist() == [factor[0]] * 2
    assert "eagerly" not in captured.report()


def test_results_of_allowed_functions_are_not_checked_by_default(monkeypatch):
    monkeypatch.delenv("FACULA_CAPTURE_CHECK", raising=False)
    ticks = count(1)
    captured = capture(lambda x: (x * tick(ticks) + tensor([tick(ticks)]), tick(ticks)), allow=[tick, ticks])
    assert len({repr(captured(ones(1))) for _ in range(6)}) == 1
    assert "replayed 5 times," in captured.report()


def tick(ticks):
    return float(next(ticks))


@pytest.mark.parametrize("given", [tick, ["time.time"], "time", 3])
def test_allow_takes_functions_in_a_list(given):
    with raises(TypeError, "capture", "expected functions, types and objects that captures may read"):
        capture(lambda x: x, allow=given)
    with raises(TypeError, "allow", "give the function or object itself"):
        allow("time")
