"""Captured functions equal the functions bit for bit, or run eagerly with a reason."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jit_toys import check, pair, same, step_of

from facula_errors.testing import raises
from facula_jit import CaptureError, capture
from facula_tensor import (
    arange,
    cat,
    eye,
    float64,
    full,
    manual_seed,
    ones,
    rand,
    randn,
    randperm,
    tensor,
    where,
    zeros,
)
from facula_tensor.functional import dropout, embedding
from facula_tensor.linalg import LinAlgError, cholesky, inv

FUNCTIONS = {
    "elementwise": lambda x, y: (x * y + 1).relu() / 3,
    "reductions": lambda x, y: (x.sum(0), y.mean(), x.softmax(1), y.argmax(1), x.std()),
    "matmul": lambda x, y: x @ y.t(),
    "views": lambda x, y: x[1:, ::2].t().reshape(-1) + y.view(-1)[:9],
    "cat": lambda x, y: cat([x, y, x[:1]], 0).flip(0),
    "in place": lambda x, y: x.clone().add_(y).mul_(2).clamp_(0, 1),
    "written": lambda x, y: zeros(4, 6).copy_(x).masked_fill_(y > 0, 7.0),
    "dtypes": lambda x, y: (x.double() @ y.double().t(), x.half() + y.half(), (x > y).int().sum()),
    "made inside": lambda x, y: x + arange(6.0) + tensor([1.0]) + full((4, 1), 2.0) + y,
    "index": lambda x, y: x[tensor([0, 2])] + y[1:3],
    "setitem": lambda x, y: _set(x.clone(), y),
    "sort": lambda x, y: (x.sort(1)[0], y.topk(2)[1], x.cumsum(0)),
    "nested": lambda x, y: {"a": [x + y, (x * 2, None)], "b": 3},
    "argument back": lambda x, y: (x, y + 1, x[1:]),
    "random": lambda x, y: (rand(3), dropout(x, 0.5), y.clone().normal_(), x.bernoulli(0.5), x[randperm(4)]),
    "where": lambda x, y: where(x > y, x, y).sum(),
    "embedding": lambda x, y: embedding(arange(3), x),
}


def _set(x, y):
    x[1] = 3.0
    x[:, 2] = y[:, 0]
    return x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_replays_are_the_function(name):
    check(FUNCTIONS[name], pair)


def test_strides_and_dtypes_are_part_of_the_signature():
    captured = capture(lambda x: x * 2 + 1)
    for make in (lambda: randn(4, 6), lambda: randn(6, 4).t(), lambda: randn(4, 12)[:, ::2], lambda: randn(8, 6)[2:6]):
        for _ in range(3):
            x = make()
            assert same(captured(x), x * 2 + 1)
    assert same(captured(ones(2, dtype=float64)), ones(2, dtype=float64) * 3)
    assert captured.report().startswith("<lambda>: 5 signatures") or "4 signatures" in captured.report()


def test_the_number_of_signatures_as_text():
    captured = capture(lambda x: x * 2)
    assert repr(captured).endswith("<lambda>: 0 signatures>")
    captured(ones(2))
    assert repr(captured).endswith("<lambda>: 1 signature>")


def test_the_caller_owns_results():
    captured = capture(lambda x: x + 1)
    kept = [captured(full((3,), float(i))) for i in range(100)]
    assert [result.tolist() for result in kept] == [[i + 1.0] * 3 for i in range(100)]


def test_views_of_tensors_of_the_program_as_results():
    kept = arange(4.0)

    def function(x):
        view = kept[1:]
        return x * 2, view, view, kept.detach(), kept

    captured = capture(function, on_break="error", check=0)
    x = ones(3)
    for _ in range(3):
        _, view, same_view, detached, whole = captured(x)
        assert view is same_view and whole is kept
        assert not view.requires_grad and not detached.requires_grad
        view.requires_grad_(), detached.requires_grad_()  # changes this call's tensors
        kept.data.add_(1)
        assert view.tolist() == kept.tolist()[1:] and detached.tolist() == kept.tolist()


def test_a_step_of_training():
    step, own = step_of()
    other, others = step_of()
    captured = capture(other, on_break="error")
    for number in range(100):
        args = pair(number)
        assert same(step(*args), captured(*args)), number
        assert all(same(p, q) and same(p.grad, q.grad) for p, q in zip(own, others))
        assert [p._storage.version for p in own] == [p._storage.version for p in others]
        if number % 7 == 3:
            own[0].grad = others[0].grad = None  # the step clears them anyway


def test_accumulated_gradients():
    def build():
        manual_seed(0)
        w = randn(6, 6).requires_grad_()

        def step(x, y):
            ((x @ w) * y).sum().backward()

        return w, step

    (w, step), (v, other) = build(), build()
    captured = capture(other, on_break="error")
    for number in range(20):
        args = pair(number)
        step(*args), captured(*args)
        assert same(w.grad, v.grad), number
        if number % 4 == 3:
            w.grad = v.grad = None


def test_errors_are_those_of_the_operator():
    captured = capture(lambda table, places: embedding(places, table))
    table = randn(4, 2)
    captured(table, tensor([1, 2]))
    for places in ([0, 9], [-1, 0]):
        with raises(IndexError, "index_select", "out of range") as caught:
            captured(table, tensor(places))
        with pytest.raises(IndexError) as plain:
            embedding(tensor(places), table)
        assert str(caught.value).partition(":")[2] == str(plain.value).partition(":")[2]
        assert "in a replay of" in caught.value.__notes__[-1] and "test_capture.py" in caught.value.__notes__[-1]
    assert same(captured(table, tensor([3, 0])), table[tensor([3, 0])])
    for function, wanted in (
        (inv, "linalg.inv: expected an invertible matrix; got"),
        (cholesky, "linalg.cholesky: positive definite"),
    ):
        captured = capture(function)
        for _ in range(3):
            captured(eye(2))
        with raises(LinAlgError, wanted):
            captured(zeros(2, 2))


def test_an_error_of_the_program_leaves_nothing_behind():
    def function(x):
        if x.shape[0] == 2:
            raise KeyError("two")
        return x + 1

    captured = capture(function)
    for size in (2, 3, 2, 3):
        if size == 2:
            with pytest.raises(KeyError):
                captured(ones(size))
        else:
            assert captured(ones(size)).tolist() == [2.0] * size
    assert (ones(2) + 1).tolist() == [2.0, 2.0]


def test_wrong_options():
    for wrong in (3, "text"):
        with raises(TypeError, "capture", "expected a function"):
            capture(wrong)
    with raises(ValueError, "capture", "on_break"):
        capture(ones, on_break="never")


def test_too_many_signatures():
    captured = capture(lambda x: x + 1)
    for size in range(16):
        captured(ones(size))
    with pytest.warns(UserWarning, match="more than 16 signatures"):
        captured(ones(16))
    assert [captured(ones(size)).tolist() for size in range(20)] == [[2.0] * size for size in range(20)]


UNARY = ["relu", "exp", "neg", "sigmoid", "t", "abs", "contiguous"]
BINARY = ["add", "mul", "sub", "maximum", "matmul"]


@given(
    st.lists(st.tuples(st.sampled_from(UNARY + BINARY), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12)
)
def test_random_programs(program):
    def function(x, y):
        values = [x, y]
        for name, first, second in program:
            operands = [values[first % len(values)], values[second % len(values)]]
            values.append(getattr(operands[0], name)(*operands[1 : 1 + (name in BINARY)]))
        return values[2:], sum([value.sum() for value in values])

    def square(number):
        manual_seed(number)
        return randn(3, 3), randn(3, 3)

    check(function, square, 3)


CACHE, MODE, PAIR = [1.0], "of two words", (2, 5.5)
KEPT = SimpleNamespace(rate=0.5, cache=CACHE, mode=MODE, pair=PAIR, w=ones(3), none=None)
WITH_IS = {
    "None": lambda x: x * KEPT.rate if KEPT.none is None and KEPT.cache is not None else x,
    "list": lambda x: x * KEPT.rate if KEPT.cache is CACHE and KEPT.cache is not KEPT.pair else x,
    "tensor": lambda x: x * KEPT.rate if KEPT.w is not x and KEPT.w is KEPT.w else x,
    "classes": lambda x: x * KEPT.rate if type(x) is type(KEPT.w) and x.__class__ is KEPT.w.__class__ else x,
    "class": lambda x: x * KEPT.rate if type(KEPT.rate) is float else x,
    "dtype": lambda x: x * KEPT.rate if x.dtype is KEPT.w.dtype else x,
    "other values": lambda x: x * KEPT.rate if KEPT.mode is not PAIR and KEPT.rate is not KEPT.mode else x,
    "attribute of the same object": lambda x: x * KEPT.rate if KEPT.mode is MODE else x,
    "result": lambda x: x * KEPT.rate if (KEPT.rate is KEPT.none) is False else x,
}


@pytest.mark.parametrize("name", WITH_IS)
def test_equal_values_that_are_not_compared_by_identity(name):
    """One capture serves all calls, although a number is replaced by an equal one before each of them."""
    captured = capture(WITH_IS[name], on_break="error")
    for _ in range(12):
        KEPT.rate = float("0.5")
        assert same(captured(ones(3)), ones(3) * 0.5)
    assert captured.report().count("replayed") == 1 and "replayed 11 times" in captured.report()


class Answering(type):
    def __getattr__(cls, name):
        return 5


class Anything(metaclass=Answering):
    pass


@pytest.mark.parametrize("function", [lambda x, a: (x, a), lambda x, a: {"a": [x * 2, [a]]}])
def test_an_object_with_a_metaclass_that_answers_every_name_breaks_the_capture(function):
    captured, broken = capture(function), Anything()
    with pytest.warns(UserWarning, match="the result has a Anything, which Python makes"):
        captured(ones(3), broken)
    with raises(CaptureError, "capture", "return tensors and plain numbers"):
        capture(function, on_break="error")(ones(3), broken)


@pytest.mark.parametrize("is_argument", [False, True])
def test_a_value_that_is_always_another_object_breaks_with_the_line_that_compares_it(is_argument):
    other = SimpleNamespace(pair=PAIR)

    def function(x, pair):
        return x * 2 if (pair if is_argument else other.pair) is KEPT.pair else x

    captured = capture(function, on_break="error")
    line = f"test_capture.py:{function.__code__.co_firstlineno + 1} ... compare it with =="
    with raises(CaptureError, "capture", "which object", "is, which `is` compares at", line):
        for _ in range(20):
            number = float("2.5")
            other.pair = None if is_argument else (2, float("5.5"))
            KEPT.pair = number if is_argument else PAIR
            assert same(captured(ones(3), float("2.5")), ones(3))
    KEPT.pair = PAIR
