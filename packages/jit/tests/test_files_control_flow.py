"""Tensor-dependent control flow in files: loaded graphs make the same decisions."""

import json
import zipfile

import pytest
from flow_programs import DIFFERENTIABLE, FUNCTIONS, gradients, signed
from jit_files import changed
from jit_toys import same

from facula_errors.testing import raises
from facula_jit import GraphFileError, SaveError, capture, cond, freeze, load, save, script, trace, while_loop
from facula_tensor import get_rng_state, manual_seed, no_grad, ones, randn, set_rng_state, tensor, zeros
from facula_tensor.functional import linear


def format_of(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("graph.json"))["format"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_the_same(name, tmp_path):
    captured = capture(FUNCTIONS[name], on_break="error")
    for number in range(3):
        captured(*signed(number))
    save(captured, tmp_path / "graph")
    again = load(tmp_path / "graph")
    for number in range(8):
        x, y = signed(number)
        state = get_rng_state()
        wanted = captured(x, y)
        set_rng_state(state)
        assert same(again(x, y), wanted), number


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("inside", [True, False])
def test_gradients_are_the_same(name, inside, tmp_path):
    function, whole = gradients(DIFFERENTIABLE[name], inside)
    captured = capture(function, on_break="error")
    for number in range(3):
        whole(captured, *signed(number))
    save(captured, tmp_path / "graph")
    again = load(tmp_path / "graph")
    weights = dict(again.named_parameters())
    for number in range(8):
        x, y = signed(number)
        wanted = whole(captured, x, y)
        if not inside:
            for weight in weights.values():
                weight.grad = None
        out = again(x, y)
        if not inside:
            out.sum().backward()
        assert same([out.detach(), *[weights[f"weights.{k}"].grad for k in range(2)]], list(wanted)), number


def _training():
    manual_seed(0)
    w, b, ema, steps = randn(3, 4).requires_grad_(), zeros(3).requires_grad_(), zeros(3), zeros(())

    def step(x):
        w.grad = b.grad = None
        h = linear(x, w, b)
        h = cond(h.sum() > 0, lambda h: h.relu(), lambda h: h.tanh() * b, (h,))
        loss = (h * h).mean()
        loss.backward()
        with no_grad():
            rate = while_loop(lambda r: (w.grad * r).abs().sum() > 0.3, lambda r: (r / 2,), (tensor(0.5),))[0]
            w.sub_(w.grad * rate)
            b.sub_(b.grad * rate)
            cond(loss > 0.2, lambda: (ema.mul_(0.9), steps.add_(1))[0], lambda: ema.add_(b))
        return loss.detach(), rate

    return step, [w, b, ema, steps]


def test_a_training_step_continues(tmp_path):
    """With gradients through a condition, a loop that computes the learning rate, and state that a branch changes in
    place.
    """
    step, own = _training()
    captured = capture(step, on_break="error")
    for _ in range(3):
        captured(randn(5, 4))
    save(captured, tmp_path / "step")
    again = load(tmp_path / "step")
    rates = set()
    for number in range(30):
        x = randn(5, 4) * (1 + number % 5)
        wanted = captured(x)
        assert same(again(x), wanted), number
        rates.add(wanted[1].item())
    state = again.state_dict()
    assert same([state[name] for name in ("w", "b", "ema", "steps")], [leaf.detach() for leaf in own])
    assert len(rates) > 2 and 3 < own[3] < 33
    again.save(tmp_path / "again")
    assert format_of(tmp_path / "again") == 2 and same(load(tmp_path / "again")(x), again(x))


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 3), (3, 2, 0)])
def test_one_graph_for_all_sizes(order, tmp_path):
    """Independent of the branches that the captured calls take."""

    def function(x, limit):
        x = cond(x.sum() > 0, lambda x: x - x.mean(), lambda x: (x.abs(), x.sum())[0], (x,))
        steps, x = while_loop(lambda n, x: x.norm() > limit, lambda n, x: (n + 1, x / 2), (tensor(0), x))
        return x, steps, x.sum(0)

    captured = capture(function, on_break="error")
    for size, sign in zip((3, 5, 8), order):
        for _ in range(3):
            captured(randn(size, 4) + (-1) ** sign, tensor(0.5) * 10**sign)
    save(captured, tmp_path / "graph", batch=True)
    again = load(tmp_path / "graph")
    for size in (1, 2, 8, 33):
        for number in range(4):
            x = randn(size, 4) * 3**number + (-1) ** number
            assert same(again(x, tensor(0.5)), function(x, tensor(0.5)))


class Gate:
    """An object with the interface of modules."""

    def __init__(self):
        self.up, self.down, self.seen, self.training = randn(8, 8), randn(8, 8), zeros(()), False

    def named_modules(self):
        return iter([("", self)])

    def children(self):
        return iter(())

    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        if x.mean() > 0:
            self.seen += 1
            return x @ self.up
        for number in range((x > 0).sum() // 8):
            x = x - number / 10
        return (x @ self.down).relu()


def test_scripts(tmp_path):
    gate = script(Gate())
    inputs = [randn(4, 8) + (-1) ** number for number in range(6)]
    with no_grad():
        traced = trace(gate, inputs[0])
        traced.save(tmp_path / "gate")
        again, frozen = load(tmp_path / "gate"), freeze(trace(gate, inputs[1]))
        (seen,) = [leaf for leaf in again.state_dict().values() if not leaf.shape]
        before = seen.item()
        for x in inputs:
            wanted = gate(x)
            assert same(again(x), wanted) and same(frozen(x), wanted)
    assert seen == before + 3 and not list(frozen.parameters())
    for call in (lambda: gate.save("gate.pt"), lambda: script(_positive).save("positive.pt")):
        with raises(SaveError, "save", "call trace(it, example_inputs).save(path)"):
            call()
    with raises(TypeError, "save", "save trace(it, example_inputs)", value="Gate, which has no recorded run"):
        save(gate, tmp_path / "gate")


def _positive(x):
    return x if x.sum() > 0 else -x


def test_files_contain_the_required_version(tmp_path):
    for number, function in ((1, lambda x: x + 1), (2, lambda x: cond(x.sum() > 0, lambda: x + 1, lambda: x - 1))):
        captured = capture(function)
        captured(ones(2))
        save(captured, tmp_path / "graph")
        assert format_of(tmp_path / "graph") == number


# --------------------------------------------------------------------------------------------------- untrusted files
def deciding(x, y):
    """Launches: y's condition (0), x's condition around a loop, and another condition of y."""
    flag = y.sum() > 0
    kept = cond(flag, lambda: (x > 1) & (y > 0), lambda: x < 1)

    def round_about():
        h = while_loop(
            lambda h: (h * h).sum() > 9, lambda h: (cond(h[0] > 0, lambda: h * 0.5, lambda: h * 0.25),), (x,)
        )
        return h[0] + 1

    out = cond(x.sum() > 0, round_about, lambda: x * 2)
    return out * kept


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    captured = capture(deciding, on_break="error", passes=())
    captured(*signed(0))
    place = tmp_path_factory.mktemp("flow") / "graph.facula"
    save(captured, place)
    return place


def of_skip(number, **parts):
    """Return a change of one skip."""

    def change(graph):
        skip = graph["skips"][number]
        for name, value in parts.items():
            place = ("first", "launches", "block", "offset", "at_zero").index(name)
            skip[place : place + 1] = [skip[place] + value] if name in ("first", "launches") else [value]

    return change


def of_loop(**parts):
    def change(graph):
        for name, value in parts.items():
            graph["loops"][0][("first", "body", "last", "block", "offset").index(name)] += value

    return change


def exchanged(graph):
    """Use a condition for the first skip that is computed later."""
    graph["skips"][0][2] = graph["skips"][-1][2]


def as_bools(graph):
    """Use the bytes of bools as the condition of the first skip."""
    graph["skips"][0][2] = next(
        k for k, block in enumerate(graph["blocks"]) if block.get("temporary", [""])[0] == "bool"
    )


def unlike(graph):
    """Run both functions if the condition is false."""
    graph["skips"][0] = graph["skips"][0][:4]


def step_outside(graph):
    """Skip a part of a loop's body together with the launches after it."""
    graph["skips"].append([graph["loops"][0][2] - 1, 2, *graph["skips"][0][2:]])


def a_loop_of_all(graph):
    graph["loops"].append([0, 1, graph["boundary"], *graph["loops"][0][3:]])


def many(graph):
    graph["skips"] += [graph["skips"][0]] * 101


DAMAGED = {
    "more than there is": (of_skip(0, launches=1000), "how many launches to skip is"),
    "none": (of_skip(0, launches=-1000), "how many launches to skip is"),
    "no block": (of_skip(0, block=999), "a block is 999"),
    "no scalar": (of_skip(0, offset=1), "address"),
    "bools": (as_bools, "an address is outside of block"),
    "a text": (of_skip(0, at_zero="x"), "a skip ends with 'x'"),
    "a condition that comes later": (exchanged, "decides what runs before it is written"),
    "no opposite": (unlike, "reads block ... which is not written before"),
    "crossing": (step_outside, "cut in two"),
    "a step before its condition": (of_loop(body=-100), "where the step of a loop begins is"),
    "a loop without an end": (of_loop(last=100), "a loop's end is"),
    "a loop without a list": (lambda graph: graph.update(loops=[7]), "a loop is 7"),
    "a loop around all": (a_loop_of_all, "decides what runs before it is written"),
    "a loop that ends early": (of_loop(last=-1), "is not written before"),
    "deep": (many, "more than 100 conditions and loops"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_jumps_that_do_not_fit_are_refused(name, path, tmp_path):
    change, said = DAMAGED[name]
    with raises(GraphFileError, ".../changed.facula", said):
        load(changed(path, tmp_path, lambda graph: change(graph["graphs"][0]["graph"])))
