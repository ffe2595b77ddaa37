"""Captured functions give what the functions give, bit for bit, or run as they are written and say why."""

import gc
import os
import weakref
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_autograd import grad
from facula_jit import CaptureError, capture
from facula_tensor import (
    Generator,
    arange,
    cat,
    float64,
    from_numpy,
    full,
    get_rng_state,
    manual_seed,
    no_grad,
    ones,
    rand,
    randn,
    set_default_dtype,
    set_rng_state,
    tensor,
    where,
    zeros,
)
from facula_tensor.functional import dropout, embedding, linear


def same(a, b):
    """Whether two results are the same bit for bit, whatever they are made of."""
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "detach"):
        a, b = a.detach().numpy(), b.detach().numpy()
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b


def check(function, make, calls=4, replays=None, **options):
    """Compare the function with its capture over some calls, each with arguments of its own; gives the capture."""
    captured = capture(function, **options)
    for number in range(calls):
        args = make(number)
        state = get_rng_state()
        wanted = function(*args)
        after = get_rng_state()
        set_rng_state(state)
        assert same(captured(*args), wanted), number
        assert get_rng_state() == after
    counts = [int(one.count) for kind in captured._kinds.values() for one in kind.replays]
    assert sum(counts) == (calls - 1 if replays is None else replays), captured.report()
    return captured


def pair(number):
    manual_seed(number)
    return randn(4, 6), randn(4, 6)


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
    "random": lambda x, y: (rand(3), dropout(x, 0.5), y.clone().normal_(), x.bernoulli(0.5)),
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


def test_strides_and_dtypes_are_kinds_of_their_own():
    captured = capture(lambda x: x * 2 + 1)
    for make in (lambda: randn(4, 6), lambda: randn(6, 4).t(), lambda: randn(4, 12)[:, ::2], lambda: randn(8, 6)[2:6]):
        for _ in range(3):
            x = make()
            assert same(captured(x), x * 2 + 1)
    assert same(captured(ones(2, dtype=float64)), ones(2, dtype=float64) * 3)
    assert captured.report().startswith("<lambda>: 5 kinds of calls") or "4 kinds" in captured.report()


def test_a_result_is_the_callers():
    captured = capture(lambda x: x + 1)
    kept = [captured(full((3,), float(i))) for i in range(100)]
    assert [one.tolist() for one in kept] == [[i + 1.0] * 3 for i in range(100)]


# ------------------------------------------------------------------------------------------------ training
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
            own[0].grad = others[0].grad = None  # what the step clears anyway


def test_gradients_that_add_up():
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


@pytest.mark.parametrize("wants", [(True, False), (False, True), (True, True)])
def test_gradients_outside(wants):
    w = randn(6, 3).requires_grad_()

    def function(x, y):
        return (x @ w).tanh().sum(0) * y.sum(), (x * y).exp()

    captured = capture(function, on_break="error")
    for number in range(4):
        x, y = [one.requires_grad_(on) for one, on in zip(pair(number), wants)]
        found = []
        for one in (function, captured):
            a, b = one(x, y)
            inputs = [t for t in (x, y, w) if t.requires_grad]
            found.append(grad(a.sum() * 2 + b.mean(), inputs, retain_graph=True))
            found[-1] += grad(a.sum(), inputs, allow_unused=True)
        assert same(list(found[0]), list(found[1])), number


def test_two_forwards_before_a_backward():
    captured = capture(lambda x: (x * x).sin().sum())
    x = randn(5).requires_grad_()
    captured(x)
    for _ in range(2):
        leaves = [randn(5).requires_grad_() for _ in range(3)]
        losses = [captured(one) for one in leaves]
        for leaf, loss in reversed(list(zip(leaves, losses))):
            loss.backward()
            again = leaf.detach().requires_grad_()
            (again * again).sin().sum().backward()
            assert same(leaf.grad, again.grad)
    assert len(captured._kinds.popitem()[1].replays[0].frames) == 3


def test_a_result_as_the_next_argument():
    weight = randn(3).requires_grad_()

    def function(x):
        return (weight * x).tanh()

    captured = capture(function, on_break="error")
    for _ in range(4):
        found = []
        for one in (function, captured):
            weight.grad = None
            one(one(one(ones(3)))).sum().backward()
            found.append(weight.grad)
        assert same(*found)


def test_results_are_differentiated_one_after_the_other():
    x = randn(3).requires_grad_()
    captured = capture(lambda x: (x.sin(), x.exp()))
    for _ in range(3):
        a, b = captured(x)
        (first,), (second,) = grad(a.sum(), x), grad(b.sum(), x)
        assert same(first, x.cos()) and same(second, x.exp())


@pytest.mark.filterwarnings("ignore:capture")
def test_the_backward_of_one_capture_inside_another():
    weight = randn(3).requires_grad_()
    forward = capture(lambda x: (weight * x).sum())

    def step(loss):
        weight.grad = None
        loss.backward()

    captured = capture(step)
    forward(ones(3)), forward(ones(3))
    for number in range(4):
        captured(forward(full((3,), float(number))))
        assert weight.grad.tolist() == [float(number)] * 3
    assert "backward of another capture" in captured.report()


def test_a_result_that_is_left_out_leaves_no_gradient():
    m, n = randn(3).requires_grad_(), randn(3).requires_grad_()

    def function(x):
        return (m * x).sum(), (n * x).log().sum(), (m * n).sum()

    captured = capture(function)
    for _ in range(3):
        for which in ((0,), (1,), (0, 2), (0, 1, 2)):
            found = []
            for one in (function, captured):
                m.grad = n.grad = None
                results = one(zeros(3))
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


def test_create_graph_is_refused_by_name():
    captured = capture(lambda x: (x**3).sum())
    x = randn(3).requires_grad_()
    captured(x)
    with pytest.raises(RuntimeError, match="create_graph"):
        grad(captured(x), x, create_graph=True)


def test_a_change_before_backward_is_noticed():
    w = randn(3).requires_grad_()
    captured = capture(lambda x: (x * w).exp().sum())
    x = ones(3, requires_grad=True)
    captured(x)
    loss = captured(x)
    with no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match="changed in place after the call"):
        loss.backward()


# ------------------------------------------------------------------------------------- what is noticed before
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


def test_an_argument_that_lies_in_what_is_written():
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


# ------------------------------------------------------------------------------------------------- breaks
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
    with pytest.warns(UserWarning, match=r"runs as it is written.*test_capture.py:\d+"):
        captured(ones(3))
    for _ in range(3):
        x = randn(3)
        assert same(captured(x), function(x))
    assert "runs as written" in captured.report() and "test_capture.py" in captured.report()
    with pytest.raises(CaptureError, match=r"test_capture\.py") as caught:
        capture(function, on_break="error")(ones(3))
    assert "test_capture.py" in caught.value.where


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
def test_what_changes_at_each_call():
    def function(x):
        return x * factors.pop()

    factors = [randn(2) for _ in range(20)]
    captured = capture(function)
    wanted = [ones(2) * one for one in reversed(factors)]
    assert same([captured(ones(2)) for _ in range(20)], [wanted[0]] * 20)  # Python beside the operators runs once


def test_errors_are_those_of_the_operator():
    captured = capture(lambda table, places: embedding(places, table))
    table = randn(4, 2)
    captured(table, tensor([1, 2]))
    for places in ([0, 9], [-1, 0]):
        with pytest.raises(IndexError, match="out of range") as caught:
            captured(table, tensor(places))
        with pytest.raises(IndexError) as plain:
            embedding(tensor(places), table)
        assert str(caught.value).partition(":")[2] == str(plain.value).partition(":")[2]
        assert "in a replay of" in caught.value.__notes__[-1] and "test_capture.py" in caught.value.__notes__[-1]
    assert same(captured(table, tensor([3, 0])), table[tensor([3, 0])])


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


def test_the_report_says_why_a_call_was_captured_again():
    switch = [True]
    captured = capture(lambda x: x * 2 if switch[0] else x * 3)
    for one in (True, True, False, False):
        switch[0] = one
        captured(ones(2))
    assert "captured again, because another was the variable, attribute, option or entry 0, which was True" in (
        captured.report()
    )
    kept = []
    other = capture(lambda x: kept.append(x + 1))
    other(ones(2))
    assert "not captured yet: a tensor of shape (2,) made here is kept outside" in other.report()


def test_wrong_options():
    for wrong in (3, "text"):
        with pytest.raises(TypeError, match="expected a function"):
            capture(wrong)
    with pytest.raises(ValueError, match="on_break"):
        capture(ones, on_break="never")


def test_more_kinds_of_calls_than_are_kept():
    captured = capture(lambda x: x + 1)
    for size in range(16):
        captured(ones(size))
    with pytest.warns(UserWarning, match="more than 16 kinds"):
        captured(ones(16))
    assert [captured(ones(size)).tolist() for size in range(20)] == [[2.0] * size for size in range(20)]


# --------------------------------------------------------------------------------------- memory, threads, forks
def test_nothing_is_left():
    gc.collect()
    gc.disable()
    try:
        step, (w, b) = step_of()
        captured = capture(step)
        arguments = pair(0)
        captured(*arguments), captured(*arguments)
        first = arguments[0]._storage
        links = [weakref.ref(one) for one in (captured, w._storage, first, captured._arena)]
        del step, w, b, captured, arguments, first
        assert [link() for link in links] == [None] * 4
    finally:
        gc.enable()


def test_arguments_and_results_are_let_go():
    captured = capture(lambda x: x * 2)
    x = ones(5)
    result = captured(x)
    links = [weakref.ref(one._storage) for one in (x, result)]
    del x, result
    assert [link() for link in links] == [None, None]


def test_threads_with_captures_of_their_own():
    wrong = []

    def work(number):
        (step, _), (other, _) = step_of(), step_of()
        captured = capture(other)
        for place in range(30):
            args = pair(number * 100 + place)
            if not same(step(*args), captured(*args)):
                wrong.append((number, place))

    def pair(seed):
        values = np.random.default_rng(seed).standard_normal((2, 4, 6)).astype(np.float32)
        return tensor(values[0]), tensor(values[1])

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []


def test_a_fork():
    captured = capture(lambda x: (x * 2).sum(0))
    captured(ones(3, 4)), captured(ones(3, 4))
    child = os.fork()
    if child == 0:
        os._exit(0 if captured(ones(3, 4)).tolist() == [6.0] * 4 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert captured(ones(3, 4)).tolist() == [6.0] * 4


# ----------------------------------------------------------------------------------------------- random programs
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
        return values[2:], sum([one.sum() for one in values])

    def square(number):
        manual_seed(number)
        return randn(3, 3), randn(3, 3)

    check(function, square, 3)


# ------------------------------------------------------------------------------------------ variables of programs
FACTOR = 2.0


def test_variables_that_are_bound_anew(monkeypatch):
    weight = ones(2)
    captured = capture(lambda x: x * weight * FACTOR)
    for factor, weight in ((2.0, ones(2)), (3.0, ones(2)), (3.0, ones(2) * 5), (2.0, ones(2) * 5)):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        for _ in range(3):
            assert same(captured(ones(2)), ones(2) * weight * factor)


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
    before = get_rng_state()
    first = rand(3)
    set_rng_state(before)
    return first, rand(3), rand(2), x


def seeds(x):
    rand(2)
    manual_seed(7)
    return rand(3), x


@pytest.mark.parametrize("function", [draws_again, seeds])
def test_generators_that_are_set(function):
    check(lambda x, y: function(x), pair)


def test_an_argument_that_is_asked_for_gradients():
    def function(x):
        x.requires_grad_()
        return grad((x * x).sum(), x)[0]

    captured = capture(function)
    with pytest.warns(UserWarning, match="requires_grad of an argument"):
        captured(ones(2))
    assert captured(ones(2)).tolist() == [2.0, 2.0]


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


def test_one_tensor_as_two_arguments_outside():
    captured = capture(lambda x, y: (x * y * 2).sum())
    b, c = randn(3).requires_grad_(), randn(3).requires_grad_()
    captured(b, c)
    for _ in range(3):
        b.grad = None
        captured(b, b).backward()
        assert same(b.grad, b.detach() * 2 + b.detach() * 2)


def test_captures_of_results_with_gradients_are_let_go():
    gc.collect()
    gc.disable()
    try:
        weight = randn(3).requires_grad_()
        captured = capture(lambda x: (x * weight).sum())
        captured(ones(3)), captured(ones(3)), captured(ones(3)).backward()
        link = weakref.ref(captured._kinds.popitem()[1].replays[0].recording.recorder)
        del captured
        assert link() is None
    finally:
        gc.enable()
